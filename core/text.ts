/** Why a text cannot be stored, or undefined when it can: PostgreSQL keeps neither NUL nor half a surrogate pair. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character';
  if (!text.isWellFormed()) return 'contains a lone surrogate';
  return undefined;
}

/** The first string in a JSON-like value that cannot be stored, named by its path (`body`, `to[1]`). */
export function findTextFault(
  value: unknown,
  path = '',
): { readonly field: string; readonly reason: string } | undefined {
  if (typeof value === 'string') {
    const reason = textFault(value);
    return reason === undefined ? undefined : { field: path, reason };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const inner = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const fault =
      textFault(key) !== undefined
        ? { field: path, reason: 'has a name with a bad character' }
        : findTextFault(item, inner);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
