export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Lines of two texts, those that they share once. The texts are manifests, of a few thousand lines at most. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let [start, end] = [0, 0];
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [was, is] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [...a.slice(0, start).map(same), ...between(was, is), ...a.slice(a.length - end).map(same)];
}

/** Cells of the table that compares them; more lines are shown as removed and added. */
const cellsMax = 4_000_000;

function between(was: readonly string[], is: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (was.length * is.length > cellsMax) return [...was.map(removed), ...is.map(added)];
  const width = is.length + 1;
  const common = new Uint32Array((was.length + 1) * width);
  for (let i = was.length - 1; i >= 0; i -= 1)
    for (let j = is.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        was[i] === is[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < was.length || j < is.length) {
    if (i < was.length && j < is.length && was[i] === is[j]) {
      lines.push({ kind: 'same', text: was[i]! });
      i += 1;
      j += 1;
    } else if (j >= is.length || (i < was.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push(removed(was[i]!));
      i += 1;
    } else {
      lines.push(added(is[j]!));
      j += 1;
    }
  }
  return lines;
}
