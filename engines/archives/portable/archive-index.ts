import { createHash } from 'node:crypto';
import { byCodePoint, canonicalText } from './canonical.ts';
import { ArchiveFault } from './diagnostics.ts';
import { archiveVersion, indexPath, indexSchema, indexType, releaseSpecSchema } from './format.ts';
import { type Json, Shape } from './shapes.ts';

/** What the index says of a file. */
export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly size: number;
  readonly path: string;
}

/** The list of what an archive holds. */
export interface ArchiveIndex {
  readonly schema_version: string;
  readonly archive_version: string;
  readonly mediaType: string;
  readonly archive_digest?: string;
  readonly core_compatibility: { readonly runtime_kernel: string; readonly release_spec: string };
  readonly source: { readonly platform: string; readonly label?: string };
  readonly required_capabilities: readonly string[];
  readonly identity_descriptors: readonly string[];
  readonly descriptors: Readonly<Record<string, Descriptor>>;
  readonly consistency?: Json | null;
}

const members = [
  'schema_version',
  'archive_version',
  'mediaType',
  'archive_digest',
  'core_compatibility',
  'source',
  'required_capabilities',
  'identity_descriptors',
  'descriptors',
  'consistency',
  'annotations',
];

const platforms = ['svc-cloud', 'svc-core', 'svc-core-fixture'];

/** Reads the index. @throws ArchiveFault */
export function readIndex(value: unknown): ArchiveIndex {
  const given = new Shape(value, indexPath);
  // What is of another version may have any members.
  const version = (found: string, known: string, what: string) => {
    if (found !== known)
      throw new ArchiveFault(
        'ARCHIVE_UNSUPPORTED_VERSION',
        `The ${what} is ${found.slice(0, 100)}, and ${known} is read here.`,
        indexPath,
      );
  };
  version(given.text('schema_version'), indexSchema, 'layout of the index');
  version(given.text('archive_version'), archiveVersion, 'version of the archive');
  given.only(...members);
  if (given.text('mediaType') !== indexType)
    throw new ArchiveFault(
      'ARCHIVE_MEDIA_TYPE_UNSUPPORTED',
      `The index says that it is ${given.text('mediaType').slice(0, 100)}.`,
      indexPath,
    );
  const compatibility = given.shape('core_compatibility');
  compatibility.only('runtime_kernel', 'release_spec');
  version(compatibility.text('release_spec'), releaseSpecSchema, 'release specification');
  const source = given.shape('source');
  source.only('platform', 'label');
  if (!platforms.includes(source.text('platform')))
    throw new ArchiveFault(
      'ARCHIVE_UNSUPPORTED_VERSION',
      `The archive is of ${source.text('platform').slice(0, 100)}, which is not known here.`,
      indexPath,
    );
  const descriptors = given.entries('descriptors').map(([name, one]): [string, Descriptor] => {
    one.only('mediaType', 'digest', 'size', 'path', 'annotations');
    return [
      name,
      {
        mediaType: one.text('mediaType'),
        digest: `sha256:${one.digest('digest')}`,
        size: one.count('size'),
        path: one.text('path'),
      },
    ];
  });
  return {
    schema_version: indexSchema,
    archive_version: archiveVersion,
    mediaType: indexType,
    ...(given.has('archive_digest') ? { archive_digest: `sha256:${given.digest('archive_digest')}` } : {}),
    core_compatibility: {
      runtime_kernel: compatibility.text('runtime_kernel'),
      release_spec: compatibility.text('release_spec'),
    },
    source: { platform: source.text('platform'), ...(source.has('label') ? { label: source.text('label') } : {}) },
    required_capabilities: given.texts('required_capabilities'),
    identity_descriptors: given.texts('identity_descriptors'),
    descriptors: Object.fromEntries(descriptors),
    consistency: given.has('consistency') ? (given.raw('consistency') as Json) : null,
  };
}

/**
 * What an archive is, whatever carries it and whatever its reports tell of how it was made: two exports of one state have the
 * same.
 *
 * @returns `sha256:` and 64 hexadecimal digits
 */
export function logicalDigest(
  index: Pick<
    ArchiveIndex,
    | 'archive_version'
    | 'core_compatibility'
    | 'required_capabilities'
    | 'identity_descriptors'
    | 'descriptors'
    | 'consistency'
  >,
): string {
  const named = [...new Set(index.identity_descriptors)].filter((name) => Object.hasOwn(index.descriptors, name));
  const text = canonicalText({
    identity: 'svc-project-archive-logical-v1',
    archive_version: index.archive_version,
    core_compatibility: index.core_compatibility,
    required_capabilities: [...index.required_capabilities].sort(byCodePoint),
    consistency: index.consistency ?? null,
    descriptors: named.sort(byCodePoint).map((name) => {
      const { mediaType, digest, size, path } = index.descriptors[name]!;
      return { name, mediaType, digest, size, path };
    }),
  });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
