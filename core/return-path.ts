import { ServiceError } from './errors.ts';

/** Longest target of a way back, in characters. */
const pathMax = 2_048;
/** How often a path is decoded: some servers and applications do it once more than they should. */
const decodings = 3;

/**
 * Where a browser goes after a sign-in: a path of the host that it is on. Refused is whatever some parser could take for
 * another host: `//evil`, `/\evil`, what has control characters (browsers drop some of them), and all of these escaped
 * or hidden behind dots.
 *
 * @returns the path as browsers write it
 * @throws SVC_AUTH_RETURN_TO_INVALID
 */
export function returnPath(given: unknown, otherwise: string): string {
  if (given === undefined || given === null || given === '') return otherwise;
  if (typeof given !== 'string' || given.length > pathMax || !given.isWellFormed()) throw invalid();
  const url = requireLocal(given);
  // As it came, and as it is passed on: once its dots are resolved, it may decode to another path.
  for (let path of [given.replace(/[?#].*$/s, ''), url.pathname])
    for (let time = 0; time < decodings; time += 1) {
      path = decoded(path);
      requireLocal(path);
    }
  return `${url.pathname}${url.search}${url.hash}`;
}

const base = 'http://host.invalid';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const isLocalPath = (text: string) => /^\/(?!\/)/.test(text) && !/[\\\u0000-\u001f\u007f-\u009f]/.test(text);

function requireLocal(text: string): URL {
  if (!isLocalPath(text)) throw invalid();
  const url = new URL(text, base);
  // `/..//evil` is `//evil` once its dots are resolved.
  if (url.origin !== base || url.pathname.startsWith('//')) throw invalid();
  return url;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid();
  }
}

const invalid = () => new ServiceError('SVC_AUTH_RETURN_TO_INVALID', { details: { field: 'returnTo' } });
