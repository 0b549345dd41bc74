import { invalid, SpecError } from '../errors.ts';
import { contentType, sha256, size, typeOfName } from './content.ts';
import {
  boolean,
  distinct,
  integer,
  isObject,
  type Json,
  list,
  object,
  oneOf,
  optional,
  type Read,
  text,
} from './fields.ts';
import { assetKey } from './paths.ts';
import type { AssetPut, SpecAssets } from './release-spec.ts';

/** Assets that one specification may name. */
const assetsMax = 100_000;
/** Largest metadata of an asset, in bytes of JSON. */
const metadataBytesMax = 4_096;

const isLeaf = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string'));

/** Flat data: text, numbers, true and false, and lists of text. @throws SpecError INVALID_ASSET_METADATA */
export const metadata: Read<Json | null> = (value, at) => {
  if (value === null) return null;
  const refuse = (problem: string) => new SpecError('INVALID_ASSET_METADATA', `${at} ${problem}.`, { resource: at });
  if (!isObject(value)) throw refuse('must be an object');
  if (!Object.values(value).every(isLeaf)) throw refuse('may have text, numbers, booleans and lists of text alone');
  const json = JSON.stringify(value);
  if (json.includes('\\u0000') || /\\ud[89a-f]/.test(json)) throw refuse('has characters that it cannot have');
  if (Buffer.byteLength(json) > metadataBytesMax) throw refuse(`takes more than ${metadataBytesMax} bytes`);
  return value;
};

/** @throws SpecError INVALID_EXIF_POLICY */
export const exifPolicy: Read<'keep' | 'strip'> = (value, at) => {
  if (value === 'keep' || value === 'strip') return value;
  throw new SpecError('INVALID_EXIF_POLICY', `${at} must be keep or strip.`, { resource: at });
};

const members = ['key', 'sha256', 'size_bytes', 'content_type', 'visibility', 'immutable', 'metadata', 'exif_policy'];

const put: Read<AssetPut> = (value, at) => {
  if (isObject(value) && Object.hasOwn(value, 'source'))
    throw new SpecError('INVALID_WIRE_SCHEMA', `${at} must name uploaded content by its SHA-256 and size.`, {
      resource: at,
    });
  const given = object(value, at, members);
  const key = assetKey(given.key, `${at}.key`);
  return {
    key,
    sha256: sha256(given.sha256, `${at}.sha256`),
    size: size(given.size_bytes, `${at}.size_bytes`),
    contentType: optional(contentType)(given.content_type, `${at}.content_type`) ?? typeOfName(key),
    visibility: optional(oneOf('public', 'private'))(given.visibility, `${at}.visibility`) ?? 'public',
    immutable: optional(boolean)(given.immutable, `${at}.immutable`) ?? true,
    metadata: optional(metadata)(given.metadata, `${at}.metadata`) ?? null,
    exifPolicy: optional(exifPolicy)(given.exif_policy, `${at}.exif_policy`) ?? 'keep',
  };
};

const sync: Read<NonNullable<SpecAssets['sync']>> = (value, at) => {
  const given = object(value, at, ['prefix', 'prune', 'confirm']);
  if (given.prune !== true) throw invalid(`${at}.prune`, 'must be true');
  const prefix = text()(given.prefix, `${at}.prefix`);
  assetKey(prefix.replace(/\/$/, ''), `${at}.prefix`);
  if (given.confirm === undefined) return { prefix, confirm: undefined };
  const names = ['base_revision', 'delete_set_digest', 'expected_delete_count'];
  const confirm = object(given.confirm, `${at}.confirm`, names);
  return {
    prefix,
    confirm: {
      baseRevision: text(128)(confirm.base_revision, `${at}.confirm.base_revision`),
      deleteSetDigest: text(128)(confirm.delete_set_digest, `${at}.confirm.delete_set_digest`),
      expectedDeleteCount: integer(0, assetsMax)(confirm.expected_delete_count, `${at}.confirm.expected_delete_count`),
    },
  };
};

/** Contract 03, section 2.11.9. */
export const assets: Read<SpecAssets> = (value, at) => {
  const given = object(value, at, ['put', 'delete', 'sync']);
  const puts = optional(list(put, { max: assetsMax }))(given.put, `${at}.put`) ?? [];
  const keys = new Set<string>();
  for (const [place, { key }] of puts.entries()) {
    if (keys.has(key))
      throw new SpecError('ASSET_DUPLICATE_KEY_IN_PUT', `${at}.put names ${key} twice.`, {
        resource: `${at}.put.${place}.key`,
        details: { key },
      });
    keys.add(key);
  }
  const gone = optional(distinct(list(assetKey, { max: assetsMax })))(given.delete, `${at}.delete`) ?? [];
  const both = gone.find((key) => keys.has(key));
  if (both !== undefined)
    throw new SpecError('ASSET_KEY_IN_PUT_AND_DELETE', `${at} puts ${both} and deletes it.`, {
      resource: `${at}.delete`,
      details: { key: both },
    });
  return { put: puts, delete: gone, sync: optional(sync)(given.sync, `${at}.sync`) };
};
