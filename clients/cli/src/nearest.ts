/** The known spelling nearest to what was typed, if it is near enough to have been meant. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const scored = known.map((name) => ({ name, away: distance(typed, name) })).sort((a, b) => a.away - b.away);
  const [best] = scored;
  return best !== undefined && best.away <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

/** How many letters have to be put in, left out or changed. */
function distance(from: string, to: string): number {
  let before = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1)
      row.push(Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)));
    before = row;
  }
  return before[to.length]!;
}
