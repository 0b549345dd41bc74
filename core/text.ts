/** Why a text cannot be stored, or undefined when it can: PostgreSQL keeps neither NUL nor half a surrogate pair. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character';
  if (!text.isWellFormed()) return 'contains a lone surrogate';
  return undefined;
}

/** A text as it can be stored, with what cannot be in the place of something that can. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Deepest nesting of what is given as JSON: far below what would take a whole stack to walk through. */
const nestingMax = 100;

/** Whether lists and objects are inside one another too deep to be walked through or written. */
export const isNestedTooDeep = (value: unknown, left = nestingMax): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((item) => isNestedTooDeep(item, left - 1)));

/** The first string in a JSON-like value that cannot be stored, named by its path (`body`, `to[1]`). */
export function findTextFault(
  value: unknown,
  path = '',
  left = nestingMax,
): { readonly field: string; readonly reason: string } | undefined {
  if (typeof value === 'string') {
    const reason = textFault(value);
    return reason === undefined ? undefined : { field: path, reason };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  // Named by the input alone: the path would be as long.
  if (left === 0) return { field: /^\w*/.exec(path)![0], reason: 'is nested too deep' };
  for (const [key, item] of Object.entries(value)) {
    const inner = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const fault =
      textFault(key) !== undefined
        ? { field: path, reason: 'has a name with a bad character' }
        : findTextFault(item, inner, left - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
