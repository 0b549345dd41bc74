import type { AssetFacts, ImageFacts } from '../../../core/asset-facts.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Rows } from '../../../db/statement.ts';
import { immutablePath, variantPath } from '../../../engines/assets/asset-key.ts';
import { isDecodedType } from '../../../engines/images/image-limits.ts';
import { inventoryRevision, keysDigest } from '../../../engines/release/assets-plan.ts';
import { canonicalJson } from '../../../engines/release/canonical-json.ts';
import type { SpecAssets } from '../../../engines/release/spec/release-spec.ts';
import { giveUpContent, nameContent } from '../../content/shared/named-content.ts';
import type { ContentOwner } from '../../content/shared/use-content.ts';
import { assetFacts } from './asset-facts.ts';
import { type AssetPath, deleteAssets, hideVersions, keepPaths, retireVersions, writeAssets } from './asset-rows.ts';

/** What an asset of a slice is to be. */
type Put = Omit<AssetFacts, 'image'>;

/** What became of a slice. */
export interface PublishedAssets {
  /** Keys that had no asset before. */
  readonly added: readonly string[];
  /** Keys that have other bytes now, or are served otherwise. */
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
}

/** Facts of images that were looked at before, by their SHA-256. */
export type ImagesBySha256 = ReadonlyMap<string, ImageFacts>;

/**
 * Applies a slice of assets, all of it or nothing, inside a transaction of the caller, who has locked the row of the project.
 * It is visible with that transaction. What a key has already is left as it is.
 *
 * @throws PRUNE_CONFIRMATION_REQUIRED, ASSET_SYNC_DRIFT, CONTENT_MISSING
 */
export async function publishAssets(
  rows: Rows,
  owner: ContentOwner,
  slice: SpecAssets,
  images: ImagesBySha256 = new Map(),
): Promise<PublishedAssets> {
  const puts = new Map(slice.put.map((put) => [put.key, { ...put, metadata: put.metadata as Put['metadata'] }]));
  const known = await assetFacts(rows, owner, {
    keys: [...puts.keys(), ...slice.delete],
    prefix: slice.sync?.prefix,
  });
  const pruned = prunedKeys(slice, known);
  const gone = [...new Set([...slice.delete, ...pruned])].filter((key) => known.has(key));
  const wanted = [...puts.values()].map((put): AssetFacts => {
    const { key, sha256, size, contentType, visibility, immutable, metadata, exifPolicy } = put;
    const before = known.get(key);
    const image = imageOf(put, images.get(sha256) ?? (before?.sha256 === sha256 ? before.image : null));
    return { key, sha256, size, contentType, visibility, immutable, metadata, exifPolicy, image };
  });
  const changed = wanted.filter((asset) => !isSame(asset, known.get(asset.key)));
  await put(rows, owner, changed, known);
  const left = [
    ...(await retireVersions(rows, owner, { keys: gone, of: 'all' })),
    ...(await deleteAssets(rows, owner, gone)),
    ...changed.flatMap(({ key, sha256 }) => {
      const before = known.get(key);
      return before === undefined || before.sha256 === sha256 ? [] : [before.sha256];
    }),
    ...(await retireVersions(rows, owner, { keys: changed.map(({ key }) => key), of: 'lost' })),
  ];
  await giveUpContent(rows, owner, [...new Set(left)]);
  return {
    added: changed.filter(({ key }) => !known.has(key)).map(({ key }) => key),
    changed: changed.filter(({ key }) => known.has(key)).map(({ key }) => key),
    deleted: gone,
  };
}

/** An image under what its asset says: none where it is served as something else, and no notes that are not to be kept. */
function imageOf({ contentType, exifPolicy }: Put, image: ImageFacts | null): ImageFacts | null {
  if (image === null || !isDecodedType(contentType)) return null;
  return exifPolicy === 'strip' ? { ...image, exif: null } : image;
}

/** Keys that a prune takes. @throws PRUNE_CONFIRMATION_REQUIRED, ASSET_SYNC_DRIFT */
function prunedKeys({ sync, put: given }: SpecAssets, known: ReadonlyMap<string, AssetFacts>): readonly string[] {
  if (sync === undefined) return [];
  const { prefix, confirm } = sync;
  if (confirm === undefined) throw new ServiceError('PRUNE_CONFIRMATION_REQUIRED', { details: { prefix } });
  const below = [...known].filter(([key]) => key.startsWith(prefix));
  const kept = new Set(given.map(({ key }) => key));
  const deletes = below.map(([key]) => key).filter((key) => !kept.has(key));
  const actual = {
    base_revision: inventoryRevision(below),
    delete_set_digest: keysDigest(deletes),
    expected_delete_count: deletes.length,
  };
  if (
    actual.base_revision !== confirm.baseRevision ||
    actual.delete_set_digest !== confirm.deleteSetDigest ||
    actual.expected_delete_count !== confirm.expectedDeleteCount
  )
    throw new ServiceError('ASSET_SYNC_DRIFT', { details: { prefix, ...actual } });
  return deletes;
}

const isSame = (asset: AssetFacts, before: AssetFacts | undefined): boolean =>
  before !== undefined && canonicalJson(asset) === canonicalJson(before);

async function put(
  rows: Rows,
  owner: ContentOwner,
  changed: readonly AssetFacts[],
  known: ReadonlyMap<string, AssetFacts>,
): Promise<void> {
  if (changed.length === 0) return;
  const paths = changed.flatMap(pathsOf);
  await nameContent(rows, owner, [...changed, ...paths]);
  await writeAssets(rows, owner, changed);
  await keepPaths(rows, owner, paths);
  // A key that is made private takes all that was ever served of it along.
  const hidden = changed.filter(({ key, visibility }) => visibility === 'private' && known.has(key));
  await hideVersions(
    rows,
    owner,
    hidden.map(({ key }) => key),
  );
}

/** Paths that always have the same bytes: of the version, where it has one, and of the images that were made of it. */
function pathsOf({ key, sha256, size, contentType, visibility, immutable, image }: AssetFacts): AssetPath[] {
  const shared = { key, versionSha256: sha256, visibility };
  const variants = (image?.variants ?? []).map((one) => ({
    ...shared,
    path: variantPath(key, sha256, one.name),
    sha256: one.sha256,
    size: one.size,
    contentType: `image/${one.format}`,
  }));
  return immutable
    ? [{ ...shared, path: immutablePath(key, sha256), sha256, size, contentType }, ...variants]
    : variants;
}
