import { byCodePoint, canonicalJson } from './canonical-json.ts';
import { dataDigest } from './digests.ts';
import type { AssetPut, SpecAssets } from './spec/release-spec.ts';

/** An asset as the project has it. */
export interface HeldAsset {
  readonly sha256: string;
  readonly size: number;
  readonly contentType: string;
  readonly visibility: 'public' | 'private';
  readonly immutable: boolean;
  readonly metadata: unknown;
  readonly exifPolicy: 'keep' | 'strip';
}

export interface AssetEntry {
  readonly put: AssetPut;
  /** `present`: it is there just so; `satisfied_by_plan`: its bytes are; `upload_pending`: they are not. */
  readonly status: 'present' | 'satisfied_by_plan' | 'upload_pending';
}

/** What a prune would delete. Contract 03, section 2.11.9. */
export interface AssetSync {
  readonly prefix: string;
  readonly baseRevision: string;
  readonly deleteSetDigest: string;
  readonly deletes: readonly string[];
}

export interface AssetsPlan {
  readonly entries: readonly AssetEntry[];
  readonly deletes: readonly string[];
  readonly sync: AssetSync | undefined;
  readonly isNoop: boolean;
}

export const noAssets: AssetsPlan = { entries: [], deletes: [], sync: undefined, isNoop: true };

/** Digest of the keys below a prefix, and of what they hold. */
export const inventoryRevision = (assets: Iterable<readonly [string, Pick<HeldAsset, 'sha256'>]>): string =>
  dataDigest([...assets].map(([key, { sha256 }]) => [key, sha256] as const).sort(([a], [b]) => byCodePoint(a, b)));

/** Digest of a set of keys. */
export const keysDigest = (keys: readonly string[]): string => dataDigest([...keys].sort(byCodePoint));

const isSame = (put: AssetPut, held: HeldAsset | undefined): boolean =>
  held !== undefined &&
  held.sha256 === put.sha256 &&
  held.contentType === put.contentType &&
  held.visibility === put.visibility &&
  held.immutable === put.immutable &&
  held.exifPolicy === put.exifPolicy &&
  canonicalJson(held.metadata) === canonicalJson(put.metadata);

/**
 * @param held assets that are named, and all below the prefix of a prune
 * @param content sizes of the objects that the project holds, by SHA-256
 */
export function planAssets(
  given: SpecAssets | undefined,
  held: ReadonlyMap<string, HeldAsset>,
  content: ReadonlyMap<string, number>,
): AssetsPlan {
  if (given === undefined) return noAssets;
  const entries = given.put.map((put): AssetEntry => {
    const isHeld = content.get(put.sha256) === put.size;
    const status = isSame(put, held.get(put.key)) ? 'present' : isHeld ? 'satisfied_by_plan' : 'upload_pending';
    return { put, status };
  });
  const sync = given.sync === undefined ? undefined : syncOf(given.sync.prefix, given.put, held);
  const deletes = given.delete.filter((key) => held.has(key));
  return {
    entries,
    deletes: given.delete,
    sync,
    isNoop:
      entries.every(({ status }) => status === 'present') && deletes.length === 0 && (sync?.deletes.length ?? 0) === 0,
  };
}

function syncOf(prefix: string, put: readonly AssetPut[], held: ReadonlyMap<string, HeldAsset>): AssetSync {
  const below = [...held].filter(([key]) => key.startsWith(prefix));
  const kept = new Set(put.map(({ key }) => key));
  const deletes = below.map(([key]) => key).filter((key) => !kept.has(key));
  return {
    prefix,
    baseRevision: inventoryRevision(below),
    deleteSetDigest: keysDigest(deletes),
    deletes: deletes.sort(byCodePoint),
  };
}
