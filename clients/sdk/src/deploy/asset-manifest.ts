/** An asset of a deploy. Addresses are null where it has none: private ones have no lasting address. */
export interface AssetEntry {
  readonly key: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly content_type: string;
  readonly visibility: 'public' | 'private';
  readonly url: string | null;
  readonly immutable_url: string | null;
  readonly cdn_url: string | null;
  readonly cdn_immutable_url: string | null;
  /** Of a version with an address of its own, for `integrity` of an element. */
  readonly sri: string | null;
  readonly etag: string;
  readonly content_digest: string;
}

/** The assets that a deploy has put. Maps have no prototype: a key may be any name. */
export interface AssetManifest {
  readonly list: readonly AssetEntry[];
  readonly byKey: Readonly<Record<string, AssetEntry>>;
  /** The address to link to by key: that of this version where it has one. */
  readonly manifest: Readonly<Record<string, string | null>>;
  readonly totals: {
    readonly files: number;
    readonly bytes_uploaded: number;
    /** Of those that the project held already. */
    readonly bytes_reused: number;
    readonly duration_ms: number;
  };
}

interface PlannedAsset extends Pick<AssetEntry, 'key' | 'sha256' | 'size_bytes' | 'content_type' | 'visibility'> {
  readonly asset_ref: Readonly<Record<string, unknown>>;
}

/**
 * What a deploy has put, from its plan.
 *
 * @param plan as the gateway has answered it
 * @param uploaded SHA-256 of the content that was sent
 * @param durationMs from the plan to the end
 * @returns undefined when the specification names no assets to put
 */
export function assetManifestOf(
  plan: Readonly<Record<string, unknown>>,
  uploaded: ReadonlySet<string>,
  durationMs: number,
): AssetManifest | undefined {
  const entries = plan.asset_entries as readonly PlannedAsset[] | undefined;
  if (entries === undefined) return undefined;
  const list = entries.map(entryOf);
  const byKey: Record<string, AssetEntry> = Object.create(null);
  const manifest: Record<string, string | null> = Object.create(null);
  for (const entry of list) {
    byKey[entry.key] = entry;
    manifest[entry.key] = entry.immutable_url ?? entry.url;
  }
  // Keys may share their bytes, which are sent and held once.
  const sizes = new Map(list.map(({ sha256, size_bytes }) => [sha256, size_bytes]));
  const bytes = (wasSent: boolean) =>
    [...sizes].reduce((sum, [sha256, size]) => (uploaded.has(sha256) === wasSent ? sum + size : sum), 0);
  return {
    list,
    byKey,
    manifest,
    totals: {
      files: list.length,
      bytes_uploaded: bytes(true),
      bytes_reused: bytes(false),
      duration_ms: Math.round(durationMs),
    },
  };
}

function entryOf({ key, sha256, size_bytes, content_type, visibility, asset_ref: ref }: PlannedAsset): AssetEntry {
  const told = ref as unknown as AssetEntry;
  return {
    key,
    sha256,
    size_bytes,
    content_type,
    visibility,
    url: told.url,
    immutable_url: told.immutable_url,
    cdn_url: told.cdn_url,
    cdn_immutable_url: told.cdn_immutable_url,
    sri: told.sri,
    etag: told.etag,
    content_digest: told.content_digest,
  };
}
