import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { terminalOfOwner } from './own-project.ts';

const service = await sharedService();
const [ada, eve] = [await terminalOfOwner(service), await terminalOfOwner(service)];
afterAll(async () => {
  await Promise.all([ada.remove(), eve.remove()]);
  await service.stop();
});

let archive: string;
beforeAll(async () => {
  await ada.svc(
    'projects',
    'sql',
    `create table notes (id int primary key, text text); insert into notes values (1, 'one')`,
  );
  archive = (await ada.svc('projects', 'export')).json.archive_id;
  await until(async () => expect((await ada.svc('cloud', 'archives', 'status', archive)).json.status).toBe('ready'));
  await ada.svc('cloud', 'archives', 'download', archive, '--output', 'shop.svcar');
});
const importing = (...words: string[]) => ada.svc('core', 'projects', 'import', ...words);

test('an archive is listed and downloaded into a file that its owner alone can read', async () => {
  expect((await ada.svc('cloud', 'archives', 'list')).json.archives).toMatchObject([
    { archive_id: archive, status: 'ready' },
  ]);
  const { size, mode } = await stat(join(ada.checkout, 'shop.svcar'));
  expect((mode & 0o777).toString(8)).toBe('600');
  const again = await ada.svc('cloud', 'archives', 'download', archive);
  expect(again.json).toEqual({ archive_id: archive, output: `${archive}.svcar`, size_bytes: size });
  const foreign = ['cloud', 'archives', 'download', archive, '--project', ada.project];
  expect((await eve.svc(...foreign)).error.code).toBe((await eve.svc('projects', 'get', 'prj_0')).error.code);
  await expect(stat(join(eve.checkout, `${archive}.svcar`))).rejects.toThrow('ENOENT');
});

test('an archive is inspected and verified without a gateway, and one that was changed is found out', async () => {
  const offline = ada.with({ SVC_API_BASE: 'http://127.0.0.1:9' });
  expect((await offline('archives', 'inspect', 'shop.svcar')).code).toBe(0);
  expect((await offline('archives', 'verify', 'shop.svcar')).json).toMatchObject({ ok: true });
  const bytes = await readFile(join(ada.checkout, 'shop.svcar'), 'latin1');
  await writeFile(join(ada.checkout, 'changed.svcar'), bytes.replace('notes', 'votes'), 'latin1');
  expect((await offline('archives', 'verify', 'changed.svcar')).json).toMatchObject({ ok: false });
  for (const words of [
    ['archives', 'inspect'],
    ['archives', 'verify'],
    ['core', 'projects', 'import'],
  ])
    expect((await ada.svc(...words, 'absent.svcar')).error).toMatchObject({ code: 'FILE_NOT_FOUND' });
});

test('an import is tried, then made in the organization in use, with its rows, and never into a project', async () => {
  const other = (await ada.svc('org', 'create', '--name', 'Copies')).json.org_id;
  await ada.svc('org', 'use', other);
  expect((await importing('shop.svcar', '--dry-run')).json).toMatchObject({ status: 'dry_run', project_id: null });
  const made = await importing('shop.svcar', '--name', 'The copy');
  expect(made.json).toMatchObject({ status: 'imported', project_name: 'The copy' });
  const { project_id: copy } = made.json;
  expect((await ada.svc('projects', 'get', copy)).json.org_id).toBe(other);
  const read = await ada.svc('projects', 'sql', 'select * from notes', '--project', copy);
  expect(read.json.rows).toEqual([{ id: 1, text: 'one' }]);
  expect((await importing('shop.svcar', '--name', 'The copy')).error.code).toBe('PROJECT_ALREADY_EXISTS');
  const elsewhere = await importing('shop.svcar', '--name', 'Another', '--org', ada.org);
  expect((await ada.svc('projects', 'get', elsewhere.json.project_id)).json.org_id).toBe(ada.org);
  expect((await importing('shop.svcar', '--org', eve.org)).error.http).toBe(403);
  expect((await importing('changed.svcar', '--name', 'Changed')).code).toBe(1);
});

test('an export that is waited for is written whole, and one that takes longer is told by its id', async () => {
  const exporting = (...words: string[]) => ada.svc('projects', 'export', '--poll-interval', '0.05', ...words);
  expect((await exporting('--wait')).json).toMatchObject({ status: 'ready', sha256: expect.any(String) });
  const written = await exporting('--output', 'whole.svcar');
  expect(written.json).toMatchObject({ status: 'ready', output: 'whole.svcar', size_bytes: written.json.byte_count });
  expect((await ada.svc('archives', 'verify', 'whole.svcar')).json).toMatchObject({ ok: true });
  const short = await ada.svc('cloud', 'archives', 'create', '--wait', '--timeout', '0.001');
  expect(short).toMatchObject({ code: 1, stdout: '', error: { code: 'ARCHIVE_WAIT_TIMEOUT', retryable: true } });
  expect(short.error).toMatchObject({ safe_to_retry: false, mutation_state: 'committed' });
  const { archive_id: begun } = short.error.details;
  await until(async () => expect((await ada.svc('cloud', 'archives', 'status', begun)).json.status).toBe('ready'));
  // Where it cannot be written, none is begun.
  const before = (await ada.svc('cloud', 'archives', 'list')).json.archives.length;
  expect((await exporting('--output', 'absent/shop.svcar')).error.code).toBe('BAD_FILE');
  expect((await ada.svc('cloud', 'archives', 'list')).json.archives).toHaveLength(before);
});

test('an import goes to the gateway that is named, which sees neither tokens nor organization of the usual one', async () => {
  const usual = { SVC_API_BASE: 'http://127.0.0.1:9', SVC_DELEGATE_TOKEN: 'canary', SVC_ORG: eve.org };
  const words = ['core', 'projects', 'import', 'shop.svcar', '--org', ada.org];
  const named = await ada.with(usual)(...words, '--name', 'By flag', '--core-url', service.url);
  expect(named.json, named.stderr).toMatchObject({ status: 'imported' });
  const set = { ...usual, SVC_CORE_URL: service.url };
  expect((await ada.with(set)(...words, '--dry-run')).json).toMatchObject({ status: 'dry_run' });
  const wrong = await ada.svc(...words, '--core-url', 'ftp://elsewhere.example');
  expect(wrong.error).toMatchObject({ code: 'BAD_HOST', message: expect.stringContaining('--core-url') });
});

test('secrets of an import come from a file, from standard input and from the environment, and none is shown', async () => {
  await ada.file('shop.env', '# of the shop\nFIRST="canary-1"\nSECOND=canary-2\nEMPTY=\n');
  const given = ada.with({ THIRD: 'canary-3' }, '{"SECOND":"canary-4"}');
  const words = ['--env-file', 'shop.env', '--secret-values', '-', '--secret', 'THIRD'];
  const made = await given('core', 'projects', 'import', 'shop.svcar', '--name', 'With secrets', ...words);
  expect(made.json, made.stderr).toMatchObject({ status: 'imported' });
  expect(made.stdout + made.stderr).not.toContain('canary');
  const { secrets } = (await ada.svc('secrets', 'list', made.json.project_id)).json;
  expect(secrets.map(({ key }: { key: string }) => key).toSorted()).toEqual(['FIRST', 'SECOND', 'THIRD']);
  const without = await importing('shop.svcar', '--secret', 'NO_SUCH');
  expect(without.error).toMatchObject({ code: 'MISSING_SECRET', field: 'secret' });
  expect((await importing('shop.svcar', '--secret-values', '[1]')).error.code).toBe('BAD_USAGE');
  expect((await importing('shop.svcar', '--secret-values', '{"SVC_KEY":"x"}')).error.code).toBe('RESERVED_SECRET_KEY');
});

test('secrets are set from a file, the environment and standard input, and none is shown', async () => {
  const set = ada.with({ KEY: 'canary-of-env', SVC_PROJECT_ID: ada.project }, 'canary-of-stdin\n');
  await ada.file('secret.txt', 'canary-of-file\n');
  const told = [
    await set('secrets', 'set', 'FROM_ENV', '--env', 'KEY'),
    await set('secrets', 'set', 'FROM_STDIN'),
    await set('secrets', 'set', 'FROM_FILE', '--file', 'secret.txt'),
    await set('secrets', 'list'),
  ];
  for (const { code, stdout, stderr } of told) {
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('canary');
  }
  const keys = told.at(-1)!.json.secrets.map(({ key }: { key: string }) => key);
  expect(keys.toSorted()).toEqual(['FROM_ENV', 'FROM_FILE', 'FROM_STDIN']);
  expect((await set('secrets', 'set', 'FROM_ENV', '--env', 'NO_SUCH')).error.code).toBe('MISSING_SECRET');
  expect((await set('secrets', 'set', 'FROM_FILE', '--file', 'absent.txt')).error.code).toBe('FILE_NOT_FOUND');
  expect((await set('secrets', 'set')).error.code).toBe('BAD_USAGE');
  expect((await set('secrets', 'delete', 'FROM_ENV')).code).toBe(0);
  expect((await set('secrets', 'list')).json.secrets).toHaveLength(2);
});
