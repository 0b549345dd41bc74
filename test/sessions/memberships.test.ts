import { afterAll, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../auth/passkeys/software-authenticator.ts';
import { nobody } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Body, freshEmail, operator, peopleOf, plane } from './person.ts';

const service = await sharedService();
afterAll(() => service.stop());
const people = peopleOf(service);
const { control, call, actors } = service;
const { post } = people;

async function invited(role: string, email = freshEmail()) {
  const { wallet, orgId } = await service.owner();
  const { status, body } = await post(wallet, `/orgs/v1/${orgId}/invites`, { email, role });
  expect([status, body.status]).toEqual([201, 'invited']);
  return { wallet, orgId, email };
}

const membershipsOf = async (person: Parameters<typeof call>[0]) =>
  (await call<Body>(person, 'GET', `${plane}/session`)).body.memberships.map(({ org_id, role }: Body) => [
    org_id,
    role,
  ]);

const roles = ['owner', 'admin', 'developer', 'billing', 'viewer'];
const higher = ['owner', 'admin'];

test.each(roles)('an invitation as %s begins with the first sign-in, or waits for a passkey', async (role) => {
  const { orgId, email } = await invited(role);
  const person = await people.byMail(email);
  expect(await membershipsOf(person)).toEqual(higher.includes(role) ? [] : [[orgId, role]]);
  await people.enrol(person);
  expect(await membershipsOf(person)).toEqual([[orgId, role]]);
  const [row] = await control.sql<{ org_id: string }>(
    `select org_id from audit_events where action = 'invite.activated' and object_id = $1`,
    [person.principalId],
  );
  expect(row!.org_id).toBe(orgId);
});

test.each(roles)('an invitation as %s of somebody with a passkey begins with the next sign-in', async (role) => {
  const person = await people.withPasskey();
  const { orgId } = await invited(role, freshEmail()).then(async (other) => {
    // A verified address with a passkey is added at once, so this one is made pending.
    await control.sql(
      `update memberships set principal_id = $1, invited_email = $2 where org_id = $3 and status = 'invited'`,
      [person.principalId, person.email, other.orgId],
    );
    return other;
  });
  expect(await membershipsOf(person)).toEqual([]);
  expect((await people.byPasskey(person.email, person.key)).status).toBe(200);
  expect(await membershipsOf(person)).toEqual([[orgId, role]]);
});

test.each(roles)('an invitation as %s that has expired never begins', async (role) => {
  const { orgId, email } = await invited(role);
  await control.sql('update memberships set invite_expires_at = now() where org_id = $1 and status = $2', [
    orgId,
    'invited',
  ]);
  const person = await people.withPasskey(email);
  await people.byMail(email);
  expect(await membershipsOf(person)).toEqual([]);
});

test('an invitation that was withdrawn never begins, nor one of another address', async () => {
  const { wallet, orgId, email } = await invited('viewer');
  const [row] = await control.sql<{ principal_id: string }>(
    'select principal_id from memberships where invited_email = $1',
    [email],
  );
  await call(wallet, 'DELETE', `/orgs/v1/${orgId}/invites/${row!.principal_id}`);
  expect(await membershipsOf(await people.byMail(email))).toEqual([]);
  await invited('viewer');
  expect(await membershipsOf(await people.byMail())).toEqual([]);
});

test('invitations of a further address begin once it is proven', async () => {
  const person = await people.withPasskey();
  const { orgId, email } = await invited('admin');
  await post(person, `${plane}/emails`, { email });
  expect((await post(person, `${plane}/emails/verify`, { token: await people.tokenOf(email) })).status).toBe(200);
  expect(await membershipsOf(person)).toEqual([[orgId, 'admin']]);
});

test('an invitation of an address that somebody gave up begins for who proves it next', async () => {
  const { email, key } = await people.withPasskey();
  // By the passkey alone: what rests on the address ends with it.
  const person = people.personOf(email, (await people.byPasskey(email, key)).body);
  const { body } = await call<Body>(person, 'GET', `${plane}/authenticators`);
  const { id } = body.authenticators.find(({ kind }: Body) => kind === 'email');
  expect((await call(person, 'DELETE', `${plane}/authenticators/${id}`)).status).toBe(200);
  const { orgId } = await invited('viewer', person.email);
  const next = await people.byMail(person.email);
  expect(next.principalId).not.toBe(person.principalId);
  expect(await membershipsOf(next)).toEqual([[orgId, 'viewer']]);
  expect(await membershipsOf(person)).toEqual([]);
});

test('an operator’s sign-in by mail begins memberships as well', async () => {
  const { orgId, email } = await invited('billing');
  const person = await people.operatorByMail(email);
  const { body } = await call<Body>(person, 'GET', '/agent/v1/whoami');
  expect(body.memberships).toEqual([expect.objectContaining({ org_id: orgId, role: 'billing' })]);
});

const postures = async (orgId: string) =>
  (
    await control.sql<{ type: string; payload: Body }>(
      `select type, payload from events where org_id = $1 and class = 'recovery' order by position`,
      [orgId],
    )
  ).map(({ type, payload }) => [type, payload.control_plane_configured]);

test('the recovery posture is told of when it changes, and only then', async () => {
  const person = await people.withPasskey();
  const { body } = await post(person, '/orgs/v1');
  const orgId: string = body.org_id;
  expect(await postures(orgId)).toEqual([]);
  await people.enrol(person);
  const recovered = ['org_recovery_posture_recovered', true];
  const degraded = ['org_recovery_posture_degraded', false];
  expect(await postures(orgId)).toEqual([recovered]);
  // Codes add to what holds already.
  const codes: string[] = (await post(person, `${plane}/recovery/issue`)).body.recovery_codes;
  await people.enrol(person);
  expect(await postures(orgId)).toEqual([recovered]);
  const passkeys = async () =>
    (await call<Body>(person, 'GET', `${plane}/authenticators`)).body.authenticators.filter(
      ({ kind }: Body) => kind === 'passkey',
    );
  for (const { id } of (await passkeys()).slice(1)) await call(person, 'DELETE', `${plane}/authenticators/${id}`);
  expect(await postures(orgId)).toEqual([recovered]);
  for (const code of codes) await post(nobody, `${plane}/recovery/consume`, { code });
  expect(await postures(orgId)).toEqual([recovered, degraded]);
  await post(person, `${plane}/recovery/issue`);
  expect(await postures(orgId)).toEqual([recovered, degraded, recovered]);
});

test('the recovery posture changes with the owners, too', async () => {
  const [ada, bob] = [await people.withPasskey(), await people.withPasskey()];
  const orgId: string = (await post(ada, '/orgs/v1')).body.org_id;
  await post(ada, `/orgs/v1/${orgId}/invites`, { email: bob.email, role: 'owner' });
  expect(await postures(orgId)).toEqual([['org_recovery_posture_recovered', true]]);
  const removed = await call(ada, 'DELETE', `/orgs/v1/${orgId}/members/${bob.principalId}`);
  expect(removed.status).toBe(200);
  expect((await postures(orgId)).at(-1)).toEqual(['org_recovery_posture_degraded', false]);
});

/** A claim, with the wallet's signature over its nonce. */
async function claim(person: Awaited<ReturnType<typeof people.withPasskey>>, wallet: ReturnType<typeof actors.wallet>) {
  const challenge = await post(person, `${operator}/claim-wallet-org/challenge`, { wallet: wallet.address });
  expect([challenge.status, challenge.body.sign_instructions.nonce]).toEqual([201, challenge.body.nonce]);
  const proof = await wallet.sign({ nonce: challenge.body.nonce });
  return (body: object = {}) => post(person, `${operator}/claim-wallet-org`, body, { 'sign-in-with-x': proof });
}

const rolesIn = async (orgId: string) =>
  (
    await control.sql<{ principal_id: string; role: string }>(
      `select principal_id, role from memberships where org_id = $1 and status = 'active' order by role desc`,
      [orgId],
    )
  ).map(({ principal_id, role }) => [principal_id, role]);

test('a person becomes the owner of what a wallet owns, and the wallet a developer', async () => {
  const person = await people.withPasskey();
  const { wallet, orgId, principalId } = await service.owner('Ada’s');
  const send = await claim(person, wallet);
  const { status, body } = await send({ display_name: 'Ours' });
  expect([status, body]).toEqual([
    200,
    { status: 'claimed', org_id: orgId, display_name: 'Ours', role: 'owner', already_owned: false },
  ]);
  expect(await rolesIn(orgId)).toEqual([
    [person.principalId, 'owner'],
    [principalId, 'developer'],
  ]);
  // The nonce is used up; another claim finds that it is owned already.
  expect((await send()).body.code).toBe('WALLET_PROOF_INVALID');
  expect((await (await claim(person, wallet))()).body).toMatchObject({ status: 'claimed', already_owned: true });
});

test('of several organizations one is selected, with the same proof', async () => {
  const person = await people.withPasskey();
  const { wallet, orgId } = await service.owner('One');
  const second = (await post(wallet, '/orgs/v1', { display_name: 'Two' })).body.org_id as string;
  const send = await claim(person, wallet);
  const { body } = await send();
  expect(body).toEqual({
    status: 'select_org',
    selectable_orgs: [
      { org_id: orgId, display_name: 'One', tier: 'prototype' },
      { org_id: second, display_name: 'Two', tier: 'prototype' },
    ],
  });
  const { orgId: foreign } = await service.owner();
  expect((await send({ org_id: foreign })).body.code).toBe('CLAIM_CONFLICT');
  expect((await send({ org_id: second })).body).toMatchObject({ status: 'claimed', org_id: second });
});

test('twenty claims at once make one change', async () => {
  const person = await people.withPasskey();
  const { wallet } = await service.owner();
  const send = await claim(person, wallet);
  const answers = await Promise.all(Array.from({ length: 20 }, () => send()));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a claim takes the right wallet, the right nonce, its own session and a fresh passkey', async () => {
  const person = await people.withPasskey();
  const { wallet } = await service.owner();
  const other = await people.withPasskey();
  const { body } = await post(person, `${operator}/claim-wallet-org/challenge`, { wallet: wallet.address });
  const send = async (actor: typeof person, proof?: string) =>
    (await post(actor, `${operator}/claim-wallet-org`, {}, proof === undefined ? {} : { 'sign-in-with-x': proof })).body
      .code;
  const right = await wallet.sign({ nonce: body.nonce });
  expect(await send(person)).toBe('WALLET_PROOF_INVALID');
  expect(await send(person, await actors.wallet().sign({ nonce: body.nonce }))).toBe('WALLET_PROOF_INVALID');
  expect(await send(person, await wallet.sign())).toBe('WALLET_PROOF_INVALID');
  expect(await send(person, `${right}x`)).toBe('WALLET_PROOF_INVALID');
  expect(await send(other, right)).toBe('WALLET_PROOF_INVALID');
  const plain = await people.byMail(person.email);
  expect(await send(plain as typeof person, right)).toBe('STEP_UP_REQUIRED');
  await control.sql('update wallet_claims set expires_at = now()');
  expect(await send(person, right)).toBe('WALLET_PROOF_INVALID');
});

test('a wallet that owns nothing has nothing to claim', async () => {
  const send = await claim(await people.withPasskey(), actors.wallet());
  const { status, body } = await send();
  expect([status, body.code]).toEqual([404, 'CLAIM_NOTHING_TO_CLAIM']);
});

/** A wallet whose contact has a verified address, and the link that it was mailed. */
async function contactLink() {
  const wallet = actors.wallet();
  const email = freshEmail();
  await post(wallet, '/agent/v1/contact', { name: 'Ada', email });
  await control.sql('update operator_contacts set email_verified_at = now() where email = $1', [email]);
  const { status, body } = await post(wallet, '/agent/v1/contact/passkey/enroll');
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      assurance_level: 'passkey_pending',
      passkey_binding_status: 'pending',
      enrollment_sent_to: email,
    }),
  ]);
  return { wallet, email, token: await people.tokenOf(email) };
}

const register = '/agent/v1/contact/passkey/register';

test('the passkey of an operator contact is bound by a mailed link, once, and signs nobody in', async () => {
  const { wallet, token } = await contactLink();
  const key = new SoftwareAuthenticator(service.url);
  const ask = async () => (await post(nobody, `${register}/options`, { token })).body;
  const made = [];
  for (const one of [key, new SoftwareAuthenticator(service.url)])
    made.push(one.create({ challenge_id: '', ...(await ask()) }).response);
  const answers = await Promise.all(made.map((response) => post(nobody, `${register}/verify`, { token, response })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
  const { body } = await call<Body>(wallet, 'GET', '/agent/v1/contact/status');
  expect(body).toMatchObject({
    assurance_level: 'operator_passkey',
    passkey_binding_status: 'verified',
    active_operator_passkey_id: answers.find(({ status }) => status === 201)!.body.passkey_id,
  });
  const asked = await post(nobody, `${plane}/session/passkey/options`);
  const { response } = key.get({ challenge_id: '', ...asked.body });
  expect((await post(nobody, `${plane}/session/passkey/verify`, { response })).status).toBe(401);
});

test('an answer to one link’s challenge is none to another’s, nor one for a changed address', async () => {
  const [one, other] = [await contactLink(), await contactLink()];
  const asked = await post(nobody, `${register}/options`, { token: one.token });
  const { response } = new SoftwareAuthenticator(service.url).create({ challenge_id: '', ...asked.body });
  expect((await post(nobody, `${register}/verify`, { token: other.token, response })).status).toBe(401);
  const again = await post(nobody, `${register}/options`, { token: other.token });
  await post(other.wallet, '/agent/v1/contact', { name: 'Ada', email: freshEmail() });
  const late = new SoftwareAuthenticator(service.url).create({ challenge_id: '', ...again.body }).response;
  expect((await post(nobody, `${register}/verify`, { token: other.token, response: late })).status).toBe(401);
});
