/** Characters that the URL parser drops or rewrites, and that other readers do not: no honest URL holds one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const rewritten = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/;

/**
 * Reads a text as a URL; undefined for one that programs read in different ways. Whoever follows links of sites reads them
 * as browsers do, by `URL.parse`.
 */
export function readUrl(text: string): URL | undefined {
  return rewritten.test(text) ? undefined : (URL.parse(text) ?? undefined);
}
