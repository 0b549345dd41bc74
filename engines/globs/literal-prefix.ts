/**
 * What every path that a glob matches begins with: all before the first character that could mean something else than
 * itself. A glob without one names a file or a directory, so its last segment ends there.
 */
export function literalPrefix(glob: string): string {
  // As the automaton reads it: `./src` is `src`, slashes that stand together are one, and `.` is everything.
  const text = glob.replace(/^(\.?\/)+/, '');
  if (text === '' || text === '.') return '';
  const end = text.search(/[*?[{\\]/);
  return (end === -1 ? `${text}/` : text.slice(0, end)).replace(/\/+/g, '/');
}

/** Whether one of two prefixes goes on where the other ends: where they differ before, no path begins with both. */
export const mayMeet = (left: string, right: string): boolean => left.startsWith(right) || right.startsWith(left);
