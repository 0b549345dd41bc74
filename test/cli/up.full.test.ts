import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';
import { Failure } from '../../clients/cli/src/failure.ts';
import { readManifest } from '../../clients/cli/src/up/manifest.ts';
import { startService } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';
import { type Terminal, terminal } from './command.ts';

const service = await startService();
const terminals: Terminal[] = [];
afterAll(async () => {
  await Promise.all(terminals.map((one) => one.remove()));
  await service.stop();
});
const examples = fileURLToPath(new URL('../../examples', import.meta.url));

/** A newcomer with a wallet, and an example in their folder. */
async function newcomer(example?: string) {
  const one = await terminal(service.url);
  terminals.push(one);
  await one.svc('init');
  if (example !== undefined) await cp(join(examples, example), join(one.checkout, example), { recursive: true });
  const write = (path: string, text: string) => writeFile(join(one.checkout, path), text);
  const app = (manifest: object) =>
    write(
      'svc.json',
      JSON.stringify({
        app: { id: 'shop' },
        release: { site: { replace: { 'index.html': { data: 'hello' } } } },
        ...manifest,
      }),
    );
  return { ...one, write, app };
}

/** Asks the host of an address that a deploy has told. */
const ask = (url: string, path = '/') => asking(service, new URL(url).hostname)(path);

test('a newcomer deploys the example site by one command, changes it, and goes back by one', async () => {
  const ada = await newcomer('site');
  const first = await ada.svc('up', 'site');
  expect(first.error).toBeUndefined();
  expect(first.json).toMatchObject({
    app: 'field-notes',
    project_made: true,
    status: 'ready',
    checks: [
      { id: 'home', status: 200, passed: true },
      { id: 'missing', status: 404, passed: true },
    ],
  });
  const { url, project_id, release_id } = first.json;
  for (const [path, file] of [
    ['/', 'index.html'],
    ['/about', 'about.html'],
    ['/journal/lime-trees', 'journal/lime-trees.html'],
    ['/leaf.svg', 'leaf.svg'],
  ] as const)
    expect((await ask(url, path)).text, path).toBe(await readFile(join(examples, 'site/public', file), 'utf8'));
  expect(await ask(url, '/nothing')).toMatchObject({
    status: 404,
    text: expect.stringContaining('The path ends here'),
  });

  await ada.write('site/public/index.html', 'Another page');
  const second = await ada.svc('up', 'site');
  expect(second.json).toMatchObject({ project_made: false, project_id, status: 'ready' });
  expect((await ask(url)).text).toBe('Another page');
  expect((await ada.svc('deploy', 'promote', release_id)).code).toBe(0);
  expect((await ask(url)).text).toContain('What grows beside the path');
});

test('whether every host answers with the latest deploy is asked by the manifest alone', async () => {
  const ada = await newcomer();
  await ada.app({});
  expect((await ada.svc('up', 'verify')).error.code).toBe('PROJECT_REQUIRED');
  await ada.svc('up');
  await ada.app({ release: { site: { replace: { 'index.html': { data: 'newer' } } } } });
  const newest = (await ada.svc('up')).json;
  const verified = await ada.svc('up', 'verify', '--wait');
  expect(verified).toMatchObject({ code: 0, json: { coherent: true, operation_id: newest.operation_id } });
});

test('a migration that loses data asks before anything is uploaded, however long its SQL is', async () => {
  const ada = await newcomer();
  const release = (sql: string) =>
    ada.app({
      release: {
        database: { migrations: [{ name: sql.slice(0, 4).trim(), sql_path: `${sql.slice(0, 4).trim()}.sql` }] },
      },
    });
  await ada.write('crea.sql', 'create table notes (id int)');
  await release('create');
  expect((await ada.svc('up')).json.status).toBe('ready');
  for (const [name, sql] of [
    ['drop', 'drop table notes'],
    ['long', `drop table notes; -- ${'x'.repeat(300_000)}`],
  ] as const) {
    await ada.write(`${name}.sql`, sql);
    await release(name);
    const asked = await ada.svc('up');
    expect(asked.error, name).toMatchObject({ code: 'MIGRATION_SCHEMA_SHRINKING' });
  }
  expect((await ada.svc('up', '--allow-warning', 'MIGRATION_SCHEMA_SHRINKING')).json.status).toBe('ready');
});

test('the notes app comes up by one command: table, rights and page', async () => {
  const ada = await newcomer('notes');
  const { json, error } = await ada.svc('up', 'notes');
  expect(error).toBeUndefined();
  const { anon_key: anonKey, project_id: projectId } = JSON.parse((await ask(json.url, '/_svc/config.json')).text);
  expect(projectId).toBe(json.project_id);
  const page = (await ask(json.url)).text;
  expect(page).toContain('src="/app.js"');
  const script = (await ask(json.url, '/app.js')).text;
  expect(script).toContain("from './gateway.js'");
  expect(script).not.toContain('interface ');
  // Nobody reads notes without signing in, and whoever does their own alone.
  const rows = await service.call(service.actors.apikey(anonKey), 'GET', '/rest/v1/notes');
  expect(rows.body).toEqual([]);
  // Nothing has changed, and the migration is not run twice.
  expect((await ada.svc('up', 'notes')).json.status).toBe('ready');
});

test('a plan makes, sets and deploys nothing', async () => {
  const ada = await newcomer();
  await ada.app({ secrets: { STRIPE_KEY: {} }, resources: { mailboxes: { hello: { slug: 'hello-there' } } } });
  const plan = await ada.with({ STRIPE_KEY: 'sk_1' })('up', '--plan');
  expect(plan.json).toMatchObject({
    app: 'shop',
    project: { to_make: 'shop' },
    secrets_to_set: ['STRIPE_KEY'],
    mailboxes_to_make: ['hello-there'],
  });
  expect((await ada.svc('projects', 'list')).json.projects).toEqual([]);
  await ada.svc('up');
  await ada.app({ release: { site: { replace: { 'index.html': { data: 'changed' } } } } });
  const second = await ada.svc('up', '--plan');
  expect(second.json).toMatchObject({ app: 'shop', is_noop: false });
  expect(JSON.stringify(plan.json) + plan.stderr).not.toContain('sk_1');
});

test('secrets are set from the environment before the release that requires them, and a missing one stops all', async () => {
  const ada = await newcomer();
  await ada.app({ secrets: { STRIPE_KEY: { required: true, source_env: 'SHOP_STRIPE_KEY' } } });
  const refused = await ada.svc('up');
  expect(refused.error).toMatchObject({ code: 'MISSING_REQUIRED_SECRET', details: { keys: ['STRIPE_KEY'] } });
  expect(refused.error.hint).toContain('SHOP_STRIPE_KEY');
  expect((await ada.svc('projects', 'list')).json.projects).toEqual([]);
  const done = await ada.with({ SHOP_STRIPE_KEY: 'sk_2' })('up');
  expect(done.json).toMatchObject({ secrets_set: ['STRIPE_KEY'], status: 'ready' });
  // It is there now, and need not be given again.
  await ada.app({
    secrets: { STRIPE_KEY: { required: true } },
    release: { site: { replace: { 'index.html': { data: 'two' } } } },
  });
  expect((await ada.svc('up')).json).toMatchObject({ secrets_set: [], status: 'ready' });
});

test('mailboxes are made once, with their roles', async () => {
  const ada = await newcomer();
  const mailboxes = {
    hello: { slug: 'hello-there', roles: ['default_outbound'] },
    sign_in: { slug: 'sign-in', roles: ['auth_sender'] },
  };
  await ada.app({ resources: { mailboxes } });
  expect((await ada.svc('up')).json.mailboxes_made).toEqual(['hello-there', 'sign-in']);
  expect((await ada.svc('up')).json.mailboxes_made).toEqual([]);
  const { mailboxes: found } = (await ada.svc('email', 'mailboxes')).json;
  expect(found).toMatchObject([
    { slug: 'sign-in', is_auth_sender: true, is_default_outbound: false },
    { slug: 'hello-there', is_auth_sender: false, is_default_outbound: true },
  ]);
});

test('a build runs first, in order, and one that fails deploys nothing', async () => {
  const ada = await newcomer();
  const write = (text: string) => ['node', '-e', `require('node:fs').appendFileSync('out/index.html', '${text}')`];
  const release = { site: { replace: { __source: 'local-dir', path: 'out' } } };
  const commands = [
    { id: 'folder', argv: ['mkdir', 'out'] },
    { id: 'one', argv: write('one ') },
    { id: 'two', argv: write('two') },
  ];
  await ada.app({ release, build: { commands } });
  const built = await ada.svc('up');
  expect((await ask(built.json.url)).text).toBe('one two');
  const again = await ada.svc('up');
  expect(again.error).toMatchObject({ code: 'BUILD_FAILED', details: { id: 'folder', exit_code: 1 } });
  expect((await ada.svc('up', '--skip-build')).json.status).toBe('ready');
  await ada.app({ release, build: { commands: [{ id: 'line', shell: 'echo hello > out/index.html' }] } });
  expect((await ada.svc('up')).error.code).toBe('SHELL_BUILD_NOT_ALLOWED');
  const shell = await ada.svc('up', '--allow-shell-build');
  expect((await ask(shell.json.url)).text).toBe('hello\n');
  await ada.app({ release, build: { commands: [{ id: 'out', argv: ['ls'], cwd: '../..' }] } });
  expect((await ada.svc('up')).error.code).toBe('INVALID_MANIFEST');
  await ada.app({ release, build: { mode: 'remote', commands: [{ id: 'one', argv: ['ls'] }] } });
  expect((await ada.svc('up')).error.code).toBe('BUILD_MODE_NOT_AVAILABLE');
});

test('a check that fails says so, of a release that is live', async () => {
  const ada = await newcomer();
  await ada.app({ verify: { http: [{ id: 'gone', path: '/gone.txt', retries: 0 }] } });
  const { code, error } = await ada.svc('up');
  expect([code, error.code]).toEqual([1, 'VERIFY_FAILED']);
  expect(error.details.checks).toMatchObject([{ id: 'gone', status: 404, passed: false }]);
});

test('of two projects with the name none is taken', async () => {
  const ada = await newcomer();
  await ada.svc('org', 'create');
  const made = [];
  for (let time = 0; time < 2; time++)
    made.push((await ada.svc('projects', 'provision', '--name', 'shop')).json.project_id);
  await ada.app({});
  const { error } = await ada.svc('up');
  expect(error.code).toBe('AMBIGUOUS_PROJECT');
  expect(error.details.projects.toSorted()).toEqual(made.toSorted());
  expect((await ada.svc('up', '--project', made[0])).json.project_id).toBe(made[0]);
});

const least = { app: { id: 'shop' }, release: {} };
const bad: readonly (readonly [resource: string, manifest: unknown])[] = [
  ['', []],
  ['app', { release: {} }],
  ['app.id', { app: { id: 'Shop' }, release: {} }],
  ['release', { app: { id: 'shop' } }],
  ['release.verify', { ...least, release: { verify: {} } }],
  ['spec_version', { ...least, spec_version: 2 }],
  ['functions', { ...least, functions: {} }],
  ['project.origin.domain', { ...least, project: { origin: { domain: 'x' } } }],
  ['lifecycle.project', { ...least, lifecycle: { project: 'own' } }],
  ['secrets.SVC_KEY', { ...least, secrets: { SVC_KEY: {} } }],
  ['secrets.KEY.required', { ...least, secrets: { KEY: { required: 'yes' } } }],
  ['resources.mailboxes.Hello', { ...least, resources: { mailboxes: { Hello: { slug: 'x' } } } }],
  ['resources.mailboxes.hello.slug', { ...least, resources: { mailboxes: { hello: {} } } }],
  ['resources.mailboxes.hello.roles.0', { ...least, resources: { mailboxes: { hello: { slug: 'x', roles: ['x'] } } } }],
  ['build.commands.0', { ...least, build: { commands: [{ id: 'x' }] } }],
  ['build.commands.0', { ...least, build: { commands: [{ id: 'x', argv: ['a'], shell: 'a' }] } }],
  ['build.commands.0.argv.1', { ...least, build: { commands: [{ id: 'x', argv: ['a', 1] }] } }],
  ['verify.http.0.path', { ...least, verify: { http: [{ path: 'x' }] } }],
  ['verify.http.0.expect.status', { ...least, verify: { http: [{ path: '/', expect: { status: 99 } }] } }],
];

test.each(bad)(
  'a manifest with a bad %s is refused by its path, and by the schema for editors',
  async (resource, manifest) => {
    const validate = new Ajv2020({ strict: false }).compile(
      JSON.parse(await readFile(new URL('../../clients/cli/svc.schema.json', import.meta.url), 'utf8')),
    );
    expect(validate(manifest)).toBe(false);
    let refused: unknown;
    try {
      readManifest(manifest);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(Failure);
    expect((refused as Failure).envelope).toMatchObject({ code: 'INVALID_MANIFEST', details: { resource } });
  },
);

test('the manifests of the examples hold to the schema', async () => {
  const validate = new Ajv2020({ strict: false }).compile(
    JSON.parse(await readFile(new URL('../../clients/cli/svc.schema.json', import.meta.url), 'utf8')),
  );
  for (const example of ['site', 'notes']) {
    expect(validate(JSON.parse(await readFile(join(examples, example, 'svc.json'), 'utf8'))), example).toBe(true);
  }
});
