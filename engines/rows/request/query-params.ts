/** One parameter of a query string, decoded. */
export type QueryParam = readonly [name: string, value: string];

/**
 * The parameters of a query string in their order, and as often as they were given; one without a `=` is none. A
 * percent sign that escapes nothing stands for itself.
 */
export function readParams(search: string): QueryParam[] {
  const params: QueryParam[] = [];
  for (const piece of search.split('&')) {
    const at = piece.indexOf('=');
    if (at >= 0) params.push([decode(piece.slice(0, at)), decode(piece.slice(at + 1))]);
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Lenient where the strict reader gives up.
    return new URLSearchParams(`a=${text}`).get('a') ?? '';
  }
}
