/** PostgreSQL cuts names, and texts of type `name`, after so many bytes of UTF-8. */
export const nameBytes = 63;
const utf8 = new TextEncoder();
export const bytesOf = (text: string): number => utf8.encode(text).length;

/** Why a table or a column cannot be named so: PostgreSQL would cut the name without a word. */
export function nameFault(name: string): string | undefined {
  const bytes = bytesOf(name);
  return bytes > nameBytes ? `A name has at most ${nameBytes} bytes. This one has ${bytes}.` : undefined;
}

/** Quotes a name for SQL, whatever characters it has. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a text for SQL. */
export const sqlText = (text: string): string =>
  text.includes('\\') ? `E'${text.replace(/['\\]/g, '$&$&')}'` : `'${text.replaceAll("'", "''")}'`;

/** Quotes a name for the query dialect of rows. */
export const quoted = (name: string): string => `"${name.replace(/["\\]/g, '\\$&')}"`;

/** Names in a list of PostgreSQL: `id, "Odd, name"`. */
export const namesIn = (list: string): readonly string[] =>
  [...list.matchAll(/"((?:[^"]|"")*)"|[^",\s.]+/g)].map(([whole, inside]) => inside?.replaceAll('""', '"') ?? whole);

/** What stands in the outer parentheses of a definition; those in quoted names are none. */
export function parenthesized(definition: string): readonly string[] {
  const found: string[] = [];
  let [depth, from, isQuoted] = [0, 0, false];
  for (const [at, character] of [...definition].entries()) {
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '(' && depth++ === 0) from = at + 1;
    if (character === ')' && --depth === 0) found.push([...definition].slice(from, at).join(''));
  }
  return found;
}
