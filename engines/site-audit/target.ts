import { isIP } from 'node:net';
import { ServiceError } from '../../core/errors.ts';

/** Names that lead to no site of the public internet, and everything below them. */
const restrictedNames = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'home.arpa',
  'onion',
  'test',
  'example',
  'invalid',
  'alt',
  'arpa',
];

/** Longest target, in UTF-16 units. */
export const targetLengthMax = 2048;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const unfit = /[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\\]/u;

/** A scheme, also with more or fewer slashes; a host with a port is none. */
const schemed = /^([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))/i;

/**
 * The address that an input names, in its one normal form; the parsed host is judged, never the text. Contract 00,
 * section 3.2.
 *
 * @param trusted names of a trial, which the list of names is not asked about
 * @throws ServiceError INVALID_URL, SCHEME_NOT_ALLOWED, IP_LITERAL, RESTRICTED_HOST
 */
export function parseTarget(input: string, trusted: (host: string) => boolean = () => false): URL {
  const text = input.trim();
  if (text === '' || text.length > targetLengthMax || unfit.test(text)) throw new ServiceError('INVALID_URL');
  const scheme = schemed.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'https') throw new ServiceError('SCHEME_NOT_ALLOWED');
  if (scheme !== undefined && !/^https:\/\//i.test(text)) throw new ServiceError('INVALID_URL');
  const absolute = scheme === undefined ? `https://${text}` : text;
  const url = URL.parse(absolute);
  if (url === null) throw new ServiceError('INVALID_URL');
  return judgeTarget(url, trusted);
}

/** The same for an address that is parsed already, as of a redirect. */
export function judgeTarget(parsed: URL, trusted: (host: string) => boolean = () => false): URL {
  const url = new URL(parsed);
  if (url.protocol !== 'https:') throw new ServiceError('SCHEME_NOT_ALLOWED');
  if (url.username !== '' || url.password !== '' || url.port !== '') throw new ServiceError('INVALID_URL');
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  url.hash = '';
  const host = url.hostname;
  if (host === '' || host.endsWith('.')) throw new ServiceError('INVALID_URL');
  if (host.startsWith('[') || isIP(host) !== 0) throw new ServiceError('IP_LITERAL');
  if (trusted(host)) return url;
  const labels = host.split('.');
  if (labels.some((label) => label === '' || label.length > 63) || host.length > 253)
    throw new ServiceError('INVALID_URL');
  if (labels.length < 2 || restrictedNames.some((name) => host === name || host.endsWith(`.${name}`)))
    throw new ServiceError('RESTRICTED_HOST');
  // Labels as the DNS has them: what a resolver might take for something else is not asked of it.
  if (!labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label)))
    throw new ServiceError('INVALID_URL');
  return url;
}
