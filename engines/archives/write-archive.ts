import { createHash } from 'node:crypto';
import { type ArchiveIndex, logicalDigest } from './portable/archive-index.ts';
import { byCodePoint } from './portable/canonical.ts';
import {
  archiveLimits,
  archiveVersion,
  documentOf,
  indexPath,
  indexSchema,
  indexType,
  layoutPath,
  layoutSchema,
  layoutType,
  releaseSpecSchema,
} from './portable/format.ts';
import { tarEnd, tarHeader, tarPadding } from './portable/tar-write.ts';
import { type Bytes, bytesOfText } from './spool.ts';

/** A file of an archive that is about to be written. Several may be at one path, with the same bytes. */
export interface Member {
  /** Of its descriptor. */
  readonly name: string;
  readonly mediaType: string;
  readonly path: string;
  readonly bytes: Bytes;
}

/** The project is larger than an archive may be. */
export class LargeArchiveError extends Error {
  override readonly name = 'LargeArchiveError';
}

/** Bytes of the store are not what they were. */
export class ChangedBytesError extends Error {
  override readonly name = 'ChangedBytesError';
}

const jsonText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** A document of an archive. */
export const jsonMember = (name: string, value: unknown): Member => textMember(name, jsonText(value));

/** A document that is no JSON. */
export function textMember(name: string, text: string): Member {
  const { path, mediaType } = documentOf(name)!;
  return { name, mediaType, path, bytes: bytesOfText(text) };
}

const layout = jsonText({
  schema_version: layoutSchema,
  archive_version: archiveVersion,
  mediaType: layoutType,
  index: indexPath,
  blobs: 'blobs/sha256',
  transports: ['directory', 'tar'],
  checksum_lists_authoritative: false,
});

export interface ArchiveFacts {
  readonly members: readonly Member[];
  readonly capabilities: readonly string[];
  readonly consistency: Readonly<Record<string, unknown>>;
}

/** An archive, ready to be written. */
export interface WrittenArchive {
  /** What it is: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** The tar, which can be read once. */
  readonly tar: AsyncIterable<Uint8Array>;
}

/**
 * Puts an archive together. The same members make the same bytes: files come in the order of their paths, behind the two that
 * lead to them.
 *
 * @throws LargeArchiveError
 */
export function writeArchive({ members, capabilities, consistency }: ArchiveFacts): WrittenArchive {
  const sorted = [...members].sort((one, other) => byCodePoint(one.name, other.name));
  const index = {
    schema_version: indexSchema,
    archive_version: archiveVersion,
    mediaType: indexType,
    core_compatibility: { runtime_kernel: '>=1.0.0 <2.0.0', release_spec: releaseSpecSchema },
    source: { platform: 'svc-core' },
    required_capabilities: [...capabilities].sort(byCodePoint),
    identity_descriptors: sorted.map(({ name }) => name).filter((name) => documentOf(name)?.identity ?? true),
    descriptors: Object.fromEntries(
      sorted.map(({ name, mediaType, path, bytes: { size, sha256 } }) => [
        name,
        { mediaType, digest: `sha256:${sha256}`, size, path },
      ]),
    ),
    consistency,
  } satisfies ArchiveIndex;
  const digest = logicalDigest(index);
  const files = new Map(
    [...members].sort((one, other) => byCodePoint(one.path, other.path)).map(({ path, bytes }) => [path, bytes]),
  );
  const all = new Map([
    [layoutPath, bytesOfText(layout)],
    [indexPath, bytesOfText(jsonText({ ...index, archive_digest: digest }))],
    ...files,
  ]);
  refuseLarge(all);
  return { digest, tar: tarOf(all) };
}

/** What nobody could read. @throws LargeArchiveError */
function refuseLarge(files: ReadonlyMap<string, Bytes>): void {
  const { files: filesMax, expandedBytes, fileBytes, descriptorBytes, sqlBytes } = archiveLimits;
  if (files.size > filesMax) throw new LargeArchiveError(`The project has more than ${filesMax} files and tables.`);
  let total = 0;
  for (const [path, { size }] of files) {
    total += size;
    const most = path.endsWith('.json') ? descriptorBytes : path.endsWith('.sql') ? sqlBytes : fileBytes;
    if (size > most) throw new LargeArchiveError(`${path} would have ${size} bytes, and may have ${most}.`);
  }
  if (total > expandedBytes)
    throw new LargeArchiveError(`The archive would have ${total} bytes, and may have ${expandedBytes}.`);
}

async function* tarOf(files: ReadonlyMap<string, Bytes>): AsyncGenerator<Uint8Array> {
  for (const [path, { size, sha256, open }] of files) {
    yield tarHeader(path, size);
    const hash = createHash('sha256');
    let left = size;
    for await (const piece of await open()) {
      hash.update(piece);
      left -= piece.length;
      if (left < 0) break;
      yield piece;
    }
    if (left !== 0 || hash.digest('hex') !== sha256)
      throw new ChangedBytesError(`${path} has other bytes than its digest says.`);
    yield tarPadding(size);
  }
  yield tarEnd;
}
