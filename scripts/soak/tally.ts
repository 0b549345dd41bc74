/** What a subscriber's log has wrong, held against the table. */
export interface Tally {
  /** In the table, and never received. */
  readonly lost: number;
  /** Received again. */
  readonly doubled: number;
  /** Received after a message that comes later in the table. */
  readonly outOfOrder: number;
  /** Received, and not in the table. */
  readonly unknown: number;
}

/** Compares what a subscriber received, in the order of receipt, with what its room holds, in the room's order. */
export function tallyOf(received: readonly string[], table: readonly string[]): Tally {
  const places = new Map(table.map((id, place) => [id, place]));
  const seen = new Set<string>();
  let [doubled, outOfOrder, unknown] = [0, 0, 0];
  let furthest = -1;
  for (const id of received) {
    const place = places.get(id);
    if (place === undefined) unknown++;
    else if (seen.has(id)) doubled++;
    else if (place < furthest) outOfOrder++;
    else furthest = place;
    seen.add(id);
  }
  return { lost: table.filter((id) => !seen.has(id)).length, doubled, outOfOrder, unknown };
}

export const addUp = (tallies: readonly Tally[]): Tally =>
  tallies.reduce((sum, one) => ({
    lost: sum.lost + one.lost,
    doubled: sum.doubled + one.doubled,
    outOfOrder: sum.outOfOrder + one.outOfOrder,
    unknown: sum.unknown + one.unknown,
  }));

export const isClean = (tally: Tally): boolean => Object.values(tally).every((count) => count === 0);
