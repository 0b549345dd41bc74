import type { CacheClass } from '../release/model.ts';
import { type Coding, codings } from './encoding.ts';

const forEver = 'public, max-age=31536000, immutable';
const askAgain = 'public, max-age=0, must-revalidate';

/** How long a file may be kept. What is not known to change its name with its bytes is asked for again. */
export const cacheControlOf = (cacheClass: CacheClass): string =>
  cacheClass === 'immutable_versioned' ? forEver : askAgain;

/** Whether browsers show a type as a document, which another page could embed. */
export const isDocument = (contentType: string): boolean =>
  /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml)\s*(?:;|$)/i.test(contentType);

/**
 * Who may embed the pages of a release: nobody, unless it names origins; then the site itself, too. Contract 03,
 * section 2.11.7.
 */
export const framePolicyOf = (origins: readonly string[]): string =>
  origins.length === 0 ? "frame-ancestors 'none'" : `frame-ancestors ${["'self'", ...origins].join(' ')}`;

/** The entity tag of a file. @param coding of the bytes that are sent: each has bytes of its own */
export const entityTagOf = (sha256: string, coding?: Coding): string =>
  coding === undefined ? `"sha256-${sha256}"` : `"sha256-${sha256}-${coding}"`;

/** The tags of a file in every coding. */
export const entityTagsOf = (sha256: string): ReadonlySet<string> =>
  new Set([entityTagOf(sha256), ...codings.map((coding) => entityTagOf(sha256, coding))]);

/** A digest of the bytes that are sent, for `Content-Digest`. RFC 9530. */
export const contentDigestOf = (sha256: Uint8Array): string => `sha-256=:${Buffer.from(sha256).toString('base64')}:`;
