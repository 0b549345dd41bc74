import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { teamsOf } from '../members/team.ts';

const service = await startService();
afterAll(() => service.stop());
const team = teamsOf(service);
const { actors, control } = service;

const label = 'x'.repeat(60);
/** 64 before the @, 254 in all. */
const longest = `${'a'.repeat(64)}@${label}.${label}.${label}.${'y'.repeat(2)}.com`.padEnd(254, 'm');

test.each<[string, object, string]>([
  ['no address', {}, 'email'],
  ['an empty address', { email: '' }, 'email'],
  ['an address that is a number', { email: 7 }, 'email'],
  ['an address without a domain', { email: 'ada@' }, 'email'],
  ['an address without a name', { email: '@example.com' }, 'email'],
  ['two addresses', { email: 'ada@example.com,bob@example.com' }, 'email'],
  ['an address with a name beside it', { email: 'Ada <ada@example.com>' }, 'email'],
  ['an address with a blank inside', { email: 'ada lovelace@example.com' }, 'email'],
  ['an address with a header behind it', { email: 'ada@example.com\r\nBcc: bob@example.com' }, 'email'],
  ['an address with a NUL', { email: 'ada@example.com\0x' }, 'email'],
  ['a lone surrogate', { email: 'ada\ud800@example.com' }, 'email'],
  ['a Cyrillic a', { email: '\u0430da@example.com' }, 'email'],
  ['a Cyrillic a in the domain', { email: 'ada@ex\u0430mple.com' }, 'email'],
  ['full-width letters', { email: '\uff41da@example.com' }, 'email'],
  ['a full-width @', { email: 'ada\uff20example.com' }, 'email'],
  ['a Kelvin sign, which would fold into a k', { email: '\u212aate@example.com' }, 'email'],
  ['a long s, which would fold into an s', { email: '\u017fue@example.com' }, 'email'],
  ['a dotted capital I', { email: '\u0130da@example.com' }, 'email'],
  ['a composed letter', { email: 'ad\u00e9@example.com' }, 'email'],
  ['the same letter decomposed', { email: 'ade\u0301@example.com' }, 'email'],
  ['a zero-width joiner', { email: 'a\u200dda@example.com' }, 'email'],
  ['an address of 255 characters', { email: `${longest}m` }, 'email'],
  ['65 characters before the @', { email: `${'a'.repeat(65)}@example.com` }, 'email'],
  ['a role that there is not', { email: 'ada@example.com', role: 'king' }, 'role'],
  ['no hours', { email: 'ada@example.com', invite_ttl_hours: 0 }, 'invite_ttl_hours'],
  ['hours below zero', { email: 'ada@example.com', invite_ttl_hours: -1 }, 'invite_ttl_hours'],
  ['a year and an hour', { email: 'ada@example.com', invite_ttl_hours: 8_761 }, 'invite_ttl_hours'],
  ['half an hour', { email: 'ada@example.com', invite_ttl_hours: 0.5 }, 'invite_ttl_hours'],
  ['hours as a text', { email: 'ada@example.com', invite_ttl_hours: '24' }, 'invite_ttl_hours'],
  ['more hours than a number can count', { email: 'ada@example.com', invite_ttl_hours: 1e300 }, 'invite_ttl_hours'],
])('%s is refused by name, and nobody is invited', async (_case, body, field) => {
  const { invite, memberships } = await team();
  expectRefusal(await invite(body), 'VALIDATION_FAILED', { field });
  expect(Object.keys(await memberships())).toHaveLength(1);
});

test('the longest address and the shortest and longest life are taken', async () => {
  expect(longest).toHaveLength(254);
  const { invite } = await team();
  for (const invite_ttl_hours of [1, 8_760]) {
    const { status, body } = await invite({ email: longest, invite_ttl_hours });
    expect([status, body.invited_email]).toEqual([201, longest]);
    expect((Date.parse(body.invite_expires_at) - Date.now()) / 3_600_000).toBeCloseTo(invite_ttl_hours, 1);
  }
});

test('blanks around an address and its letter case do not matter, dots and tags do', async () => {
  const { invite, get } = await team();
  for (const email of ['ada@example.com', ' Ada@Example.COM ', '\tADA@EXAMPLE.COM\n', '\u00a0ada@example.com']) {
    expect((await invite({ email })).body.invited_email).toBe('ada@example.com');
  }
  expect((await get('/invites')).body.invites).toHaveLength(1);
  for (const email of ['a.da@example.com', 'ada+svc@example.com', 'ada@mail.example.com']) await invite({ email });
  expect((await get('/invites')).body.invites).toHaveLength(4);
});

test.each(['admin', 'developer', 'billing', 'viewer'])(
  'as %s invitations are seen, none made or taken back',
  async (role) => {
    const { invite, uninvite, get, join } = await team();
    const bob = await join(role);
    const { principal_id } = (await invite({ email: 'ada@example.com' })).body;
    expect((await get('/invites', bob.wallet)).body.invites).toMatchObject([{ principal_id }]);
    const details = { action: 'org:invites:write', required_role: 'owner', reason: 'forbidden' };
    expectRefusal(await invite({ email: 'eve@example.com' }, bob.wallet), 'NOT_AUTHORIZED', details);
    expectRefusal(await uninvite(principal_id, bob.wallet), 'NOT_AUTHORIZED', details);
    expect(await control.sql(`select 1 from authenticators where public_subject = 'eve@example.com'`)).toEqual([]);
  },
);

test('while the organization is frozen nobody is invited, and invitations can still be taken back', async () => {
  const { orgId, invite, uninvite } = await team();
  const { principal_id } = (await invite({ email: 'ada@example.com' })).body;
  await control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
  expectRefusal(await invite({ email: 'ada@example.com' }), 'PROJECT_FROZEN');
  expect((await uninvite(principal_id)).status).toBe(200);
});

test('a person’s session invites and takes back with a fresh passkey alone', async () => {
  const { principalId, invite, uninvite } = await team();
  const stale = await actors.session({ principalId, passkeyAgeSeconds: 301 });
  const fresh = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  const body = { email: 'ada@example.com' };
  const details = { op_class: 'org.invite', reason: 'stale' };
  expectRefusal(await invite(body, stale), 'STEP_UP_REQUIRED', details);
  const { principal_id } = (await invite(body, fresh)).body;
  expectRefusal(await uninvite(principal_id, stale), 'STEP_UP_REQUIRED', details);
  expect((await uninvite(principal_id, fresh)).status).toBe(200);
});

test('an organization causes only so many mails to strangers, and what is refused leaves nothing behind', async () => {
  const { orgId, invite, get } = await team();
  await service.control.sql(`update orgs set tier = 'team' where id = $1`, [orgId]);
  const answers = [];
  for (let at = 0; at < 220; at += 20) {
    answers.push(
      ...(await Promise.all(Array.from({ length: 20 }, (_, n) => invite({ email: `n${at + n}@example.com` })))),
    );
  }
  const refused = answers.filter(({ status }) => status === 429);
  for (const answer of refused) expectRefusal(answer, 'RATE_LIMITED');
  expect(refused.length).toBeGreaterThan(0);
  const { invites } = (await get('/invites')).body;
  expect(invites).toHaveLength(220 - refused.length);
  const mails = await control.sql('select 1 from mail_outbox where org_id = $1', [orgId]);
  expect(mails).toHaveLength(invites.length);
});
