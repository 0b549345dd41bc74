/** Longest address that is read as one, in UTF-16 units: host names cost more than their length, and no real one is longer. */
const lengthMax = 2_048;

/**
 * A text of a site as an address; undefined when it is none.
 *
 * @param base what it is relative to, no longer than an address
 */
export function addressOf(text: string, base?: string): URL | undefined {
  return text.length <= lengthMax ? (URL.parse(text, base) ?? undefined) : undefined;
}
