// Printed by npm run generate from engines/archives/portable.
import { type ArchiveIndex, type Descriptor, logicalDigest, readIndex } from './archive-index.ts';
import { ArchiveFault, type Diagnostic, structureFault } from './diagnostics.ts';
import {
  type ArchiveLimits,
  archiveLimits,
  archiveVersion,
  blobPath,
  blobType,
  capabilities,
  copyPath,
  copyType,
  documentOf,
  documents,
  indexPath,
  layoutPath,
  layoutSchema,
  layoutType,
} from './format.ts';
import { isSafePath } from './paths.ts';
import { type ReadFiles, readFiles } from './read-files.ts';
import { type Json, Shape } from './shapes.ts';
import type { ArchiveFile } from './tar-read.ts';

/** A secret that the project of an archive needs. */
export interface RequiredSecret {
  readonly name: string;
  readonly required: boolean;
  readonly targets?: readonly string[];
  readonly description?: string;
}

/** What there is to say of an archive. */
export interface ArchiveVerification {
  /** Whether nothing that was found keeps it from being imported. */
  readonly ok: boolean;
  readonly archive_version: string | null;
  /** What the archive is, whatever carries it: `sha256:` and 64 hexadecimal digits. */
  readonly archive_digest: string | null;
  readonly transport: 'directory' | 'tar' | null;
  readonly file_count: number;
  readonly total_bytes: number;
  readonly descriptor_count: number;
  readonly required_capabilities: readonly string[];
  readonly required_secrets: readonly RequiredSecret[];
  readonly auth_subject_stub_count: number;
  readonly export_report: Json | null;
  readonly portability_report: Json | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** An archive that was read, for whoever goes on with it. */
export interface ReadArchive {
  readonly verification: ArchiveVerification;
  /** Undefined where there is none that can be read. */
  readonly index: ArchiveIndex | undefined;
  readonly files: ReadFiles['files'];
  readonly json: ReadFiles['json'];
  readonly sql: ReadFiles['sql'];
}

/**
 * Reads an archive once, as it comes, and looks at everything that can be looked at without a database. Nothing of it is
 * written anywhere.
 */
export async function readArchive(
  source: AsyncIterable<ArchiveFile>,
  transport: 'directory' | 'tar',
  limits: ArchiveLimits = archiveLimits,
): Promise<ReadArchive> {
  const read = await readFiles(source, limits);
  const { files, json, sql, found } = read;
  // Of what was not read to its end nothing is known to be missing.
  const index = read.whole ? check(found, () => indexOf(read)) : undefined;
  if (index !== undefined) checkIndex(index, read);
  const stated = index === undefined ? undefined : check(found, () => secretsOf(json));
  const report = (path: string) => (json.get(path) as Json | undefined) ?? null;
  const portability = report(documents.portability_report.path);
  const reported = index === undefined ? [] : (check(found, () => reportedIn(portability)) ?? []);
  const diagnostics = [...found, ...reported];
  return {
    verification: {
      ok: diagnostics.every(({ severity }) => severity !== 'blocking'),
      archive_version: index?.archive_version ?? null,
      archive_digest: index === undefined ? null : logicalDigest(index),
      transport,
      file_count: files.size,
      total_bytes: read.totalBytes,
      descriptor_count: Object.keys(index?.descriptors ?? {}).length,
      required_capabilities: index?.required_capabilities ?? [],
      required_secrets: stated ?? [],
      auth_subject_stub_count: read.subjects,
      export_report: report(documents.export_report.path),
      portability_report: portability,
      diagnostics,
    },
    index,
    files,
    json,
    sql,
  };
}

/** @returns undefined where it was at fault, which is then noted */
function check<Result>(found: Diagnostic[], work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    found.push(error.found);
    return undefined;
  }
}

/** The index, behind the layout that leads to it. @throws ArchiveFault */
function indexOf({ files, json, found }: ReadFiles): ArchiveIndex | undefined {
  for (const path of [layoutPath, indexPath]) {
    if (json.has(path)) continue;
    // One that is there and cannot be read was told of.
    if (!files.has(path))
      found.push(structureFault('ARCHIVE_DESCRIPTOR_MISSING', 'The archive lacks this file.', path));
    return undefined;
  }
  const layout = new Shape(json.get(layoutPath), layoutPath);
  if (layout.text('schema_version') !== layoutSchema || layout.text('archive_version') !== archiveVersion)
    throw new ArchiveFault(
      'ARCHIVE_UNSUPPORTED_VERSION',
      'The layout is of a version that is not read here.',
      layoutPath,
    );
  if (layout.text('mediaType') !== layoutType)
    throw new ArchiveFault('ARCHIVE_MEDIA_TYPE_UNSUPPORTED', 'The layout says that it is something else.', layoutPath);
  const transports = layout.texts('transports');
  if (!transports.includes('directory') || transports.some((one) => one !== 'directory' && one !== 'tar'))
    throw new ArchiveFault(
      'ARCHIVE_UNSUPPORTED_VERSION',
      'The layout names ways to travel that are not known here.',
      layoutPath,
    );
  return readIndex(json.get(indexPath));
}

function checkIndex(index: ArchiveIndex, read: ReadFiles): void {
  const { found, files } = read;
  const known: readonly string[] = Object.values(capabilities);
  for (const name of index.required_capabilities.slice(0, 20))
    if (!known.includes(name))
      found.push(
        structureFault(
          'ARCHIVE_UNSUPPORTED_REQUIRED_CAPABILITY',
          `The archive needs ${name.slice(0, 100)}, which is not known here.`,
          indexPath,
        ),
      );
  const named = new Set<string>([layoutPath, indexPath]);
  for (const [name, one] of Object.entries(index.descriptors)) {
    named.add(one.path);
    note(found, descriptorFault(name, one, files));
  }
  for (const path of files.keys())
    if (!named.has(path))
      note(found, structureFault('ARCHIVE_DESCRIPTOR_MISSING', 'The index says nothing of this file.', path));
  for (const name of [...Object.keys(documents), ...index.identity_descriptors])
    if (!Object.hasOwn(index.descriptors, name) && !(name === 'auth.subjects' && exportsNobody(read.json)))
      note(
        found,
        structureFault(
          'ARCHIVE_DESCRIPTOR_MISSING',
          `The index lacks the descriptor ${name.slice(0, 100)}.`,
          indexPath,
        ),
      );
  if (index.archive_digest !== undefined && index.archive_digest !== logicalDigest(index))
    found.push(
      structureFault('ARCHIVE_DIGEST_MISMATCH', 'The archive has another digest than its index says.', indexPath),
    );
  if (found.length > 0) return;
  check(found, () => checkDocuments(read));
}

const notedMax = 100;

function note(found: Diagnostic[], one: Diagnostic | undefined): void {
  if (one !== undefined && found.length < notedMax) found.push(one);
}

const exportsNobody = (json: ReadFiles['json']) =>
  (json.get(documents['auth.config'].path) as Json | undefined)?.auth_export === 'none';

/** What is wrong with a file that the index names. */
function descriptorFault(name: string, one: Descriptor, files: ReadFiles['files']): Diagnostic | undefined {
  const { path } = one;
  const kind = documentOf(name);
  const isBlob = name.startsWith('blob.');
  const id = name.startsWith('database.data.') ? name.slice('database.data.'.length) : undefined;
  const mediaType = kind?.mediaType ?? (isBlob ? blobType : id === undefined ? undefined : copyType);
  if (mediaType !== one.mediaType)
    return structureFault(
      'ARCHIVE_MEDIA_TYPE_UNSUPPORTED',
      `The descriptor ${name.slice(0, 100)} is of a media type that is not read here.`,
      path,
    );
  const place = kind?.path ?? (isBlob ? blobPath(one.digest.slice('sha256:'.length)) : copyPath(id!));
  if (!isSafePath(path)) return structureFault('ARCHIVE_PATH_UNSAFE', 'The path of a descriptor is not safe.', path);
  if (path !== place)
    return structureFault('ARCHIVE_PATH_UNSAFE', `The descriptor ${name.slice(0, 100)} has to be at ${place}.`, path);
  const file = files.get(path);
  if (file === undefined)
    return structureFault(
      isBlob ? 'ARCHIVE_BLOB_MISSING' : 'ARCHIVE_DESCRIPTOR_MISSING',
      'The archive lacks a file that its index names.',
      path,
    );
  if (file.size !== one.size)
    return structureFault(
      'ARCHIVE_SIZE_MISMATCH',
      `The file has ${file.size} bytes, and the index says ${one.size}.`,
      path,
    );
  if (`sha256:${file.sha256}` !== one.digest)
    return structureFault('ARCHIVE_DIGEST_MISMATCH', 'The file has another digest than the index says.', path);
  return undefined;
}

/** Whether the documents name what there is. @throws ArchiveFault */
function checkDocuments({ json, files, found }: ReadFiles): void {
  const open = (name: keyof typeof documents) => {
    const kind = documentOf(name)!;
    const shape = new Shape(json.get(kind.path), kind.path);
    if (kind.schema !== undefined && shape.text('schema_version') !== kind.schema)
      throw new ArchiveFault(
        'ARCHIVE_UNSUPPORTED_VERSION',
        'The document is of a version that is not read here.',
        kind.path,
      );
    return shape;
  };
  const blob = (path: string, sha256: string, size: number | undefined) => {
    const file = path === blobPath(sha256) ? files.get(path) : undefined;
    if (file === undefined)
      note(found, structureFault('ARCHIVE_BLOB_MISSING', 'The archive lacks bytes that a document names.', path));
    else if (size !== undefined && file.size !== size)
      note(
        found,
        structureFault('ARCHIVE_SIZE_MISMATCH', `The bytes are ${file.size}, and a document says ${size}.`, path),
      );
  };
  for (const table of open('database.tables').shapes('tables')) {
    const [id, path] = [table.text('id'), table.text('copy_path')];
    table.text('name');
    table.count('row_count');
    const file = path === copyPath(id) ? files.get(path) : undefined;
    if (file === undefined)
      note(found, structureFault('ARCHIVE_DESCRIPTOR_MISSING', 'The archive lacks the rows of a table.', path));
    else if (table.has('digest') && table.digest('digest') !== file.sha256)
      note(
        found,
        structureFault('ARCHIVE_DIGEST_MISMATCH', 'The rows of a table have another digest than the list says.', path),
      );
  }
  for (const sequence of open('database.sequences').shapes('sequences')) {
    sequence.text('name');
    sequence.flag('is_called');
  }
  open('auth.config').text('auth_export');
  for (const object of open('storage.index').shapes('objects')) {
    object.text('key');
    blob(object.text('blob_path'), object.digest('digest'), object.count('size'));
  }
  const runtime = open('runtime.index');
  for (const one of runtime.has('functions') ? runtime.shapes('functions') : []) {
    one.text('name');
    blob(one.text('artifact_path'), one.digest('artifact_digest'), undefined);
  }
  open('secret_requirements');
  open('export_report');
  open('release_spec');
  open('portable_release_state');
  open('fact_set');
  for (const { sha256, size } of contentOf(json.get(documents.release_spec.path))) blob(blobPath(sha256), sha256, size);
}

/** Bytes that a release specification names, wherever. */
function* contentOf(value: unknown): Generator<{ readonly sha256: string; readonly size: number }> {
  if (typeof value !== 'object' || value === null) return;
  const { sha256, size } = value as Json;
  if (typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) && typeof size === 'number') yield { sha256, size };
  for (const one of Object.values(value)) yield* contentOf(one);
}

function secretsOf(json: ReadFiles['json']): RequiredSecret[] {
  const { path } = documents.secret_requirements;
  if (!json.has(path)) return [];
  return new Shape(json.get(path), path).shapes('secrets').map((one) => ({
    name: one.text('name'),
    required: one.flag('required'),
    ...(one.has('targets') ? { targets: one.texts('targets') } : {}),
    ...(one.has('description') ? { description: one.text('description') } : {}),
  }));
}

const severities = ['info', 'warning', 'blocking'];

/** What whoever made the archive has told of it. @throws ArchiveFault */
function reportedIn(report: Json | null): Diagnostic[] {
  if (report === null) return [];
  const { path, schema } = documents.portability_report;
  const shape = new Shape(report, path);
  if (shape.text('schema_version') !== schema)
    throw new ArchiveFault('ARCHIVE_UNSUPPORTED_VERSION', 'The document is of a version that is not read here.', path);
  return shape
    .shapes('entries')
    .slice(0, notedMax)
    .map((one) => {
      one.text('code');
      one.text('message');
      if (!severities.includes(one.text('severity')))
        throw new ArchiveFault('ARCHIVE_MALFORMED_JSON', 'A diagnostic is of no severity.', path);
      return one.value as unknown as Diagnostic;
    });
}
