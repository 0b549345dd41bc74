/** One parameter of a query string, decoded. */
export type QueryParam = readonly [name: string, value: string];

/**
 * The parameters of a query string in their order, and as often as they were given; a part without a `=` is none, see
 * {@link readBare}. A percent sign that escapes nothing is itself.
 */
export function readParams(search: string): QueryParam[] {
  const params: QueryParam[] = [];
  for (const piece of search.split('&')) {
    const at = piece.indexOf('=');
    if (at >= 0) params.push([decodeParam(piece.slice(0, at)), decodeParam(piece.slice(at + 1))]);
  }
  return params;
}

/** The parts of a query string that have no `=`, and so say nothing of any column. */
export const readBare = (search: string): string[] =>
  search.split('&').flatMap((piece) => (piece === '' || piece.includes('=') ? [] : [decodeParam(piece)]));

/** A name or a value as it was before it was escaped. */
export function decodeParam(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Lenient where the strict reader gives up.
    return new URLSearchParams(`a=${text}`).get('a') ?? '';
  }
}
