/** Members that hold JSON of their own, or words that are written alike everywhere. */
const verbatim: ReadonlySet<string> = new Set(['payload', 'details', 'nextActions', 'code', 'asset']);

/**
 * What GraphQL answers, in the spelling of REST: names in snake case, members of enums in lower case. What is absent
 * there is null here.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
export function asWire(value: unknown): any {
  if (typeof value === 'string') return /^[A-Z][A-Z0-9_]*$/.test(value) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(asWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [snakeCase(name), verbatim.has(name) ? member : asWire(member)]),
  );
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Without the members that are null: REST leaves them out where they say nothing. */
export const withoutNulls = (value: Record<string, unknown>, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name, member]) => member !== null || !names.includes(name)));

const varying =
  /\b(?:[a-z]{2,6}_[0-9A-Za-z_-]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z)/g;

/** With every id and every moment alike, so that two that were made one after the other can be compared. */
export const masked = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replace(varying, '…'));
