import { asSent, canonicalPath, isPlatformPath } from '../../hosting/request-path.ts';
import { invalid } from '../errors.ts';
import { type Read, text } from './fields.ts';

/** Longest path of a file, and longest key of an asset, in bytes. */
export const pathBytesMax = 1_024;

/** Folders that the platform serves itself, as paths without a first slash. */
const reserved = /^(?:_cas|_svc|_staging)(?:\/|$)/;

/** An empty segment, `.` or `..`. */
const leadsElsewhere = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * A relative path in normal form (NFC), without segments that lead elsewhere.
 *
 * @throws SpecError
 */
export const relativePath: Read<string> = (value, at) => {
  const path = text(pathBytesMax)(value, at).normalize('NFC');
  if (path.startsWith('/') || path.endsWith('/')) throw invalid(at, 'must neither begin nor end with a slash');
  if (path.includes('\\')) throw invalid(at, 'has a backslash');
  if (leadsElsewhere.test(path)) throw invalid(at, 'has an empty segment, `.` or `..`');
  return path;
};

/** A path of a site. */
export const sitePath: Read<string> = (value, at) => {
  const path = relativePath(value, at);
  if (reserved.test(path)) throw invalid(at, 'lies in a folder of the platform');
  return path;
};

const assetCharacters = /^[A-Za-z0-9._/-]+$/;

/** A key of an asset. */
export const assetKey: Read<string> = (value, at) => {
  const key = sitePath(value, at);
  if (!assetCharacters.test(key)) throw invalid(at, 'may have letters, digits, `.`, `_`, `-` and `/` alone');
  return key;
};

/** A path as requests are compared with it: percent-decoded, in normal form (NFC). One that was read has such a form. */
export function comparedPath(path: string): string {
  const canonical = canonicalPath(asSent(path));
  return 'path' in canonical ? canonical.path : path;
}

/**
 * The path of a URL, escaped or not.
 *
 * @throws SpecError for a path under which nothing can be asked for
 */
export const urlPath =
  (bytesMax: number): Read<string> =>
  (value, at) => {
    const given = text(bytesMax)(value, at);
    if (!given.startsWith('/')) throw invalid(at, 'must begin with a slash');
    if (/[?#]/.test(given)) throw invalid(at, 'must be a path, without ? and #');
    const canonical = canonicalPath(asSent(given));
    if ('fault' in canonical) throw invalid(at, `is no path of a request: ${canonical.fault.replaceAll('_', ' ')}`);
    const { path } = canonical;
    if (isPlatformPath(path) || reserved.test(path.slice(1))) throw invalid(at, 'lies in a folder of the platform');
    return given.normalize('NFC');
  };

/** A key of a table of public paths, in the form that requests are compared with. */
export const publicPath: Read<string> = (value, at) => comparedPath(urlPath(pathBytesMax * 3)(value, at));
