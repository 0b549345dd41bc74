/** How alike two names must be for one to be suggested for the other, from 0 to 1. */
const likenessMin = 0.6;

/** Names looked at for a suggestion. */
const namesMax = 500;

/** The name most like a given one; undefined when none is much like it. */
export function closest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let most = likenessMin;
  let looked = 0;
  for (const one of names) {
    if (++looked > namesMax) break;
    const likeness = alike(pairs(name), pairs(one));
    if (likeness < most) continue;
    most = likeness;
    best = one;
  }
  return best;
}

/** Pairs of neighbouring characters, the ends counted as a character. */
function pairs(name: string): Map<string, number> {
  const text = `-${name.slice(0, 128).toLowerCase()}-`;
  const counts = new Map<string, number>();
  for (let at = 0; at < text.length - 1; at++) {
    const pair = text.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

function alike(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [pair, count] of left) shared += Math.min(count, right.get(pair) ?? 0);
  const total = (counts: ReadonlyMap<string, number>) => counts.values().reduce((sum, count) => sum + count, 0);
  return (2 * shared) / (total(left) + total(right));
}
