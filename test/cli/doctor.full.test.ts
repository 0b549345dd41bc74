import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { asProcess, terminal } from './command.ts';

let version: string | undefined = '0.1.0';
const gateway = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ status: 'ok', deployment: { version } }));
});
gateway.listen(0, '127.0.0.1');
await new Promise((listening) => gateway.once('listening', listening));
const ada = await terminal(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`, asProcess());
afterAll(async () => {
  gateway.close();
  gateway.closeAllConnections();
  await ada.remove();
});

async function source(name: string, text: string): Promise<void> {
  const path = join(ada.checkout, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const check = async (name: string, ...words: string[]) => {
  const { code, json, error } = await ada.svc('doctor', '--only', name, ...words);
  return { code, error, ...json?.checks[0] };
};

const library = "from '@svc/functions'";

test.each([
  ['a name that the library has not', `import { db, adminDB } ${library};`, 'SVC_AUTH_UNKNOWN_EXPORT', 'error', 1],
  [
    'a member that auth has not',
    `import { auth as who } ${library};\n\nawait who.requireUser(r);\nawait who.getUser(r);`,
    'SVC_AUTH_UNKNOWN_EXPORT',
    'error',
    4,
  ],
  [
    'what is the platform’s own',
    `import { db } ${library};\nexport default () => db.sql('x').then((row) => row.authz_version);`,
    'SVC_AUTH_AUTHZ_VERSION_PROHIBITED',
    'error',
    2,
  ],
  [
    'a user on a page made ahead of time',
    `import { auth } ${library};\nexport const prerender = true;\nconst user = await auth.user();`,
    'SVC_AUTH_PRERENDERED',
    'error',
    2,
  ],
  [
    'a GET that changes something',
    `import { db } ${library};\nexport async function GET({ params }) {\n  await db.from('notes')\n    .delete().eq('id', params.id);\n}`,
    'SVC_AUTH_STATE_CHANGING_GET',
    'warning',
    3,
  ],
])('the scan finds %s, and where', async (_what, text, code, severity, line) => {
  await source('functions/one.ts', text);
  const found = await check('source_scan', '--scan-dir', 'functions');
  expect(found).toMatchObject({ status: severity, code: severity === 'error' ? 1 : 0 });
  expect(found.value.details).toEqual([{ code, severity, line, file: 'one.ts', message: expect.any(String) }]);
});

test('what is right, said in a comment or a text, installed, or of another library is no finding', async () => {
  await source(
    'functions/one.ts',
    [
      `import { db, auth, email, type Handler, PermanentRunError } ${library};`,
      '// authz_version, auth.getUser(), import { nothing }',
      "const told = 'authz_version';",
      'export async function GET(request) {',
      '  const user = await auth.requireUser(request);',
      "  request.headers.delete('cookie');",
      "  return db.from('notes').select().eq('user', user.id);",
      '}',
      "export async function POST() { await db.from('notes').insert({}); await email.send({}); }",
    ].join('\n'),
  );
  await source('functions/two.ts', "import { anything } from 'elsewhere';\nanything.authz_version;");
  await source('functions/node_modules/three.ts', `import { nothing } ${library};`);
  expect(await check('source_scan', '--scan-dir', 'functions')).toMatchObject({
    status: 'ok',
    value: { files: 1, findings: 0, errors: 0, warnings: 0, details: [] },
  });
});

test('the functions of a release specification are scanned, wherever their sources stand', async () => {
  await source('sources/late.ts', `import { nothing } ${library};`);
  await ada.file('release.json', {
    functions: {
      replace: {
        given: { source: `import { nothing } ${library};` },
        packed: {
          files: {
            'a.js': { data: Buffer.from(`import { nothing } ${library};`).toString('base64'), encoding: 'base64' },
          },
        },
        named: { source: { path: 'sources/late.ts' } },
        elsewhere: { source: { sha256: 'ab', size: 1 } },
        lost: { source: { path: 'sources/none.ts' } },
      },
    },
  });
  const { value, status } = await check('source_scan', '--manifest', 'release.json');
  expect(status).toBe('error');
  expect(value.details.map(({ code, file }: { code: string; file: string }) => [code, file])).toEqual([
    ['SVC_AUTH_SOURCE_SCAN_ERROR', 'functions.lost.source'],
    ['SVC_AUTH_UNKNOWN_EXPORT', 'functions.given.source'],
    ['SVC_AUTH_UNKNOWN_EXPORT', 'functions.packed.a.js'],
    ['SVC_AUTH_UNKNOWN_EXPORT', 'functions.named.source'],
  ]);
  await rm(join(ada.checkout, 'release.json'));
});

test.each([
  ['quotes', "\\'"],
  ['templates', '\\`'],
  ['comments', '/*'],
  ['imports', 'import { '],
  ['handlers', 'export function GET({ '],
])('a source of %s that nothing closes is scanned to its end', async (_what, opening) => {
  const head = `import { nothing } ${library};\n`;
  await source('functions/one.ts', head + opening.repeat(1_000_000 / opening.length));
  const found = await check('source_scan', '--scan-dir', 'functions');
  expect(found.value.details).toEqual([expect.objectContaining({ code: 'SVC_AUTH_UNKNOWN_EXPORT', line: 1 })]);
});

test('an apostrophe between words hides nothing behind it', async () => {
  const lines = [`import { auth } ${library};`, "const page = <p>don't</p>; // auth.nothing()", 'auth.getUser();'];
  await source('functions/one.ts', lines.join('\n'));
  const { value } = await check('source_scan', '--scan-dir', 'functions');
  expect(value.details.map(({ line }: { line: number }) => line)).toEqual([3]);
});

test('links are not followed, and what is no source of a person’s is said to be unread', async () => {
  await source('functions/one.ts', `import { nothing } ${library};`);
  await symlink('.', join(ada.checkout, 'functions', 'again'));
  await source('functions/long.js', `import { nothing } ${library};`.padEnd(1024 * 1024 + 1));
  const { value } = await check('source_scan', '--scan-dir', 'functions');
  expect(value.details.map(({ code, file }: { code: string; file: string }) => [code, file]).sort()).toEqual([
    ['SVC_AUTH_SOURCE_SCAN_ERROR', 'long.js'],
    ['SVC_AUTH_UNKNOWN_EXPORT', 'one.ts'],
  ]);
  for (const functions of [null, { replace: { one: null, two: { source: { path: '/dev/zero' } } } }]) {
    await ada.file('release.json', { functions });
    const found = await check('source_scan', '--manifest', 'release.json');
    expect(found.value.details.map(({ file }: { file: string }) => file)).toEqual(
      functions === null ? [] : ['functions.two.source'],
    );
  }
  await Promise.all(
    ['functions/again', 'functions/long.js', 'release.json'].map((name) => rm(join(ada.checkout, name))),
  );
});

test('who does not want the scan has none, and what is not there is said', async () => {
  await source('functions/one.ts', `import { nothing } ${library};`);
  expect(await check('source_scan')).toMatchObject({ status: 'skipped', hint: expect.stringContaining('--scan-dir') });
  await ada.file('package.json', {});
  expect(await check('source_scan')).toMatchObject({ status: 'error', value: { files: 1 + 1 } });
  expect(await check('source_scan', '--no-scan')).toMatchObject({ status: 'skipped', code: 0 });
  const skipping = ada.with({ SVC_DEPLOY_SKIP_SCAN: '1' });
  expect((await skipping('doctor', '--only', 'source_scan')).json.checks[0].status).toBe('skipped');
  expect(await check('source_scan', '--scan-dir', 'nowhere')).toMatchObject({
    status: 'error',
    message: expect.stringContaining('FILE_NOT_FOUND'),
  });
  expect(await check('source_scan', '--manifest', 'nowhere.json')).toMatchObject({
    status: 'error',
    message: expect.stringContaining('FILE_NOT_FOUND'),
  });
});

test('people read a line for each check, and each finding with its place', async () => {
  await source('functions/one.ts', `import { nothing } ${library};`);
  const { stdout, code } = await ada.svc('doctor', '--only', 'source_scan', '--scan-dir', 'functions', '--human');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^error +source_scan +files 1, findings 1, errors 1, warnings 0\n/);
  expect(stdout).toMatch(/\n +one\.ts:1 SVC_AUTH_UNKNOWN_EXPORT: .*\n/);
});

test('whether there is a newer one is asked when it is to be, of the gateway', async () => {
  expect(await check('cli_update')).toMatchObject({ status: 'skipped' });
  expect(await check('cli_update', '--refresh')).toMatchObject({ status: 'ok', value: { gateway: '0.1.0' } });
  version = '0.10.0';
  expect(await check('cli_update', '--refresh')).toMatchObject({ status: 'warning', code: 0 });
  version = undefined;
  expect(await check('cli_update', '--refresh')).toMatchObject({ status: 'unknown', code: 0 });
  const quiet = ada.with({ SVC_NO_UPDATE_CHECK: '1' });
  expect((await quiet('doctor', '--only', 'cli_update', '--refresh')).json.checks[0].status).toBe('skipped');
});

test('a project that is named is looked for among the kept keys', async () => {
  expect(await check('projects', '--project', 'prj_0kz3m')).toMatchObject({
    status: 'missing',
    code: 1,
    hint: 'svc projects keys --project prj_0kz3m',
  });
  await ada.with({}, '{"anon_key":"anon"}')(
    'credentials',
    'project-keys',
    'import',
    '--file',
    '-',
    '--project',
    'prj_0kz3m',
  );
  expect(await check('projects', '--project', 'prj_0kz3m')).toMatchObject({
    status: 'ok',
    value: { project_count: 1, project_id: 'prj_0kz3m' },
  });
});
