import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { newChallenge } from './planted.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

const set = (actor: Actor, body: object) => call(actor, 'POST', '/agent/v1/contact', { body });
const status = (actor: Actor) => call(actor, 'GET', '/agent/v1/contact/status');
const verify = (actor: Actor) => call(actor, 'POST', '/agent/v1/contact/verify-email');
const confirm = (token: unknown) =>
  call(actors.nobody, 'POST', '/agent/v1/contact/verify-email/confirm', { body: { token } });

let addresses = 0;
const newAddress = () => `operator${++addresses}@example.com`;

/** What the links of the mails to an address bring along, oldest first. */
async function tokens(email: string): Promise<string[]> {
  const mails = await control.sql<{ body_text: string }>(
    'select body_text from mail_outbox where recipient = $1 order by created_at, id',
    [email],
  );
  return mails.map(({ body_text }) => /\/confirm\?token=([\w-]{43})\n/.exec(body_text)![1]!);
}

test('a contact is named, mailed, and verified by the link, step by step', async () => {
  const wallet = actors.wallet();
  expectRefusal(await status(wallet), 'RESOURCE_NOT_FOUND');
  const email = newAddress();
  const bare = {
    wallet: wallet.address,
    name: 'Ada',
    email: null,
    webhook: null,
    email_verification_status: 'none',
    passkey_binding_status: 'none',
    assurance_level: 'wallet_only',
    email_verified_at: null,
    email_verified_message_id: null,
    email_challenge_sent_at: null,
    passkey_bound_at: null,
    active_operator_passkey_id: null,
    updated_at: moment,
  };
  expect((await set(wallet, { name: ' Ada ' })).body).toStrictEqual(bare);
  const pending = {
    ...bare,
    email,
    email_verification_status: 'pending',
    assurance_level: 'email_pending',
    email_challenge_sent_at: moment,
  };
  const named = await set(wallet, { name: 'Ada', email: ` ${email.toUpperCase()} ` });
  expect(named.body).toStrictEqual({ ...pending, verification_retry_after_seconds: expect.any(Number) });
  const [token] = await tokens(email);
  const confirmed = await confirm(token);
  expect(confirmed.body).toStrictEqual({ email, email_verification_status: 'verified', email_verified_at: moment });
  expect((await status(wallet)).body).toStrictEqual({
    ...pending,
    email_verification_status: 'verified',
    assurance_level: 'email_verified',
    email_verified_at: confirmed.body.email_verified_at,
    email_verified_message_id: expect.stringMatching(/^mail_/),
  });
  expect((await verify(wallet)).body.email_verification_status).toBe('verified');
  expect(await tokens(email)).toHaveLength(1);
  // Named again, it stays verified; another one is not.
  expect((await set(wallet, { name: 'Ada L.', email })).body).toMatchObject({
    name: 'Ada L.',
    assurance_level: 'email_verified',
  });
  const other = await set(wallet, { name: 'Ada', email: newAddress() });
  expect(other.body).toMatchObject({
    assurance_level: 'email_pending',
    email_verified_at: null,
    email_verified_message_id: null,
  });
  expect((await set(wallet, { name: 'Ada', email: null })).body).toStrictEqual({ ...bare, updated_at: moment });
});

test('a link is used once by twenty who press it at once, and by nobody after', async () => {
  const token = await newChallenge(control);
  const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(token)));
  expect(answers.filter(({ status: told }) => told === 200)).toHaveLength(1);
  for (const answer of answers.filter(({ status: told }) => told !== 200)) expectRefusal(answer, 'RESOURCE_NOT_FOUND');
});

test('a link that is old, of an address that was changed, or unknown is one and the same refusal', async () => {
  const [old, moved] = [await newChallenge(control), await newChallenge(control, 'prn_moved')];
  await control.sql(
    'update operator_contact_challenges set expires_at = now() where principal_id <> $1 and used_at is null',
    ['prn_moved'],
  );
  await control.sql(`update operator_contacts set email = 'elsewhere@example.com' where principal_id = 'prn_moved'`);
  const told = await Promise.all([old, moved, 'x'].map(confirm));
  for (const one of told) {
    expectRefusal(one, 'RESOURCE_NOT_FOUND');
    expect({ ...(one.body as object), trace_id: '' }).toEqual({ ...(told[0]!.body as object), trace_id: '' });
  }
  expect(await control.sql(`select email_verified_at from operator_contacts where principal_id = 'prn_moved'`)).toEqual(
    [{ email_verified_at: null }],
  );
});

test('mail is asked for again after a minute, and five times in an hour', async () => {
  const wallet = actors.wallet();
  const email = newAddress();
  await set(wallet, { name: 'Ada', email });
  const hurried = await verify(wallet);
  expectRefusal(hurried, 'RATE_LIMITED');
  expect(Number(hurried.headers.get('retry-after'))).toBeGreaterThan(50);
  const wait = () =>
    control.sql(
      `update operator_contact_challenges set created_at = created_at - interval '61 seconds' where email = $1`,
      [email],
    );
  for (let turn = 0; turn < 4; turn++) {
    await wait();
    expect((await verify(wallet)).status).toBe(200);
  }
  await wait();
  const often = await verify(wallet);
  expectRefusal(often, 'RATE_LIMITED');
  expect(Number(often.headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect(await tokens(email)).toHaveLength(5);
  // Whoever else names the address waits as long; and a principal gets no more by naming others.
  const other = actors.wallet();
  expectRefusal(await set(other, { name: 'Eve', email }), 'RATE_LIMITED');
  expectRefusal(await status(other), 'RESOURCE_NOT_FOUND');
  expectRefusal(await set(wallet, { name: 'Ada', email: newAddress() }), 'RATE_LIMITED');
  expect((await status(wallet)).body.email).toBe(email);
});

test('of twenty principals who name one address at once five cause a mail', async () => {
  const email = newAddress();
  const answers = await Promise.all(Array.from({ length: 20 }, () => set(actors.wallet(), { name: 'Eve', email })));
  expect(answers.filter(({ status: told }) => told === 200)).toHaveLength(5);
  for (const answer of answers.filter(({ status: told }) => told !== 200)) expectRefusal(answer, 'RATE_LIMITED');
  expect(await tokens(email)).toHaveLength(5);
});

test('an earlier link is good as long as the address is the same', async () => {
  const wallet = actors.wallet();
  const email = newAddress();
  await set(wallet, { name: 'Ada', email });
  await control.sql(
    `update operator_contact_challenges set created_at = created_at - interval '61 seconds' where email = $1`,
    [email],
  );
  await verify(wallet);
  const [first, second] = await tokens(email);
  expect((await confirm(first)).status).toBe(200);
  expect((await confirm(second)).status).toBe(200);
});

test.each<[string, object, string]>([
  ['no name', {}, 'name'],
  ['a name that shows nothing', { name: ' \u200b' }, 'name'],
  ['a name of 65 characters', { name: 'x'.repeat(65) }, 'name'],
  ['no address', { name: 'Ada', email: 'ada' }, 'email'],
  ['an address with a line break', { name: 'Ada', email: 'a@example.com\nb' }, 'email'],
  ['a webhook over http', { name: 'Ada', webhook: 'http://example.com' }, 'webhook'],
  ['a webhook with a password', { name: 'Ada', webhook: 'https://a:b@example.com' }, 'webhook'],
  [
    'a webhook that programs read in different ways',
    { name: 'Ada', webhook: 'https://example.com\\@evil.net' },
    'webhook',
  ],
  ['a webhook that is no address', { name: 'Ada', webhook: 'example.com' }, 'webhook'],
  ['a webhook of 2049 characters', { name: 'Ada', webhook: `https://example.com/${'x'.repeat(2029)}` }, 'webhook'],
])('a contact with %s is refused, and none is kept', async (_case, body, field) => {
  const wallet = actors.wallet();
  expectRefusal(await set(wallet, body), 'VALIDATION_FAILED', { field });
  expectRefusal(await status(wallet), 'RESOURCE_NOT_FOUND');
});

test('without an address there is nothing to verify', async () => {
  const wallet = actors.wallet();
  expectRefusal(await verify(wallet), 'RESOURCE_NOT_FOUND');
  await set(wallet, { name: 'Ada', webhook: 'https://example.com/hook' });
  expectRefusal(await verify(wallet), 'OPERATOR_EMAIL_MISSING');
  expect((await status(wallet)).body.webhook).toBe('https://example.com/hook');
});

test('a session changes its contact with a fresh passkey alone, and looks at it with any', async () => {
  const stale = await actors.session();
  expectRefusal(await set(stale, { name: 'Ada' }), 'STEP_UP_REQUIRED', { op_class: 'operator.contact' });
  const fresh = await actors.session({ principalId: stale.principalId, passkeyAgeSeconds: 1 });
  expect((await set(fresh, { name: 'Ada' })).body).toMatchObject({ wallet: null, name: 'Ada' });
  const operator = await actors.session({ kind: 'operator', principalId: stale.principalId });
  expect((await status(operator)).body.name).toBe('Ada');
  expectRefusal(await set(operator, { name: 'Eve' }), 'FORBIDDEN');
});

test('an organization is unreachable until an address of its owner is verified', async () => {
  const { wallet, orgId } = await service.owner();
  const advisories = async () =>
    ((await call(wallet, 'GET', `/tiers/v1/status?org_id=${orgId}`)).body.advisories ?? []).map(
      ({ type }: { type: string }) => type,
    );
  expect(await advisories()).toEqual(['operator_unreachable']);
  const email = newAddress();
  await set(wallet, { name: 'Ada', email });
  expect(await advisories()).toEqual(['operator_unreachable']);
  await confirm((await tokens(email))[0]);
  expect(await advisories()).toEqual([]);
  await set(wallet, { name: 'Ada', email: newAddress() });
  expect(await advisories()).toEqual(['operator_unreachable']);
});

test('a passkey wants a verified address first, and is asked for by a mailed link', async () => {
  const wallet = actors.wallet();
  const enroll = () => call(wallet, 'POST', '/agent/v1/contact/passkey/enroll');
  expectRefusal(await enroll(), 'OPERATOR_EMAIL_NOT_VERIFIED');
  const email = newAddress();
  await set(wallet, { name: 'Ada', email });
  expectRefusal(await enroll(), 'OPERATOR_EMAIL_NOT_VERIFIED');
  await confirm((await tokens(email))[0]);
  const { status, body } = await enroll();
  expect([status, body]).toEqual([200, expect.objectContaining({ enrollment_sent_to: email })]);
});

test('a chat cannot be connected without a provider, and its seeker is told what to do instead', async () => {
  const connect = (body: object) => call(actors.wallet(), 'POST', '/agent/v1/notifications/channels/chat', { body });
  const refused = await connect({ label: 'phone' });
  expectRefusal(refused, 'CHAT_CHANNEL_NOT_CONFIGURED');
  expect(refused.body.next_actions).toMatchObject([{ method: 'POST', path: '/agent/v1/notifications/channels/chat' }]);
  expectRefusal(await connect({ label: 'x'.repeat(65) }), 'VALIDATION_FAILED', { field: 'label' });
  const graph = await service.graphql(actors.wallet(), 'mutation { connectChat(input: { label: "x" }) { bindingId } }');
  expect(graph.errors![0]!.extensions).toMatchObject({ code: 'CHAT_CHANNEL_NOT_CONFIGURED' });
});

test('a contact is named, mailed and verified over GraphQL as over REST', async () => {
  const wallet = actors.wallet();
  const email = newAddress();
  const shown = '{ wallet name email assurance emailVerification emailVerifiedAt }';
  const made = await service.graphql(
    wallet,
    `mutation ($in: SetOperatorContactInput!) { setOperatorContact(input: $in) ${shown} }`,
    { in: { name: 'Ada', email } },
  );
  const pending = {
    wallet: wallet.address,
    name: 'Ada',
    email,
    assurance: 'EMAIL_PENDING',
    emailVerification: 'PENDING',
    emailVerifiedAt: null,
  };
  expect(made.data.setOperatorContact).toEqual(pending);
  const hurried = await service.graphql(wallet, 'mutation { sendOperatorVerification(input: {}) { name } }');
  expect(hurried.errors![0]!.extensions.code).toBe('RATE_LIMITED');
  const confirmed = await service.graphql(
    actors.nobody,
    'mutation ($in: ConfirmOperatorEmailInput!) { confirmOperatorEmail(input: $in) { email verifiedAt } }',
    { in: { token: (await tokens(email))[0] } },
  );
  expect(confirmed.data.confirmOperatorEmail).toEqual({ email, verifiedAt: moment });
  const seen = await service.graphql(wallet, `{ operatorContact ${shown} }`);
  expect(seen.data.operatorContact).toEqual({
    ...pending,
    assurance: 'EMAIL_VERIFIED',
    emailVerification: 'VERIFIED',
    emailVerifiedAt: moment,
  });
  const cleared = await service.graphql(
    wallet,
    `mutation ($in: SetOperatorContactInput!) { setOperatorContact(input: $in) ${shown} }`,
    { in: { name: 'Ada', email: null } },
  );
  expect(cleared.data.setOperatorContact).toMatchObject({ email: null, assurance: 'WALLET_ONLY' });
});
