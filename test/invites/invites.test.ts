import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { teamsOf } from '../members/team.ts';

const service = await sharedService();
afterAll(() => service.stop());
const team = teamsOf(service);
const { actors, control } = service;

const hourMs = 3_600_000;
const hoursUntil = (expiry: string) => (Date.parse(expiry) - Date.now()) / hourMs;
const newAddress = () => `${randomUUID()}@example.com`;

const mailsTo = (address: string) =>
  control.sql<{ org_id: string; subject: string; body_text: string; state: string }>(
    'select org_id, subject, body_text, state from mail_outbox where recipient = $1 order by created_at',
    [address],
  );

/** A person who proved a mail address, and maybe has a passkey. */
async function verified(address: string, { passkey = false } = {}) {
  const session = await actors.session();
  const insert = `insert into authenticators (id, principal_id, kind, public_subject, verified_at)
    values (gen_random_uuid(), $1, $2, $3, now())`;
  await control.sql(insert, [session.principalId, 'email', address]);
  if (passkey) await control.sql(insert, [session.principalId, 'passkey', randomUUID()]);
  return session;
}

test('an invitation is a pending membership of a person nobody has seen, who is mailed', async () => {
  const { orgId, principalId, invite, get, audited } = await team();
  const email = newAddress();
  const { status, body } = await invite({ email });
  expect(status).toBe(201);
  const { status: said, email_sent, ...row } = body;
  expect([said, email_sent]).toEqual(['invited', true]);
  expect(row).toEqual({
    principal_id: expect.stringMatching(/^prn_/),
    org_id: orgId,
    invited_email: email,
    role: 'developer',
    invited_by: principalId,
    invite_expires_at: moment,
    created_at: moment,
  });
  expect(hoursUntil(row.invite_expires_at)).toBeCloseTo(168, 1);
  expect((await get('/invites')).body).toEqual({ invites: [row] });
  expect((await get('/members')).body.members[1]).toMatchObject({ principal_id: row.principal_id, status: 'invited' });
  expect(
    await control.sql(
      `select p.type, a.verified_at from principals p join authenticators a on a.principal_id = p.id
       where p.id = $1 and a.kind = 'email' and a.public_subject = $2`,
      [row.principal_id, email],
    ),
  ).toEqual([{ type: 'human', verified_at: null }]);
  const [mail, ...more] = await mailsTo(email);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ org_id: orgId, subject: 'You are invited to an organization without a name' });
  expect(mail!.body_text).toContain(row.invite_expires_at);
  expect(await audited()).toEqual([
    { action: 'invite.created', object_id: row.principal_id, details: { role: 'developer', email } },
  ]);
});

test('a pending invitation opens nothing', async () => {
  const { invite, get } = await team();
  const { body } = await invite({ email: newAddress(), role: 'owner' });
  const invitee = await actors.session({ principalId: body.principal_id, passkeyAgeSeconds: 1 });
  expectRefusal(await get('', invitee), 'NOT_AUTHORIZED', { reason: 'member' });
  expect((await service.call<{ memberships: [] }>(invitee, 'GET', '/agent/v1/whoami')).body.memberships).toEqual([]);
});

test('inviting anew changes role and expiry, and mails once in five minutes', async () => {
  const { orgId, invite, get } = await team();
  const email = newAddress();
  const first = (await invite({ email })).body;
  const again = (await invite({ email, role: 'viewer', invite_ttl_hours: 1 })).body;
  expect(again).toMatchObject({
    status: 'invited',
    principal_id: first.principal_id,
    role: 'viewer',
    created_at: first.created_at,
    email_sent: false,
  });
  expect(hoursUntil(again.invite_expires_at)).toBeCloseTo(1, 1);
  expect((await get('/invites')).body.invites).toHaveLength(1);
  expect(await mailsTo(email)).toHaveLength(1);
  // Another organization has a clock of its own.
  expect((await (await team()).invite({ email })).body.email_sent).toBe(true);

  const age = `update memberships set invite_mailed_at = now() - $2::interval where org_id = $1 and invited_email is not null`;
  await control.sql(age, [orgId, '4 minutes 50 seconds']);
  expect((await invite({ email })).body.email_sent).toBe(false);
  await control.sql(age, [orgId, '5 minutes 1 second']);
  expect((await invite({ email })).body.email_sent).toBe(true);
  expect((await invite({ email })).body.email_sent).toBe(false);
  expect(await mailsTo(email)).toHaveLength(3);
});

test('taking an invitation back does not make the next mail any sooner', async () => {
  const { invite, uninvite, add, join, remove } = await team();
  const email = newAddress();
  const { principal_id } = (await invite({ email })).body;
  expect((await uninvite(principal_id)).status).toBe(200);
  expect((await invite({ email })).body).toMatchObject({ status: 'invited', principal_id, email_sent: false });
  expect((await remove(principal_id)).status).toBe(200);
  expect((await invite({ email })).body).toMatchObject({ status: 'invited', email_sent: false });
  const bob = await join();
  expect((await add({ wallet: bob.wallet.address })).status).toBe(201);
  expect(await mailsTo(email)).toHaveLength(1);
});

test('twenty who invite one address at once make one principal, one invitation and one mail', async () => {
  const { invite, get } = await team();
  const email = newAddress();
  const before = await control.sql('select 1 from principals');
  const answers = await Promise.all(Array.from({ length: 20 }, () => invite({ email })));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect(answers.filter(({ body }) => body.email_sent)).toHaveLength(1);
  expect(await control.sql('select 1 from principals')).toHaveLength(before.length + 1);
  expect((await get('/invites')).body.invites).toHaveLength(1);
  expect(await mailsTo(email)).toHaveLength(1);
});

test('twenty organizations that invite one address at once invite one principal', async () => {
  const teams = await Promise.all(Array.from({ length: 20 }, team));
  const email = newAddress();
  const answers = await Promise.all(teams.map(({ invite }) => invite({ email })));
  expect(answers.map(({ body }) => body.status)).toEqual(Array(20).fill('invited'));
  expect(new Set(answers.map(({ body }) => body.principal_id)).size).toBe(1);
});

test('the same request under one key invites once', async () => {
  const { invite, audited } = await team();
  const email = newAddress();
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const first = await invite({ email }, undefined, options);
  const again = await invite({ email }, undefined, options);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.body.email_sent).toBe(true);
  expect(await mailsTo(email)).toHaveLength(1);
  expect(await audited()).toHaveLength(1);
});

test.each(['developer', 'billing', 'viewer'])('whoever proved the address before becomes %s at once', async (role) => {
  const { invite, get, audited } = await team();
  const email = newAddress();
  const ada = await verified(email);
  const { status, body } = await invite({ email: email.toUpperCase(), role });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    status: 'added',
    principal_id: ada.principalId,
    invited_email: email,
    role,
    invite_expires_at: null,
    email_sent: true,
  });
  expect((await get('', ada)).body.role).toBe(role);
  expect((await get('/invites')).body.invites).toEqual([]);
  expect((await mailsTo(email)).map(({ subject }) => subject)).toEqual([
    'You are now a member of an organization without a name',
  ]);
  expect((await audited()).map(({ action }) => action)).toEqual(['member.added']);
});

test.each(['owner', 'admin'])('as %s somebody who proved the address waits for a passkey', async (role) => {
  const { invite, get } = await team();
  const [without, having] = [newAddress(), newAddress()];
  const bob = await verified(without);
  expect((await invite({ email: without, role })).body).toMatchObject({ status: 'invited', role });
  expectRefusal(await get('', bob), 'NOT_AUTHORIZED', { reason: 'member' });
  const ada = await verified(having, { passkey: true });
  expect((await invite({ email: having, role })).body).toMatchObject({ status: 'added', role });
  expect((await get('', ada)).body.role).toBe(role);
});

test.each([
  [
    'whose address was taken back',
    `update authenticators set revoked_at = now() where principal_id = $1 and kind = 'email'`,
  ],
  [
    'whose passkey was taken back',
    `update authenticators set revoked_at = now() where principal_id = $1 and kind = 'passkey'`,
  ],
  ['who is disabled', 'update principals set disabled_at = now() where id = $1'],
])('somebody %s becomes no owner at once', async (_case, end) => {
  const { invite } = await team();
  const email = newAddress();
  const ada = await verified(email, { passkey: true });
  await control.sql(end, [ada.principalId]);
  expect((await invite({ email, role: 'owner' })).body.status).toBe('invited');
});

test('an active member who is invited stays as it is, and is not mailed', async () => {
  const { orgId, invite, get, audited } = await team();
  const email = newAddress();
  const ada = await verified(email);
  await actors.member(orgId, ada.principalId, 'viewer');
  const { status, body } = await invite({ email, role: 'owner' });
  expect([status, body.status, body.role, body.email_sent]).toEqual([200, 'added', 'viewer', false]);
  expect((await get('', ada)).body.role).toBe('viewer');
  expect(await mailsTo(email)).toEqual([]);
  expect(await audited()).toEqual([]);
});

test('an expired invitation is shown with its expiry, can be renewed and can be taken back', async () => {
  const { orgId, invite, uninvite, get, audited } = await team();
  const email = newAddress();
  const { principal_id } = (await invite({ email })).body;
  const expire = () =>
    control.sql(
      `update memberships set invite_expires_at = '2026-01-01T00:00:00Z' where org_id = $1 and principal_id = $2`,
      [orgId, principal_id],
    );
  await expire();
  const [shown] = (await get('/invites')).body.invites;
  expect(shown).toMatchObject({ principal_id, invite_expires_at: '2026-01-01T00:00:00.000Z' });
  expect(hoursUntil((await invite({ email })).body.invite_expires_at)).toBeCloseTo(168, 1);
  await expire();
  const gone = await uninvite(principal_id);
  expect([gone.status, gone.body]).toEqual([200, { status: 'revoked', principal_id }]);
  expect((await get('/invites')).body.invites).toEqual([]);
  expect((await audited()).at(-1)).toEqual({ action: 'invite.revoked', object_id: principal_id, details: { email } });
});

test('what is no pending invitation cannot be taken back', async () => {
  const { principalId, invite, uninvite, join, memberships } = await team();
  const { principal_id: revoked } = (await invite({ email: newAddress() })).body;
  await uninvite(revoked);
  const elsewhere = (await (await team()).invite({ email: newAddress() })).body.principal_id;
  const suspended = (await join('viewer', 'suspended')).principalId;
  for (const principal of [revoked, elsewhere, suspended, principalId, newId('prn'), 'nope', 'x'.repeat(1_000)]) {
    expectRefusal(await uninvite(principal), 'INVITE_NOT_FOUND', { principal_id: principal });
  }
  expect((await memberships())[principalId]).toBe('owner active');
  expect((await memberships())[suspended]).toBe('viewer suspended');
});

test('of twenty who take back one invitation at once, one does', async () => {
  const { invite, uninvite, audited } = await team();
  const { principal_id } = (await invite({ email: newAddress() })).body;
  const answers = await Promise.all(Array.from({ length: 20 }, () => uninvite(principal_id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)]);
  expect(await audited('invite.revoked')).toHaveLength(1);
});

test('GraphQL invites, shows and takes back the same invitation as REST', async () => {
  const { wallet, orgId, principalId, get } = await team();
  const email = newAddress();
  const created = await service.graphql(
    wallet,
    `mutation ($input: CreateInviteInput!) { createInvite(input: $input) {
      principalId role status invitation { email invitedBy expiresAt mailedAt }
      organization { invites { edges { node { principalId } } } }
    } }`,
    { input: { org: orgId, email: ` ${email.toUpperCase()} `, role: 'ADMIN', inviteTtlHours: 24 } },
  );
  const [row] = (await get('/invites')).body.invites;
  expect(hoursUntil(row.invite_expires_at)).toBeCloseTo(24, 1);
  expect(created.data.createInvite).toEqual({
    principalId: row.principal_id,
    role: 'ADMIN',
    status: 'INVITED',
    invitation: { email, invitedBy: principalId, expiresAt: row.invite_expires_at, mailedAt: moment },
    organization: { invites: { edges: [{ node: { principalId: row.principal_id } }] } },
  });
  const listed = await service.graphql(
    wallet,
    `query ($id: ID!) { organization(id: $id) { invites(first: 1) { edges { node { invitation { email } } } pageInfo { hasNextPage } } } }`,
    { id: orgId },
  );
  expect(listed.data.organization.invites).toEqual({
    edges: [{ node: { invitation: { email } } }],
    pageInfo: { hasNextPage: false },
  });
  const revoke =
    'mutation ($input: RevokeInviteInput!) { revokeInvite(input: $input) { status invitation { email } } }';
  const input = { org: orgId, principal: row.principal_id };
  expect((await service.graphql(wallet, revoke, { input })).data.revokeInvite).toEqual({
    status: 'REVOKED',
    invitation: null,
  });
  const again = await service.graphql(wallet, revoke, { input });
  expect(again.errors?.[0]?.extensions.code).toBe('INVITE_NOT_FOUND');
});
