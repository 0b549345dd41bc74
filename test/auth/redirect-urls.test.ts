import { GoTrueClient } from '@supabase/auth-js';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { giveRateBack } from '../helpers/project-rate.ts';
import { startService } from '../helpers/service.ts';
import { authProject, expectNoSecretLogged, newEmail } from './auth-project.ts';

const service = await startService({ nodes: 2 });
const project = await authProject(service);
const stranger = await authProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await stranger.end();
  await service.stop();
});

beforeEach(async () => {
  await project.settings(`allowed_redirect_urls = '{}'`);
  await project.sql('delete from auth.throttles');
  giveRateBack(service, project.projectId);
});

const { auth } = project;
const asService = service.actors.apikey(project.serviceKey);
const change = (body: object) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  service.call<any>(asService, 'PATCH', '/auth/v1/settings', { body });
const allow = async (...urls: string[]) => {
  const { status, body } = await change({ allowed_redirect_urls: urls });
  expect(status).toBe(200);
  return body.allowed_redirect_urls as string[];
};
const ask = (redirect_url: string, more: object = {}) =>
  auth('POST', '/auth/v1/magic-link', { body: { email: newEmail(), redirect_url, ...more } });
const byLink = (token: string) => auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } });
const linkIn = (text: string) => /^https?:\S+$/m.exec(text)![0];

test('a refused redirect names the list, and the command that adds to it', async () => {
  const refused = await ask('https://app.example.com/auth/cb?next=%2Fhome#top');
  expectRefusal(refused, 'VALIDATION_FAILED', { field: 'redirect_url', setting: 'allowed_redirect_urls' });
  expect(refused.body.message).toMatch(/on the project’s list of allowed redirect URLs/);
  expect(refused.body.next_actions).toEqual([
    {
      type: 'allow_redirect_url',
      command: `svc auth settings --project ${project.projectId} --add-redirect-url https://app.example.com/auth/cb`,
      why: expect.stringContaining('allowed_redirect_urls'),
    },
  ]);
  // No list takes it, so no command is named. A shell reads nothing into one that is.
  const never = await ask('http://app.example.com/');
  expect(never.body.next_actions).toEqual([expect.objectContaining({ type: 'edit_request' })]);
  expect((await ask(`https://app.example.com/a;b'$(c)`)).body.next_actions[0].command).toBe(
    `svc auth settings --project ${project.projectId} --add-redirect-url 'https://app.example.com/a;b'\\''$(c)'`,
  );
});

test('mail links, invitations and recovery lead to a URL on the list, as the parser writes it', async () => {
  await allow('https://app.example.com/auth');
  const wanted = 'HTTPS://APP。example.com:443/x/../auth/cb?token=mine&a=b&token=mine#part';
  for (const intent of ['signin', 'recovery'] as const) {
    const email = intent === 'recovery' ? (await project.user()).email : newEmail();
    expect((await ask(wanted, { email, intent })).status).toBe(200);
    const { text, token } = await project.mailTo(email);
    expect(linkIn(text)).toBe(`https://app.example.com/auth/cb?token=${token}&a=b#part`);
    expect((await byLink(token!)).status).toBe(200);
  }
  const email = newEmail();
  const body = { email, send_invite: true, redirect_url: 'https://app.example.com/auth' };
  expect((await service.call(asService, 'POST', '/auth/v1/admin/users', { body })).status).toBe(201);
  const { text, token } = await project.mailTo(email);
  expect(linkIn(text)).toBe(`https://app.example.com/auth?token=${token}`);
  expect((await byLink(token!)).status).toBe(200);
  const foreign = { ...body, redirect_url: 'https://app.example.com/other' };
  const refused = await service.call(asService, 'POST', '/auth/v1/admin/users', { body: foreign });
  expectRefusal(refused, 'VALIDATION_FAILED', { field: 'redirect_url' });
});

test('the published client’s redirectTo and emailRedirectTo lead to a URL on the list', async () => {
  await allow('https://app.example.com');
  const client = new GoTrueClient({
    url: `${service.url}/auth/v1`,
    headers: { apikey: project.anonKey },
    autoRefreshToken: false,
    persistSession: false,
  });
  const { email } = await project.user();
  expect((await client.resetPasswordForEmail(email, { redirectTo: 'https://app.example.com/reset' })).error).toBeNull();
  expect(linkIn((await project.mailTo(email)).text)).toMatch(/^https:\/\/app\.example\.com\/reset\?token=/);
  const options = { emailRedirectTo: 'https://app.example.com/welcome' };
  expect((await client.signInWithOtp({ email, options })).error).toBeNull();
  expect(linkIn((await project.mailTo(email, 2)).text)).toMatch(/^https:\/\/app\.example\.com\/welcome\?token=/);
  const evil = { emailRedirectTo: 'https://evil.example/welcome' };
  expect((await client.signInWithOtp({ email, options: evil })).error).toMatchObject({ status: 400 });
});

test('an entry that is removed ends at once, on every node and for links that are in the mail', async () => {
  await allow('https://app.example.com', 'https://other.example.com/cb');
  const [going, staying] = [newEmail(), newEmail()];
  await ask('https://app.example.com/cb', { email: going, delivery: 'both' });
  await ask('https://other.example.com/cb', { email: staying });
  const [gone, kept] = [await project.mailTo(going), await project.mailTo(staying)];
  const { body } = await change({ remove_redirect_urls: ['https://app.example.com/'] });
  expect(body.allowed_redirect_urls).toEqual(['https://other.example.com/cb']);
  // Requests go to the two nodes in turn.
  for (let time = 0; time < 4; time += 1)
    expectRefusal(await ask('https://app.example.com/cb'), 'VALIDATION_FAILED', { field: 'redirect_url' });
  expectRefusal(await byLink(gone.token!), 'INVALID_AUTH', { reason: 'redirect' });
  expect((await byLink(kept.token!)).status).toBe(200);
  // It was shown, and is used up: to allow the URL again does not revive it.
  await allow('https://app.example.com');
  expectRefusal(await byLink(gone.token!), 'INVALID_AUTH', { reason: 'link' });
});

test('a longer path in place of a shorter one ends the links that lead elsewhere', async () => {
  await allow('https://app.example.com');
  const email = newEmail();
  await ask('https://app.example.com/old', { email });
  const { token } = await project.mailTo(email);
  await allow('https://app.example.com/new');
  expectRefusal(await byLink(token!), 'INVALID_AUTH', { reason: 'redirect' });
});

test('a list is the project’s own', async () => {
  await allow('https://app.example.com');
  const foreign = await stranger.auth('POST', '/auth/v1/magic-link', {
    body: { email: newEmail(), redirect_url: 'https://app.example.com/' },
  });
  expectRefusal(foreign, 'VALIDATION_FAILED', { field: 'redirect_url' });
  const body = { project_id: project.projectId, add_redirect_urls: ['https://evil.example'] };
  for (const key of [stranger.serviceKey, stranger.anonKey, project.anonKey]) {
    const refused = await service.call(service.actors.apikey(key), 'PATCH', '/auth/v1/settings', { body });
    expect([401, 403, 404]).toContain(refused.status);
  }
  expect(
    (await service.call<{ allowed_redirect_urls: string[] }>(asService, 'GET', '/auth/v1/settings')).body,
  ).toMatchObject({
    allowed_redirect_urls: ['https://app.example.com'],
  });
});

const app = 'https://app.example.com';
const listed = [
  `${app}/cb`,
  'http://127.0.0.1:4173',
  'http://[::1]:4173/cb',
  'http://dev.localhost:4173',
  'https://xn--bcher-kva.example',
];

test.each([
  // Userinfo, and what looks like a host in it.
  'https://app.example.com@evil.example/cb',
  'https://app.example.com:443@evil.example/cb',
  'https://user@app.example.com/cb',
  'https://:secret@app.example.com/cb',
  'https://app.example.com%2fcb@evil.example/',
  // Backslashes, and characters that parsers drop.
  'https://evil.example\\@app.example.com/cb',
  'https://app.example.com\\@evil.example/cb',
  'https:\\\\app.example.com\\cb',
  'https://app.example.com/cb\\..\\..',
  'https://app.example.com\t/cb',
  'https://app.example\n.com/cb',
  'https://app.example.com/cb\r\nLocation:https://evil.example',
  'https://app.example.com/cb\0',
  ' https://app.example.com/cb',
  'https://app.example.com/cb ',
  'https://app.example.com\u00a0.evil.example/cb',
  // Hosts that look alike, and hosts that begin or end alike.
  'https://\u0430pp.example.com/cb',
  'https://xn--pp-6kc.example.com/cb',
  'https://app.example.com./cb',
  'https://app.example.com.evil.example/cb',
  'https://app.example.com。evil.example/cb',
  'https://evil-app.example.com/cb',
  'https://evilapp.example.com/cb',
  'https://sub.app.example.com/cb',
  'https://example.com/cb',
  'https://bucher.example/',
  // Schemes and ports.
  'http://app.example.com/cb',
  'https://app.example.com:8443/cb',
  'https://app.example.com:80/cb',
  'javascript://app.example.com/cb%0aalert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,https://app.example.com/cb',
  'blob:https://app.example.com/cb',
  'ftp://app.example.com/cb',
  'app.example.com/cb',
  '//app.example.com/cb',
  '//evil.example',
  '/cb',
  '///evil.example/cb',
  'https://',
  'https:///',
  'https://:443/cb',
  '',
  // Paths that leave the prefix, or that a server could be brought to read so.
  'https://app.example.com/',
  'https://app.example.com/cbx',
  'https://app.example.com/CB',
  'https://app.example.com/cb/../evil',
  'https://app.example.com/cb/%2e%2e/evil',
  'https://app.example.com/cb/.%2E/evil',
  'https://app.example.com/cb/%252e%252e/evil',
  'https://app.example.com/cb/..%2fevil',
  'https://app.example.com/cb/..%5cevil',
  'https://app.example.com/cb/%2f%2fevil.example',
  'https://app.example.com/cb/..;/evil',
  'https://app.example.com/cb//evil.example',
  'https://app.example.com//evil.example',
  'https://app.example.com//cb',
  'https://app.example.com/cb%00',
  'https://app.example.com/cb/%0d%0ax',
  'https://app.example.com?/cb',
  'https://app.example.com#/cb',
  // Addresses.
  'http://127.0.0.1/',
  'http://127.0.0.1:4174/',
  'https://127.0.0.1:4173/',
  'http://127.0.0.1.evil.example:4173/',
  'http://0.0.0.0:4173/',
  'http://[::ffff:127.0.0.1]:4173/cb',
  'http://[::]:4173/cb',
  'http://[::1]:4173/',
  'http://2130706434:4173/',
  'http://dev.localhost.evil.example:4173/',
  'http://localhost.:4173/',
  'http://evil.localhost:4173/',
])('no link leads to %j', async (url) => {
  await allow(...listed);
  expectRefusal(await ask(url), 'VALIDATION_FAILED', { field: 'redirect_url' });
});

test.each([
  [`${app}/cb`, `${app}/cb`],
  [`${app}/cb/`, `${app}/cb/`],
  [`${app}/cb/deep/er?x=//evil.example&y=..#/../z`, `${app}/cb/deep/er?x=%2F%2Fevil.example&y=..#/../z`],
  ['https:app.example.com/cb', `${app}/cb`],
  ['hTTps://APP.example.COM:0443/cb', `${app}/cb`],
  ['https://ａｐｐ．example。com/cb', `${app}/cb`],
  [`${app}/%2e/a/%2E%2e/cb`, `${app}/cb`],
  ['https://bücher.example/x', 'https://xn--bcher-kva.example/x'],
  ['https://BÜCHER.example', 'https://xn--bcher-kva.example/'],
  ['http://127.1:4173/x', 'http://127.0.0.1:4173/x'],
  ['http://0x7f.0.0.1:4173/', 'http://127.0.0.1:4173/'],
  ['http://2130706433:4173/', 'http://127.0.0.1:4173/'],
  ['http://017700000001:4173/', 'http://127.0.0.1:4173/'],
  ['http://[0:0::1]:4173/cb', 'http://[::1]:4173/cb'],
  ['http://DEV.localhost:4173/', 'http://dev.localhost:4173/'],
  ['http://localhost:9/any', 'http://localhost:9/any'],
])('a link to %s leads to %s', async (given, wanted) => {
  await allow(...listed);
  const email = newEmail();
  expect((await ask(given, { email })).status).toBe(200);
  const { text, token } = await project.mailTo(email);
  const link = new URL(linkIn(text));
  expect(link.searchParams.getAll('token')).toEqual([token]);
  link.searchParams.delete('token');
  expect(link.href).toBe(wanted);
});

test('entries are kept as the parser writes them, once each', async () => {
  expect(
    await allow(
      'HTTPS://App.Example.com:443/a/../cb/',
      'https://app.example.com/cb',
      'https://app.example.com/',
      'https://bücher.example',
      'http://127.1:80',
      'http://localhost:4173/cb',
    ),
  ).toEqual([
    'https://app.example.com/cb',
    'https://app.example.com',
    'https://xn--bcher-kva.example',
    'http://127.0.0.1',
    'http://localhost:4173/cb',
  ]);
  const added = await change({
    add_redirect_urls: ['https://new.example', 'https://app.example.com/cb/'],
    remove_redirect_urls: ['https://app.example.com'],
  });
  expect(added.body.allowed_redirect_urls).toEqual([
    'https://app.example.com/cb',
    'https://xn--bcher-kva.example',
    'http://127.0.0.1',
    'http://localhost:4173/cb',
    'https://new.example',
  ]);
});

test.each([
  ['https://*.example.com', /wildcard/],
  ['https://app.example.com/*', /wildcard/],
  ['https://app.example.com/**', /wildcard/],
  ['https://＊.example.com', /wildcard/],
  ['https://*', /wildcard/],
  ['*', /wildcard/],
  ['http://app.example.com', /https, or http on localhost/],
  ['myapp://callback', /https, or http on localhost/],
  ['javascript:alert(1)', /https, or http on localhost/],
  ['http://0.0.0.0', /https, or http on localhost/],
  ['http://192.168.1.10', /https, or http on localhost/],
  ['http://127.evil.example', /https, or http on localhost/],
  ['https://user@app.example.com', /user name or a password/],
  ['https://app.example.com/?a=b', /query or a fragment/],
  ['https://app.example.com/?', /query or a fragment/],
  ['https://app.example.com/#', /query or a fragment/],
  ['https://app.example.com/#x', /query or a fragment/],
  ['https://app.example.com.', /ends in a dot/],
  ['https://app.example.com//cb', /path/],
  ['https://app.example.com/a%2fb', /path/],
  ['https://app.example.com/%252e%252e', /path/],
  ['https://app.example.com\\cb', /must be a URL/],
  ['https://app.example.com/c\tb', /must be a URL/],
  ['app.example.com', /must be a URL/],
  ['', /must be a URL/],
])('the list takes no %j, and says why', async (url, reason) => {
  for (const field of ['allowed_redirect_urls', 'add_redirect_urls']) {
    const refused = await change({ [field]: [url] });
    expectRefusal(refused, 'VALIDATION_FAILED');
    expect(refused.body.message).toMatch(reason);
  }
});

test('a list has at most 50 entries, however they come', async () => {
  const urls = (from: number, count: number) =>
    Array.from({ length: count }, (_one, at) => `https://app-${from + at}.example.com`);
  expect(await allow(...urls(0, 49))).toHaveLength(49);
  expectRefusal(await change({ allowed_redirect_urls: urls(0, 51) }), 'VALIDATION_FAILED');
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_one, at) => change({ add_redirect_urls: urls(100 + at, 1) })),
  );
  const [taken, refused] = [
    answers.filter(({ status }) => status === 200),
    answers.filter(({ status }) => status !== 200),
  ];
  expect(taken).toHaveLength(1);
  for (const answer of refused) expectRefusal(answer, 'QUOTA_EXCEEDED', { limit: 50 });
  // What is on it already is no more, and one goes as another comes.
  expect((await change({ add_redirect_urls: urls(0, 5) })).status).toBe(200);
  const swapped = await change({ add_redirect_urls: urls(200, 1), remove_redirect_urls: urls(0, 1) });
  expect(swapped.body.allowed_redirect_urls).toHaveLength(50);
  expectRefusal(await change({ allowed_redirect_urls: [], add_redirect_urls: urls(0, 1) }), 'VALIDATION_FAILED', {
    field: 'allowed_redirect_urls',
  });
});
