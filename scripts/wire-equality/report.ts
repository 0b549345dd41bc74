import type { Difference, Outcome } from './run.ts';

/** Lines of an answer that are shown around the first that differs. */
const linesAround = 2;
const columns = 400;
/** Differences of one group that are shown in full. */
const shownOfGroup = 3;

/** What came of a run, for people: differences by group, each with both answers. */
export function report(
  { count, differences, reached, missed }: Outcome,
  about: { readonly old: string; readonly new: string; readonly seconds: number; readonly acceptedCount: number },
): string {
  const groups = Map.groupBy(differences, ({ group }) => group);
  const lines = [`old: ${about.old}`, `new: ${about.new}`, ''];
  for (const [group, all] of groups) {
    lines.push(`## ${group}: ${all.length} ${all.length === 1 ? 'difference' : 'differences'}`, '');
    for (const one of all.slice(0, shownOfGroup)) lines.push(...difference(one), '');
    for (const { name } of all.slice(shownOfGroup)) lines.push(`  and ${name.slice(0, 200)}`);
    lines.push('');
  }
  lines.push(
    `${count} requests in ${about.seconds} s; ${reached.size} of ${reached.size + missed.size} groups answered with success.`,
    ...(missed.size === 0 ? [] : [`Without success: ${[...missed].toSorted().join(', ')}.`]),
    `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}, and ${about.acceptedCount} accepted.`,
    '',
  );
  return lines.join('\n');
}

function difference({ name, old, new: next }: Difference): string[] {
  const [left, right] = [old.split('\n'), next.split('\n')];
  const at = left.findIndex((line, index) => line !== right[index]);
  const from = Math.max(0, (at === -1 ? Math.min(left.length, right.length) : at) - linesAround);
  const shown = (lines: readonly string[], other: readonly string[]) =>
    lines.slice(from, from + 2 * linesAround + 1).map((line, index) => excerpt(line, other[from + index] ?? ''));
  return [
    `- ${name.slice(0, 300)}`,
    `    ${left[0]} / ${right[0]}`,
    ...shown(left, right).map((line) => `    old ${line}`),
    ...shown(right, left).map((line) => `    new ${line}`),
  ];
}

/** The part of a long line where it begins to differ. */
function excerpt(line: string, other: string): string {
  if (line.length <= columns) return line;
  let at = 0;
  while (at < line.length && line[at] === other[at]) at += 1;
  const from = Math.max(0, at === line.length ? 0 : at - columns / 2);
  return `${from > 0 ? '…' : ''}${line.slice(from, from + columns)}…`;
}
