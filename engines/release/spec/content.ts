import { lookup } from 'mime-types';
import { invalid, SpecError } from '../errors.ts';
import type { ContentRef, SiteFile } from '../model.ts';
import { either, integer, matching, object, optional, type Read, text } from './fields.ts';

/** Largest object, in bytes: 5 TiB. */
const objectBytesMax = 5 * 1024 ** 4;

export const sha256: Read<string> = matching(/^[0-9a-f]{64}$/, 'must be a SHA-256: 64 lower-case hexadecimal digits');

export const size = integer(0, objectBytesMax);

const mediaType = /^[A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127}(?: *;[\x20-\x7e]{0,200})?$/;

/** A media type, for example `text/html; charset=utf-8`. */
export const contentType: Read<string> = matching(mediaType, 'must be a media type');

/** What is served as text is UTF-8. */
const withCharset = (type: string): string => (type.startsWith('text/') ? `${type}; charset=utf-8` : type);

/** The media type that a name's extension stands for. */
export const typeOfName = (name: string): string => {
  const type = lookup(name);
  return type === false ? 'application/octet-stream' : withCharset(type);
};

const members = ['sha256', 'size', 'content_type', 'contentType', 'integrity'] as const;
/** What the authoring form says of bytes, and no client may send. */
const authored = ['data', 'path', 'source', 'encoding'];

function ref(value: unknown, at: string): { readonly ref: ContentRef; readonly type: string | undefined } {
  const isAuthored = typeof value === 'string' || authored.some((name) => Object.hasOwn(Object(value), name));
  if (isAuthored)
    throw new SpecError('INVALID_WIRE_SCHEMA', `${at} must name uploaded content by its SHA-256 and size.`, {
      resource: at,
    });
  const given = object(value, at, members);
  const type = optional(contentType)(either(given, at, 'content_type', 'contentType'), `${at}.content_type`);
  const found = { sha256: sha256(given.sha256, `${at}.sha256`), size: size(given.size, `${at}.size`) };
  const integrity = optional(text(128))(given.integrity, `${at}.integrity`);
  if (integrity !== undefined && integrity !== `sha256-${Buffer.from(found.sha256, 'hex').toString('base64')}`)
    throw invalid(`${at}.integrity`, 'is not that of the SHA-256');
  return { ref: found, type };
}

/** Uploaded bytes. */
export const content: Read<ContentRef> = (value, at) => ref(value, at).ref;

/** Uploaded bytes as a file of a site. @param path tells the type where none is given */
export function siteFile(value: unknown, at: string, path: string): SiteFile {
  const found = ref(value, at);
  return { ...found.ref, contentType: found.type ?? typeOfName(path), inferred: found.type === undefined };
}
