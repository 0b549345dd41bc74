// What addresses and headers of rows say, for everything that asks for rows: the SDK, `svc` and the console.

/** Parameters that the dialect has a meaning for. */
const parameters = new Set(['select', 'columns', 'on_conflict', 'order', 'limit', 'offset', 'or', 'and']);

/** Writes the name of a column for an address: in quotes where the dialect would take it for a parameter of its own. */
export function columnName(name: string, value: string): string {
  const isGroup = (name === 'or' || name === 'and') && value.trimStart().startsWith('(');
  return parameters.has(name) && !isGroup ? `"${name}"` : name;
}

const condition =
  /^(?:not\.)?(?:eq|neq|[gl]te?|i?like|i?match|in|is|isdistinct|c[sd]|ov|s[lr]|nx[rl]|adj|(?:pl|ph|w)?fts)(?:\([^)]*\))?\./;
const orderEnd = /\.(?:asc|desc|nullsfirst|nullslast)$/;

/** As {@link columnName} for a parameter as it stands in an address: its name is that of a column where its value is a condition. */
export const parameterName = (name: string, value: string): string =>
  condition.test(value) && !(name === 'order' && orderEnd.test(value)) ? columnName(name, value) : name;

/** `Prefer` of a change: what was written is answered. @param maxAffected the most rows that it may change */
export const changePreference = (maxAffected?: number): string =>
  maxAffected === undefined
    ? 'return=representation'
    : `return=representation,handling=strict,max-affected=${maxAffected}`;
