import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { faultyRoad } from '../sdk/faulty-road.ts';
import { terminal } from './command.ts';

const service = await startService();
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
});

const keysFile = join(ada.config, 'credentials', 'project-keys.v1.json');
let project: string;
let serviceKey: string;
beforeAll(async () => {
  await ada.svc('init');
  await ada.svc('org', 'create');
  const made = await ada.svc('projects', 'provision', '--name', 'Shop');
  project = made.json.project_id;
  const kept = JSON.parse(await readFile(keysFile, 'utf8'));
  serviceKey = kept.keys[service.url][project].service_key;
  expect(made.json).toMatchObject({ keys_saved: true });
  expect(made.stdout + made.stderr).not.toContain(serviceKey);
});

test('keys of a project stand in a file of its owner’s, and on the screen only when they are to', async () => {
  expect(((await stat(keysFile)).mode & 0o777).toString(8)).toBe('600');
  const quiet = [
    await ada.svc('projects', 'keys'),
    await ada.svc('credentials', 'project-keys', 'list'),
    await ada.svc('credentials', 'project-keys', 'status'),
    await ada.svc('credentials', 'project-keys', 'export'),
    await ada.svc('projects', 'get'),
  ];
  for (const { stdout, stderr } of quiet) expect(stdout + stderr).not.toContain(serviceKey);
  expect(quiet[3]!.error.code).toBe('REVEAL_REQUIRED');
  expect((await ada.svc('credentials', 'project-keys', 'export', '--reveal')).json.service_key).toBe(serviceKey);
  expect((await ada.svc('projects', 'keys', '--reveal')).json.service_key).toBe(serviceKey);
});

test('a file with keys that others can read is refused', async () => {
  await chmod(keysFile, 0o644);
  expect((await ada.svc('credentials', 'project-keys', 'list')).error).toMatchObject({
    code: 'BAD_FILE',
    details: { mode: '0644', wanted: '0600' },
  });
  await chmod(keysFile, 0o600);
});

test('SQL runs from words, a file and standard input', async () => {
  await ada.file('schema.sql', 'create table notes (id int primary key, text text not null)');
  expect((await ada.svc('projects', 'sql', '--file', 'schema.sql')).code).toBe(0);
  const insert = [
    'projects',
    'sql',
    project,
    'insert into notes values ($1, $2) returning id',
    '--params',
    '[1, "one"]',
  ];
  expect((await ada.svc(...insert)).json.rows).toEqual([{ id: 1 }]);
  expect((await ada.with({}, 'select text from notes')('projects', 'sql', '-')).json.rows).toEqual([{ text: 'one' }]);
  expect((await ada.svc('projects', 'sql')).error.code).toBe('BAD_USAGE');
  expect((await ada.svc('projects', 'sql', 'select 1', '--params', '[1')).error.code).toBe('BAD_JSON_FLAG');
  const wrong = await ada.svc('projects', 'sql', 'select * from nothing');
  expect(wrong.error).toMatchObject({ status: 'error', source: 'gateway' });
  expect((await ada.svc('projects', 'schema')).stdout).toContain('notes');
});

test('a manifest is validated, applied and read back, and rows come by either key', async () => {
  const manifest = { version: 1, tables: [{ name: 'notes', expose: true, policy: 'public_read_authenticated_write' }] };
  await ada.file('expose.json', manifest);
  expect((await ada.svc('projects', 'validate-expose', '--file', 'expose.json')).json.has_errors).toBe(false);
  expect((await ada.svc('projects', 'validate-expose', JSON.stringify(manifest), '--no-project')).json.has_errors).toBe(
    true,
  );
  expect((await ada.svc('projects', 'rest', 'notes')).error.http).toBe(403);
  expect((await ada.svc('projects', 'apply-expose', '--file', 'expose.json')).code).toBe(0);
  expect((await ada.svc('projects', 'get-expose')).stdout).toContain('notes');
  expect((await ada.svc('projects', 'rest', 'notes', '--query', 'id=eq.1&select=text')).json).toEqual([
    { text: 'one' },
  ]);
  const body = ['--body', '{"id":2,"text":"two"}'];
  expect((await ada.svc('projects', 'rest', 'notes', ...body)).code).toBe(1);
  expect((await ada.svc('projects', 'rest', 'notes', ...body, '--key', 'service')).json).toEqual([
    { id: 2, text: 'two' },
  ]);
  const one = ['projects', 'rest', 'notes', '--query', 'id=eq.2', '--key', 'service'];
  expect((await ada.svc(...one, '--method', 'PATCH', '--body', '{"text":"zwei"}')).json).toEqual([
    { id: 2, text: 'zwei' },
  ]);
  expect((await ada.svc(...one, '--method', 'DELETE')).json).toHaveLength(1);
});

test('what changes in a live table is told as it happens, and once when that is asked for', async () => {
  const manifest = {
    version: 1,
    tables: [{ name: 'notes', expose: true, policy: 'public_read_authenticated_write', live: true }],
  };
  await ada.file('expose.json', manifest);
  await ada.svc('projects', 'apply-expose', '--file', 'expose.json');
  const start = await ada.svc('live', '--tables', 'notes', '--once');
  expect(start.json).toMatchObject({ changes: [], cursor: expect.any(String) });
  const live = ada.stream('live', '--tables', 'notes');
  await expect.poll(() => live.lines().map(({ event }) => event)).toEqual(['ready']);
  await ada.svc('projects', 'sql', "insert into notes values (3, 'three')");
  await expect
    .poll(() => live.lines()[1])
    .toMatchObject({ event: 'change', table: 'notes', op: 'insert', pk: [{ id: 3 }] });
  expect(await live.stop()).toMatchObject({ code: 0, stderr: '' });
  const later = await ada.svc(
    'live',
    '--tables',
    'notes',
    '--once',
    '--cursor',
    start.json.cursor,
    '--wait',
    '5',
    '--as',
    'anon',
  );
  expect(later.json.changes).toEqual([expect.objectContaining({ table: 'notes' })]);
  expect((await ada.svc('live', '--tables', 'nothing')).error.code).toBe('TABLE_NOT_LIVE');
  expect((await ada.svc('live')).error.code).toBe('BAD_USAGE');
});

test('a live stream that drops says so here, and goes on after its cursor', async () => {
  const road = await faultyRoad(service.url);
  const live = ada.streamWith({ SVC_API_BASE: road.url, SVC_SERVICE_KEY: serviceKey, SVC_PROJECT_ID: project })(
    'live',
    '--tables',
    'notes',
  );
  const told = () => live.lines().map(({ event }) => event);
  await expect.poll(told).toEqual(['ready']);
  const { cursor } = live.lines()[0];
  road.cut();
  await expect.poll(told).toContain('disconnected');
  await ada.svc('projects', 'sql', "insert into notes values (4, 'four')");
  await expect.poll(told).toContain('change');
  expect(live.lines()[1]).toEqual({ event: 'disconnected', cursor });
  expect(live.lines().find(({ event }) => event === 'change')).toMatchObject({ table: 'notes', pk: [{ id: 4 }] });
  expect((await live.stop()).code).toBe(0);
  road.close();
});

test('users of a project are made, invited, found by what they may do, and their sign-in is decided on', async () => {
  const given = ada.with({}, 'a long password\n');
  const made = await given('auth', 'create-user', 'ada@example.com', '--password', '-');
  expect(made.json).toMatchObject({ email: 'ada@example.com', created: true });
  const { anon_key: apikey } = (await ada.svc('projects', 'keys', '--reveal')).json;
  const signedIn = await service.call(service.actors.nobody, 'POST', '/auth/v1/token?grant_type=password', {
    headers: { apikey },
    body: { email: 'ada@example.com', password: 'a long password' },
  });
  expect(signedIn.status).toBe(200);
  expect((await ada.svc('projects', 'promote-user', 'ada@example.com')).code).toBe(0);
  expect((await ada.svc('projects', 'demote-user', 'ada@example.com')).code).toBe(0);
  const invited = await ada.svc('auth', 'invite-user', 'bob@example.com', '--redirect-url', 'http://localhost:3000/in');
  expect(invited.json).toMatchObject({ invite_sent: true });
  expect((await ada.svc('auth', 'settings')).json.public_signup).toBe('open');
  expect((await ada.svc('auth', 'settings', '--public-signup', 'invite_only')).json.public_signup).toBe('invite_only');
  expect((await ada.svc('auth', 'providers')).code).toBe(0);
  const code = await ada.svc('auth', 'magic-link', '--email', 'ada@example.com', '--delivery', 'code');
  expect(code.json.challenge_id).toBeTypeOf('string');
  const { challenge_id } = code.json;
  expect((await ada.svc('auth', 'verify', '--challenge-id', challenge_id, '--code', '000000')).error.http).toBe(401);
  expect((await ada.svc('auth', 'verify', '--token', 'x', '--code', '1')).error.code).toBe('BAD_USAGE');
  expect((await ada.svc('auth', 'passkeys', '--token', 'x')).error.http).toBe(401);
  expect(
    (await ada.svc('auth', 'passkey-login-options', '--app-origin', 'http://localhost:3000')).json.challenge_id,
  ).toBeTypeOf('string');
  expect((await ada.svc('auth', 'delete-user', made.json.id)).code).toBe(0);
});

test('the command that a refused redirect names adds the URL to the list, and it can be taken off again', async () => {
  const invite = () =>
    ada.svc('auth', 'invite-user', 'eve@example.com', '--redirect-url', 'https://app.example.com/in?a=b');
  const { error } = await invite();
  expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: { setting: 'allowed_redirect_urls' } });
  const [{ command }] = error.next_actions as [{ command: string }];
  expect(command).toBe(`svc auth settings --project ${project} --add-redirect-url https://app.example.com/in`);
  const added = await ada.svc(...command.split(' ').slice(1));
  expect(added.json.allowed_redirect_urls).toEqual(['https://app.example.com/in']);
  expect((await invite()).json.invite_sent).toBe(true);
  const both = await ada.svc(
    'auth',
    'settings',
    '--add-redirect-url',
    'https://a.example',
    '--add-redirect-url',
    'https://b.example',
  );
  expect(both.json.allowed_redirect_urls).toHaveLength(3);
  const left = await ada.svc('auth', 'settings', '--remove-redirect-url', 'HTTPS://A.example/');
  expect(left.json.allowed_redirect_urls).toEqual(['https://app.example.com/in', 'https://b.example']);
  expect((await ada.svc('auth', 'settings', '--allowed-redirect-urls', 'none')).json.allowed_redirect_urls).toEqual([]);
  expect((await ada.svc('auth', 'settings', '--add-redirect-url', 'https://*.example.com')).error.message).toMatch(
    /wildcard/,
  );
});

test('a grant lets a delegate’s token read, and the token goes before the wallet', async () => {
  const address = (await ada.svc('allowance', 'export')).json.address;
  const granted = await ada.svc('grants', 'create', project, address, 'read');
  const { grant_id } = granted.json;
  expect((await ada.svc('grants', 'list')).json.grants).toHaveLength(1);
  const scope = JSON.stringify({ v: 1, capabilities: ['read'] });
  const made = await ada.svc('delegates', 'create', '--grant', grant_id, '--scope', scope);
  expect(made.json.token).toBeTypeOf('string');
  const delegate = ada.with({ SVC_DELEGATE_TOKEN: made.json.token });
  expect((await delegate('projects', 'get', project)).json.project_id).toBe(project);
  expect((await delegate('projects', 'rename', project, 'Mine')).error.http).toBe(403);
  expect((await ada.svc('delegates', 'revoke', made.json.delegate_id)).code).toBe(0);
  expect((await delegate('projects', 'get', project)).error.http).toBe(401);
  expect((await ada.svc('grants', 'revoke', grant_id)).code).toBe(0);
});

test('an id of two dots ends nothing but the command', async () => {
  expect((await ada.svc('grants', 'revoke', project, '..')).error.code).toBe('BAD_USAGE');
  expect((await ada.svc('projects', 'get', project)).json.project_id).toBe(project);
});

test('events are emitted, read by filters, followed, and found again by the request that made them', async () => {
  const key = ['--idempotency-key', 'order-17'];
  expect((await ada.svc('events', 'emit', 'order_paid', '--payload', '{"order":17}', ...key)).code).toBe(0);
  await expect
    .poll(async () => (await ada.svc('events', '--type', 'order_paid', '--source', 'app')).json.events)
    .toEqual([expect.objectContaining({ event_type: 'order_paid', payload: { order: 17 } })]);
  const watch = ada.stream('events', '--watch', '--type', 'order_paid');
  await expect.poll(() => watch.lines().map(({ event }) => event.payload)).toEqual([{ order: 17 }]);
  await watch.stop();
  const [made] = (
    await ada.svc('org', 'audit', '--org', (await ada.svc('projects', 'get')).json.org_id, '--limit', '200')
  ).json.events.filter(({ action }: { action: string }) => action === 'project.created');
  const logs = await ada.svc('logs', '--request-id', made.request_id);
  expect(logs.json).toMatchObject({
    ok: true,
    scanned: ['audit', 'errors', 'events', 'functions', 'mail', 'payments', 'requests'],
    project_id: project,
  });
  expect(logs.json.entries).toContainEqual(
    expect.objectContaining({ source: 'audit', message: 'project.created', origin: 'platform' }),
  );
  expect((await ada.svc('logs', '--request-id', made.request_id, '--app')).json.hidden.platform).toBeGreaterThan(0);
  expect((await ada.svc('logs', '--request-id', 'nonsense')).error.code).toBe('BAD_USAGE');
  // As the next actions of failures name it, and for an organization alone.
  expect(await ada.svc('logs', 'checkout', '--request-id', made.request_id)).toMatchObject({ code: 0, stderr: '' });
  const { org_id } = (await ada.svc('projects', 'get')).json;
  const ofOrg = await ada.svc('logs', '--request-id', made.request_id, '--org', org_id);
  expect(ofOrg.json).toMatchObject({ ok: true, scanned: ['audit', 'events', 'payments'], project_id: null, org_id });
  expect(ofOrg.json.entries).toContainEqual(expect.objectContaining({ message: 'project.created' }));
  expect(
    (await ada.svc('logs', '--request-id', made.request_id, '--org', org_id, '--project', project)).error.code,
  ).toBe('BAD_USAGE');
});

test('a checkout is linked to one project, by a file that is no symbolic link', async () => {
  expect((await ada.svc('projects', 'use', project, '--link')).json.link).toContain('project.json');
  expect((await ada.svc('projects', 'current')).json).toMatchObject({ project_id: project, linked: project });
  const other = (await ada.svc('projects', 'provision')).json.project_id;
  expect((await ada.svc('projects', 'use', other, '--link')).error.code).toBe('SVC_WORKSPACE_LINK_CONFLICT');
  expect((await ada.with({ SVC_PROJECT_ID: other })('projects', 'get')).json.project_id).toBe(other);
  await ada.file('.svc/project.json', { schema_version: 'another', project_id: project });
  expect((await ada.svc('projects', 'get')).error.code).toBe('SVC_WORKSPACE_LINK_INVALID');
  await ada.file('.svc/project.json', { schema_version: 'svc.workspace-project.v1', project_id: project });
  expect((await ada.svc('projects', 'delete', other)).error.code).toBe('CONFIRMATION_REQUIRED');
  expect((await ada.svc('projects', 'delete', other, '--confirm')).code).toBe(0);
});

test('without keys and without a project a command says what is missing, and asks nobody', async () => {
  const stranger = await terminal('http://127.0.0.1:9');
  expect((await stranger.svc('projects', 'get')).error.code).toBe('PROJECT_REQUIRED');
  expect((await stranger.svc('projects', 'rest', project, 'notes')).error.code).toBe('PROJECT_CREDENTIAL_NOT_FOUND');
  expect((await stranger.svc('wallets', 'current')).json).toEqual({ name: 'default', address: null });
  await stranger.remove();
});
