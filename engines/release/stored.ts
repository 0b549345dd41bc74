import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { invalid } from './errors.ts';
import { emptyRelease, type ReleasedFunction, type ReleaseState, type SiteFile, type StaticFile } from './model.ts';

/** Entries that a part holds, about. */
const entriesPerPart = 256;
/** Most entries of a part: a request reads a whole part, and it is read in the process of all others. */
const partEntriesMax = 1_024;
/** By how many times a table may have more parts than its length needs. */
const partsFactorMax = 8;
/** Longest part that is read, in bytes: its entries have two paths of 3,072 bytes at the most, and a pattern. */
const partBytesMax = 16 * 1024 * 1024;

/** Everything of a release but the two tables of files. */
export type ReleaseBody = Readonly<Record<string, unknown>>;

export interface StoredPart {
  /** SHA-256 of the bytes. */
  readonly digest: string;
  readonly bytes: Buffer;
}

/** How a release is kept: files lie in parts by the hash of their path, so that a change of one file changes one part. */
export interface StoredRelease {
  readonly body: ReleaseBody;
  /** The site by path: a power of two of parts. */
  readonly site: readonly StoredPart[];
  /** What is served by public path: likewise. */
  readonly files: readonly StoredPart[];
}

/** The part that a path lies in. @param count how many there are, a power of two */
export function partOf(path: string, count: number): number {
  // FNV-1a: the same on every machine, and quick.
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at += 1) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  // Its lowest bits are the weakest.
  return ((hash >>> 16) ^ hash) & (count - 1);
}

/**
 * Parts of a table of so many paths: more than their number needs where too many lie in one.
 *
 * @throws SpecError for paths that were chosen to lie in one: whoever asks for one of them would have all of them read
 */
function partCount(paths: ReadonlyMap<string, unknown>): number {
  const least = 2 ** Math.max(0, Math.ceil(Math.log2(paths.size / entriesPerPart)));
  for (let count = least; count <= least * partsFactorMax; count *= 2) {
    const lengths = new Uint32Array(count);
    for (const path of paths.keys()) lengths[partOf(path, count)]! += 1;
    if (lengths.every((length) => length <= partEntriesMax)) return count;
  }
  throw invalid('site', 'has too many files whose paths have the same hash');
}

/** Refuses a release that could not be kept. @throws SpecError */
export function refuseUneven({ site, manifest }: ReleaseState): void {
  partCount(site);
  partCount(manifest.files);
}

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

function partsOf<Value>(
  entries: ReadonlyMap<string, Value>,
  write: (value: Value) => readonly unknown[],
): StoredPart[] {
  const count = partCount(entries);
  const lines: (readonly unknown[])[][] = Array.from({ length: count }, () => []);
  for (const [path, value] of entries) lines[partOf(path, count)]!.push([path, ...write(value)]);
  return lines.map((part) => {
    part.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
    const bytes = zstdCompressSync(JSON.stringify(part), compression);
    return { digest: createHash('sha256').update(bytes).digest('hex'), bytes };
  });
}

const writeSite = ({ sha256, size, contentType, inferred }: SiteFile) => [sha256, size, contentType, inferred ? 1 : 0];

const writeFile = (file: StaticFile) => [
  file.sha256,
  file.size,
  file.contentType,
  file.cacheClass,
  file.cacheClassSource,
  file.assetPath,
  file.authority,
  file.direct ? 1 : 0,
  ...(file.routeId === undefined ? [] : [file.routeId, file.methods]),
];

function linesOf(bytes: Uint8Array): readonly (readonly unknown[])[] {
  return JSON.parse(zstdDecompressSync(bytes, { maxOutputLength: partBytesMax }).toString('utf8'));
}

/** The files of a part of a site. */
export const readSitePart = (bytes: Uint8Array): [string, SiteFile][] =>
  linesOf(bytes).map(([path, sha256, size, contentType, inferred]) => [
    path as string,
    { sha256, size, contentType, inferred: inferred === 1 } as SiteFile,
  ]);

/** The files of a part of what is served. */
export const readFilesPart = (bytes: Uint8Array): [string, StaticFile][] =>
  linesOf(bytes).map(
    ([path, sha256, size, contentType, cacheClass, cacheClassSource, assetPath, authority, direct, ...route]) => [
      path as string,
      {
        sha256,
        size,
        contentType,
        cacheClass,
        cacheClassSource,
        assetPath,
        authority,
        direct: direct === 1,
        ...(route.length === 0 ? {} : { routeId: route[0], methods: route[1] }),
      } as StaticFile,
    ],
  );

/** What the files of a part take in memory, in bytes, about. Their compressed length says little of it. */
export const weightOf = (part: ReadonlyMap<string, StaticFile>): number => {
  let bytes = 0;
  for (const [path, { assetPath, contentType }] of part)
    bytes += 400 + 2 * (path.length + assetPath.length + contentType.length);
  return bytes;
};

/** A release as it is kept. */
export function encodeRelease(state: ReleaseState): StoredRelease {
  const { site, manifest, publicPaths, functions, ...rest } = state;
  return {
    body: {
      ...rest,
      mode: manifest.mode,
      spaFallback: manifest.spaFallback,
      // An explicit table says what the parts say, but for the classes that it declares.
      publicPaths:
        publicPaths.mode === 'implicit' ? publicPaths : { mode: publicPaths.mode, table: [...publicPaths.table] },
      functions: [...functions].map(([name, one]) => [name, { ...one, files: [...one.files] }]),
    },
    site: partsOf(site, writeSite),
    files: partsOf(manifest.files, writeFile),
  };
}

/** The release that was kept so. */
export function decodeRelease(
  body: ReleaseBody,
  parts: { readonly site: readonly Uint8Array[]; readonly files: readonly Uint8Array[] },
): ReleaseState {
  const { mode, spaFallback, publicPaths, functions, ...rest } = body as unknown as Omit<
    ReleaseState,
    'site' | 'manifest' | 'publicPaths' | 'functions'
  > & {
    readonly mode: 'implicit' | 'explicit';
    readonly spaFallback: string | null;
    readonly publicPaths:
      | { readonly mode: 'implicit' }
      | { readonly mode: 'explicit'; readonly table: [string, { asset: string }][] };
    readonly functions: [
      string,
      Omit<ReleasedFunction, 'files'> & { files: [string, { sha256: string; size: number }][] },
    ][];
  };
  return {
    ...emptyRelease,
    ...rest,
    site: inNames(parts.site.flatMap(readSitePart)),
    publicPaths:
      publicPaths.mode === 'implicit' ? publicPaths : { mode: publicPaths.mode, table: new Map(publicPaths.table) },
    manifest: { mode, files: inNames(parts.files.flatMap(readFilesPart)), spaFallback },
    functions: new Map(functions.map(([name, one]) => [name, { ...one, files: new Map(one.files) }])),
  };
}

const inNames = <Value>(entries: readonly (readonly [string, Value])[]): ReadonlyMap<string, Value> =>
  new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
