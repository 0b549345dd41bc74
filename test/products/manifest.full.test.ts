import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { manifestEntries, sha256Of } from '../../engines/bundles/bundle-file.ts';
import { projectFiles } from '../../engines/bundles/project-files.ts';
import { knownMigrations } from '../helpers/known-migrations.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());
const nobody = service.actors.nobody;
const root = fileURLToPath(new URL('../..', import.meta.url));

interface ManifestBody {
  readonly version: string;
  readonly archives: readonly {
    readonly id: string;
    readonly filename: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
  }[];
  readonly templates: readonly { readonly id: string; readonly files: readonly string[] }[];
  readonly signature: string;
}
const manifest = () => service.call<ManifestBody>(nobody, 'GET', '/api/package-manifest');

test('the manifest says of each archive what the archive says of itself', async () => {
  const { status, body } = await manifest();
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, version: '5.0.0', algorithm: 'sha256' });
  const delivered = await service.app.services.archives.all();
  expect(body.archives.map(({ id, filename }) => [id, filename])).toEqual([
    ['source', 'audit-gateway-source-5.0.0.zip'],
    ['docs', 'audit-gateway-docs-5.0.0.zip'],
  ]);
  for (const [index, { bytes }] of delivered.entries()) {
    const told = body.archives[index]!;
    expect([told.bytes, told.sha256]).toEqual([bytes.length, sha256Of(bytes)]);
    const read = Object.entries(unzipSync(bytes)).map(([path, content]) => ({ path, bytes: content }));
    expect(told.files).toEqual(manifestEntries(read));
    // Text with LF alone, which ends its last line; pictures have no lines.
    const texts = read.filter(({ path }) => !path.endsWith('.png'));
    expect(texts.filter((file) => file.bytes.length > 0 && file.bytes.at(-1) !== 10).map(({ path }) => path)).toEqual(
      [],
    );
    expect(texts.filter((file) => file.bytes.includes(13)).map(({ path }) => path)).toEqual([]);
  }
  expect(body.templates.find(({ id }) => id === 'pro-pack')!.files).toContain('order.json');
});

test('the list of archives is signed with a published key', async () => {
  const { body } = await manifest();
  const keys = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
  const { payload, protectedHeader } = await compactVerify(body.signature, createLocalJWKSet(keys));
  expect(protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'package-manifest+json' });
  expect(JSON.parse(Buffer.from(payload).toString())).toEqual(body.archives);
});

test('the graph says the same', async () => {
  const { body } = await manifest();
  const { data } = await service.graphql(
    nobody,
    '{ packageManifest { version signature archives { archive filename mediaType bytes sha256 files { path sha256 } } templates { template files } } }',
  );
  expect(data.packageManifest).toMatchObject({ version: body.version, signature: body.signature });
  expect(data.packageManifest.archives.map(({ sha256 }: { sha256: string }) => sha256)).toEqual(
    body.archives.map(({ sha256 }) => sha256),
  );
});

test('the source has all of the project that is its own, its notices and its keys', async () => {
  const { body } = await manifest();
  const paths = body.archives[0]!.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'Dockerfile',
      'server/main.ts',
      'engines/site-audit/data/schema-org.txt',
      'engines/site-audit/robots/user-agents.ts',
      'rubric.md',
      'jwks.json',
      'openapi.json',
      'THIRD-PARTY-NOTICES.txt',
      'manifest.json',
      'docs/audit.md',
      'CHANGELOG.md',
    ]),
  );
  expect(paths.filter((path) => path.startsWith('db/migrations/') && path.endsWith('.sql'))).toHaveLength(
    await knownMigrations(),
  );
  const source = unzipSync((await service.app.services.archives.all())[0]!.bytes);
  const notices = Buffer.from(source['THIRD-PARTY-NOTICES.txt']!).toString();
  for (const name of ['fflate 0.8.3: MIT', 'jose 6.2.17: MIT', 'Permission is hereby granted', 'schema.org']) {
    expect(notices).toContain(name);
  }
});

test('nothing that lies beside the project gets into its source', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'svc-source-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const { path, bytes } of await projectFiles(root)) {
    await mkdir(join(copy, path, '..'), { recursive: true });
    await writeFile(join(copy, path), bytes);
  }
  const before = (await projectFiles(copy)).map(({ path }) => path).sort();
  const planted = [
    '.env',
    '.env.production',
    '.svc/secret.key',
    '.git/config',
    'node_modules/left/index.js',
    'bench/node_modules/left/index.js',
    'coverage/index.html',
    'secret.json',
    'server/.env',
    'server/server.log',
    'server/private.pem',
    'server/private.key',
    'docs/.DS_Store',
    'test/.cache/x.json',
    'engines/dump.sql.gz',
    'server/config.local.json',
    'server/credentials.json',
    'db/data.sqlite',
  ];
  for (const path of planted) {
    await mkdir(join(copy, path, '..'), { recursive: true });
    await writeFile(join(copy, path), 'hunter2');
  }
  await symlink('/etc/hostname', join(copy, 'docs/linked.md'));
  await writeFile(join(copy, '.npmrc'), 'save-exact=true\n//registry.example.com/:_authToken=hunter2\n_auth=hunter2\n');
  const packed = await projectFiles(copy);
  expect(packed.map(({ path }) => path).sort()).toEqual(before);
  const leaked = packed.filter(({ bytes }) => Buffer.from(bytes).toString() === 'hunter2');
  expect(leaked).toEqual([]);
  const npmrc = packed.find(({ path }) => path === '.npmrc')!;
  expect(Buffer.from(npmrc.bytes).toString()).toBe('save-exact=true\n');
});

test.each(['/api/package-manifest', '/.well-known/jwks.json'])(
  '%s is asked for again only to hear that it is the same',
  async (path) => {
    const first = await fetch(service.url + path);
    const etag = first.headers.get('etag')!;
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    const again = await fetch(service.url + path, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await fetch(service.url + path, { headers: { 'if-none-match': '"another"' } })).status).toBe(200);
  },
);
