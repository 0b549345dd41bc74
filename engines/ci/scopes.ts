/** Whether a text is the one that is named, or begins as it says before its final `*`: subjects of bindings, keys of assets. */
export const matchesSubject = (named: string, text: string): boolean =>
  named.endsWith('*') ? text.startsWith(named.slice(0, -1)) : text === named;

/** A path as scopes are compared by: a slash at its end says nothing. */
const plain = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

/** Why a list of scopes for routes cannot be one; undefined where it can. Contract 03, section 9.1. */
export function routeScopesFault(scopes: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const scope of scopes) {
    if (!scope.startsWith('/')) return 'each must begin with /';
    if (Buffer.byteLength(scope) > 256) return 'each has at most 256 bytes';
    if (scope.includes('?')) return 'none may have a query';
    if (scope === '/*' || scope === '*') return 'none may be everything';
    const star = scope.indexOf('*');
    if (star !== -1 && !(star === scope.length - 1 && scope.endsWith('/*'))) return '* stands only in a final /*';
    if (!isEncoded(scope)) return 'percent signs must be followed by two hexadecimal digits of UTF-8';
    if (seen.has(plain(scope))) return 'one is there twice';
    seen.add(plain(scope));
  }
  return undefined;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a pattern of a route lies within scopes: a `/x/*` covers itself and whatever is deeper. */
export const coversRoute = (scopes: readonly string[], pattern: string): boolean =>
  scopes.some((scope) =>
    scope.endsWith('/*')
      ? pattern === scope || pattern.startsWith(scope.slice(0, -1))
      : plain(scope) === plain(pattern),
  );

/** Whether the key of an asset lies within scopes: keys, and prefixes such as `astro/*`. */
export const coversKey = (scopes: readonly string[], key: string): boolean =>
  scopes.some((scope) => matchesSubject(scope, key));
