/** Longest path of a request, in characters as they are sent. */
export const pathCharactersMax = 4_096;

/** What is wrong with the path of a request. */
export type PathFault =
  | 'not_absolute'
  | 'too_long'
  | 'not_ascii'
  | 'backslash'
  | 'empty_segment'
  | 'broken_escape'
  | 'encoded_slash'
  | 'double_encoding'
  | 'control_character'
  | 'dot_segment'
  | 'reserved';

export type CanonicalPath = { readonly path: string } | { readonly fault: PathFault };

/** Paths that are in canonical form as they are sent: no escapes, no empty segment and none that begins with a dot. */
const plain = /^(?:\/[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9._~!$&'()*+,;=:@-]*)*\/?$/;

/** Segments that hold files of the platform, not of a site. */
const storeFolder = '_cas';

/**
 * The one spelling of a path that tables of files and routes know: escapes are resolved, and Unicode is in its normal form
 * (NFC). Two spellings that a proxy and this server could read differently are an error, rather than one of both readings.
 * Contract 03, section 2.11.8.
 *
 * @param sent the path as it stands in the request, without what follows a question mark
 */
export function canonicalPath(sent: string): CanonicalPath {
  if (sent.length > pathCharactersMax) return { fault: 'too_long' };
  if (!sent.startsWith('/')) return { fault: 'not_absolute' };
  const decoded = plain.test(sent) ? sent : decode(sent);
  if (typeof decoded !== 'string') return decoded;
  const first = decoded.slice(1, 1 + storeFolder.length + 1);
  if (first === storeFolder || first === `${storeFolder}/`) return { fault: 'reserved' };
  return { path: decoded };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const control = /[\u0000-\u001f\u007f-\u009f]/;
const isDots = (segment: string) => segment === '.' || segment === '..';

function decode(sent: string): string | { readonly fault: PathFault } {
  if (control.test(sent)) return { fault: 'control_character' };
  if (/[^\x20-\x7e]/.test(sent)) return { fault: 'not_ascii' };
  if (/%(?:2f)/i.test(sent)) return { fault: 'encoded_slash' };
  let decoded: string;
  try {
    // Strict UTF-8: neither longer forms than needed nor halves of surrogate pairs.
    decoded = decodeURIComponent(sent).normalize('NFC');
  } catch {
    return { fault: 'broken_escape' };
  }
  if (/%[0-9a-f]{2}/i.test(decoded)) return { fault: 'double_encoding' };
  if (control.test(decoded)) return { fault: 'control_character' };
  if (decoded.includes('\\')) return { fault: 'backslash' };
  if (decoded.includes('//')) return { fault: 'empty_segment' };
  if (decoded.split('/').some(isDots)) return { fault: 'dot_segment' };
  return decoded;
}

/** Whether a path is the platform's own on every host, so that no release answers it. */
export const isPlatformPath = (path: string): boolean => /^\/_(?:svc|blob)(?:\/|$)/.test(path);

/** A path as a browser would send it: what has to be escaped is, and what is escaped stays so. */
export const asSent = (given: string): string =>
  given.replace(/[^\x21-\x7e]+/g, (some) => encodeURIComponent(some.toWellFormed()));
