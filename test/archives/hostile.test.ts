import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { StructureCode } from '../../engines/archives/portable/diagnostics.ts';
import { structureCodes } from '../../engines/archives/portable/diagnostics.ts';
import {
  type ArchiveLimits,
  archiveLimits,
  blobPath,
  blobType,
  copyPath,
  copyType,
} from '../../engines/archives/portable/format.ts';
import { readTar } from '../../engines/archives/portable/tar-read.ts';
import { tarEnd, tarHeader, tarPadding } from '../../engines/archives/portable/tar-write.ts';
import { readArchive } from '../../engines/archives/portable/verify.ts';
import { bytesOfText } from '../../engines/archives/spool.ts';
import { jsonMember, type Member, textMember, writeArchive } from '../../engines/archives/write-archive.ts';

const version = (kind: string, rest: object) => ({ schema_version: `svc.project_archive.${kind}.v1`, ...rest });
const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
const logo = 'the logo';
const rows = '1\tone\n';

const blob = (name: string, text: string): Member => ({
  name,
  mediaType: blobType,
  path: blobPath(sha256Of(text)),
  bytes: bytesOfText(text),
});

const members = (changed: readonly Member[] = []): Member[] => {
  const usual = [
    jsonMember('release_spec', {}),
    jsonMember('portable_release_state', {}),
    jsonMember('fact_set', version('fact_set', {})),
    jsonMember('portability_report', version('portability_report', { entries: [] })),
    jsonMember('export_report', version('export_report', {})),
    textMember('database.pre_data_sql', 'create table public.notes (id int, body text);\n'),
    jsonMember(
      'database.tables',
      version('database_tables', {
        tables: [{ id: 't0001', name: 'notes', copy_path: copyPath('t0001'), row_count: 1 }],
      }),
    ),
    { name: 'database.data.t0001', mediaType: copyType, path: copyPath('t0001'), bytes: bytesOfText(rows) },
    jsonMember('database.sequences', version('database_sequences', { sequences: [] })),
    textMember('database.post_data_sql', ''),
    jsonMember('auth.config', version('auth_config', { auth_export: 'stubs' })),
    textMember('auth.subjects', ''),
    jsonMember(
      'storage.index',
      version('storage_index', {
        objects: [
          { key: 'logo', size: logo.length, digest: `sha256:${sha256Of(logo)}`, blob_path: blobPath(sha256Of(logo)) },
        ],
      }),
    ),
    jsonMember('runtime.index', version('runtime_index', {})),
    jsonMember('secret_requirements', version('secret_requirements', { secrets: [] })),
    textMember('secret_env_template', ''),
    blob('blob.storage.logo', logo),
  ];
  const names = new Set(changed.map(({ name }) => name));
  return [...usual.filter(({ name }) => !names.has(name)), ...changed];
};

interface Entry {
  readonly path: string;
  readonly bytes: Buffer;
}

/** The files of an archive, which may then be spoiled. */
async function entriesOf(all: readonly Member[], capabilities: readonly string[] = []): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { path, bytes } of readTar(writeArchive({ members: all, capabilities, consistency: {} }).tar)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece.slice());
    entries.push({ path, bytes: Buffer.concat(pieces) });
  }
  return entries;
}

const tarOf = (entries: readonly Entry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap(({ path, bytes }) => [tarHeader(path, bytes.length), bytes, tarPadding(bytes.length)]),
    tarEnd,
  ]);

async function* chunksOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777);
}

const codesOf = async (tar: Uint8Array, limits: ArchiveLimits = archiveLimits): Promise<string[]> => {
  const { verification } = await readArchive(readTar(chunksOf(tar)), 'tar', limits);
  expect(verification.ok).toBe(verification.diagnostics.length === 0);
  return verification.diagnostics.map(({ code }) => code);
};

const changed = async (path: string, change: (text: string) => string): Promise<Buffer> =>
  tarOf(
    (await entriesOf(members())).map((one) =>
      one.path === path ? { path, bytes: Buffer.from(change(one.bytes.toString())) } : one,
    ),
  );

/** The head of the first file, changed, with the sum that belongs to it. */
async function head(change: (block: Buffer) => void): Promise<Buffer> {
  const tar = tarOf(await entriesOf(members()));
  const block = tar.subarray(0, 512);
  change(block);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return tar;
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const spoilt: readonly (readonly [string, StructureCode, () => Promise<Uint8Array>])[] = [
  ['a file that was changed', 'ARCHIVE_DIGEST_MISMATCH', () => changed(copyPath('t0001'), () => '2\ttwo\n')],
  [
    'another digest than its index says',
    'ARCHIVE_DIGEST_MISMATCH',
    () =>
      changed('index.json', (text) =>
        text.replace(/"archive_digest": "sha256:./, '"archive_digest": "sha256:0').replace('sha256:00', 'sha256:11'),
      ),
  ],
  ['a file that is longer', 'ARCHIVE_SIZE_MISMATCH', () => changed(copyPath('t0001'), (text) => text + text)],
  [
    'another version',
    'ARCHIVE_UNSUPPORTED_VERSION',
    () => changed('index.json', (text) => text.replace('archive.index.v1', 'archive.index.v2')),
  ],
  [
    'a capability that is not known',
    'ARCHIVE_UNSUPPORTED_REQUIRED_CAPABILITY',
    async () => tarOf(await entriesOf(members(), ['svc.core.teleport.v1'])),
  ],
  [
    'another media type',
    'ARCHIVE_MEDIA_TYPE_UNSUPPORTED',
    async () => tarOf(await entriesOf(members([{ ...blob('blob.storage.logo', logo), mediaType: 'text/html' }]))),
  ],
  [
    'a path that leads out of it',
    'ARCHIVE_PATH_UNSAFE',
    async () => tarOf([...(await entriesOf(members())), { path: 'blobs/../../etc/passwd', bytes: Buffer.from('x') }]),
  ],
  [
    'an absolute path',
    'ARCHIVE_PATH_UNSAFE',
    async () => tarOf([...(await entriesOf(members())), { path: '/etc/passwd', bytes: Buffer.from('x') }]),
  ],
  [
    'a descriptor that leads out of it',
    'ARCHIVE_PATH_UNSAFE',
    () => changed('index.json', (text) => text.replace('"path": "auth/config.json"', '"path": "../auth/config.json"')),
  ],
  [
    'a document that is too long',
    'ARCHIVE_SIZE_LIMIT_EXCEEDED',
    () => changed('manifest/fact-set.json', () => JSON.stringify('x'.repeat(archiveLimits.descriptorBytes))),
  ],
  [
    'a document that is too deep',
    'ARCHIVE_DESCRIPTOR_TOO_DEEP',
    () => changed('manifest/fact-set.json', () => nested(65)),
  ],
  [
    'a document that is a million levels deep',
    'ARCHIVE_DESCRIPTOR_TOO_DEEP',
    () => changed('manifest/fact-set.json', () => nested(1_000_000)),
  ],
  [
    'no index',
    'ARCHIVE_DESCRIPTOR_MISSING',
    async () => tarOf((await entriesOf(members())).filter(({ path }) => path !== 'index.json')),
  ],
  [
    'a file that no index names',
    'ARCHIVE_DESCRIPTOR_MISSING',
    async () => tarOf([...(await entriesOf(members())), { path: 'more.txt', bytes: Buffer.from('x') }]),
  ],
  [
    'bytes that are not there',
    'ARCHIVE_BLOB_MISSING',
    async () => tarOf((await entriesOf(members())).filter(({ path }) => !path.startsWith('blobs/'))),
  ],
  [
    'bytes of a release that are not there',
    'ARCHIVE_BLOB_MISSING',
    async () =>
      tarOf(
        await entriesOf(
          members([jsonMember('release_spec', { site: { replace: { a: { sha256: sha256Of('a'), size: 1 } } } })]),
        ),
      ),
  ],
  [
    'a path twice',
    'ARCHIVE_DUPLICATE_PATH',
    async () => {
      const entries = await entriesOf(members());
      return tarOf([...entries, entries[0]!]);
    },
  ],
  [
    'a path twice but for capital letters',
    'ARCHIVE_DUPLICATE_PATH',
    async () => tarOf([...(await entriesOf(members())), { path: 'INDEX.json', bytes: Buffer.from('{}') }]),
  ],
  [
    'a member twice',
    'ARCHIVE_DUPLICATE_JSON_KEY',
    () => changed('index.json', (text) => text.replace('{', '{"mediaType": "x",')),
  ],
  [
    'a member twice, spelt otherwise',
    'ARCHIVE_DUPLICATE_JSON_KEY',
    () => changed('index.json', (text) => text.replace('{', '{"\\u006dediaType": "x",')),
  ],
  ['a document that is no JSON', 'ARCHIVE_MALFORMED_JSON', () => changed('index.json', (text) => text.slice(0, -5))],
  [
    'a document that is no UTF-8',
    'ARCHIVE_MALFORMED_JSON',
    async () =>
      tarOf(
        (await entriesOf(members())).map((one) =>
          one.path === 'index.json' ? { ...one, bytes: Buffer.from([0x22, 0xff, 0x22]) } : one,
        ),
      ),
  ],
  [
    'an index with a member more',
    'ARCHIVE_MALFORMED_JSON',
    () => changed('index.json', (text) => text.replace('{', '{"more": 1,')),
  ],
  ['an end in the middle', 'ARCHIVE_MALFORMED_TAR', async () => tarOf(await entriesOf(members())).subarray(0, 1_300)],
  [
    'no mark of its end',
    'ARCHIVE_MALFORMED_TAR',
    async () => {
      const tar = tarOf(await entriesOf(members()));
      return tar.subarray(0, tar.length - 1_024);
    },
  ],
  [
    'a head with another sum',
    'ARCHIVE_MALFORMED_TAR',
    async () => {
      const tar = tarOf(await entriesOf(members()));
      tar[0] = 0x78;
      return tar;
    },
  ],
  [
    'something behind its end',
    'ARCHIVE_MALFORMED_TAR',
    async () => Buffer.concat([tarOf(await entriesOf(members())), tarHeader('late.txt', 0)]),
  ],
  ['no tar at all', 'ARCHIVE_MALFORMED_TAR', () => Promise.resolve(Buffer.alloc(2_048, 'x'))],
  ['nothing', 'ARCHIVE_MALFORMED_TAR', () => Promise.resolve(Buffer.alloc(0))],
  ...(['1', '2', '3', '4', '6', 'x', 'L'] as const).map(
    (type) =>
      [
        `an entry of the type ${type}`,
        'ARCHIVE_ENTRY_TYPE_UNSUPPORTED',
        () => head((block) => block.write(type, 156)),
      ] as const,
  ),
];

test('an archive that nothing is wrong with has nothing told of it', async () => {
  expect(await codesOf(tarOf(await entriesOf(members())))).toEqual([]);
});

test.each(spoilt)('an archive with %s is told to be so: %s', async (_what, code, make) => {
  expect(await codesOf(await make())).toContain(code);
});

test('an archive may have so many files, so many bytes, and files so long', async () => {
  const tar = tarOf(await entriesOf(members()));
  expect(await codesOf(tar, { ...archiveLimits, files: 5 })).toContain('ARCHIVE_FILE_COUNT_LIMIT_EXCEEDED');
  expect(await codesOf(tar, { ...archiveLimits, expandedBytes: 2_000 })).toContain('ARCHIVE_SIZE_LIMIT_EXCEEDED');
  expect(await codesOf(tar, { ...archiveLimits, fileBytes: 100 })).toContain('ARCHIVE_SIZE_LIMIT_EXCEEDED');
  // A length that is claimed is not waited for.
  const claims = await head((block) => block.write('77777777777\0', 124, 'latin1'));
  expect(await codesOf(claims)).toContain('ARCHIVE_SIZE_LIMIT_EXCEEDED');
});

test('every code of the structure is told of some archive', () => {
  const told = new Set<string>([...spoilt.map(([, code]) => code), 'ARCHIVE_FILE_COUNT_LIMIT_EXCEEDED']);
  expect(structureCodes.filter((code) => !told.has(code))).toEqual([]);
});

test('the same members make the same bytes, in whatever order they are given', async () => {
  const one = tarOf(await entriesOf(members()));
  expect(tarOf(await entriesOf(members().reverse())).equals(one)).toBe(true);
});
