import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1, ::1' } });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin, nobody } = service.actors;

type Caller = Parameters<typeof call>[0];
let networks = 0;
const createEmail = (email: string, actor: Caller = nobody) =>
  call(actor, 'POST', '/orgs/v1/email', {
    body: { email },
    headers: { 'x-forwarded-for': `198.51.100.${++networks}` },
  });
const link = (actor: Caller, orgId: string, wallet: string) =>
  call(actor, 'POST', `/orgs/v1/${orgId}/wallets`, { body: { wallet } });
const address = () => `${randomUUID()}@example.com`;
const billing = (actor: Caller, orgId: string) => call(actor, 'GET', `/orgs/v1/${orgId}/billing`);

test('a mail address has one organization, whoever asks and however it is written', async () => {
  const email = address();
  const made = await createEmail(email);
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.any(String),
    email,
    email_credits_remaining: 0,
    verification_sent: false,
    verification_supported: false,
  });
  const again = await createEmail(email.toUpperCase());
  expect([again.status, again.body]).toEqual([200, made.body]);
  expectRefusal(await createEmail('not an address'), 'VALIDATION_FAILED');
  // Its id alone opens nothing.
  expectRefusal(await billing(service.actors.wallet(), made.body.id), 'NOT_AUTHORIZED');
});

test('an address that somebody signs in with is for that person alone', async () => {
  const email = address();
  const { body } = await createEmail(email);
  const [{ principal_id: principalId }] = (await service.control.sql(
    `update authenticators set verified_at = now() where kind = 'email' and public_subject = $1 returning principal_id`,
    [email],
  )) as [{ principal_id: string }];
  expectRefusal(await createEmail(email), 'AUTH_REQUIRED');
  const person = await service.actors.session({ principalId });
  expect((await createEmail(email, person)).body).toEqual(body);
  // No wallet takes over what is a person's.
  const wallet = service.actors.wallet();
  expectRefusal(await link(wallet, body.id, wallet.address), 'NOT_AUTHORIZED');
  expect((await billing(person, body.id)).status).toBe(200);
});

test('the first wallet that links itself has the organization of an address that is nobody’s yet', async () => {
  const { id } = (await createEmail(address())).body;
  const wallet = service.actors.wallet();
  const linked = await link(wallet, id, wallet.address);
  expect(linked.body).toMatchObject({
    status: 'linked',
    org_id: id,
    wallet: wallet.address,
    pool_implications: { tier: 'prototype', projects_in_pool_count: 0, over_limit: false },
  });
  expect((await billing(wallet, id)).body.org_id).toBe(id);
  expect((await call(wallet, 'GET', `/orgs/v1/lookup?wallet=${wallet.address}`)).body.org_id).toBe(id);
  expect((await link(wallet, id, wallet.address)).status).toBe(200);
  const second = service.actors.wallet();
  expectRefusal(await link(second, id, second.address), 'NOT_AUTHORIZED');
  const trail = await service.control.sql(`select action from audit_events where org_id = $1 order by seq`, [id]);
  expect(trail).toEqual([{ action: 'org.created' }, { action: 'wallet.linked' }]);
});

test('of many wallets that link themselves at once, one has the organization', async () => {
  const { id } = (await createEmail(address())).body;
  const wallets = Array.from({ length: 8 }, () => service.actors.wallet());
  const answers = await Promise.all(wallets.map((one) => link(one, id, one.address)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 'NOT_AUTHORIZED');
});

test('a wallet is linked by its own signature or by the platform admin, and to nothing that is others’', async () => {
  const { orgId } = await service.owner();
  const { id } = (await createEmail(address())).body;
  const wallet = service.actors.wallet();
  const other = service.actors.wallet();
  expectRefusal(await link(nobody, id, wallet.address), 'AUTH_REQUIRED');
  expectRefusal(await link(other, id, wallet.address), 'FORBIDDEN');
  const foreign = await link(wallet, orgId, wallet.address);
  const absent = await link(wallet, randomUUID(), wallet.address);
  expectRefusal(foreign, 'NOT_AUTHORIZED');
  expectRefusal(absent, 'NOT_AUTHORIZED');
  expectRefusal(await link(admin, randomUUID(), wallet.address), 'RESOURCE_NOT_FOUND');
  expect((await link(admin, orgId, wallet.address)).status).toBe(200);
  expect((await billing(wallet, orgId)).status).toBe(200);
});

test('what holds money is no longer nobody’s, and a wallet with something of its own keeps it', async () => {
  const { id } = (await createEmail(address())).body;
  const credit = (org: string) =>
    call(admin, 'POST', `/orgs/v1/admin/${org}/credits`, { body: { amount_usd_micros: 1_000 } });
  await credit(id);
  const wallet = service.actors.wallet();
  expectRefusal(await link(wallet, id, wallet.address), 'NOT_AUTHORIZED');
  const { wallet: owner, orgId } = await service.owner();
  await credit(orgId);
  const empty = (await createEmail(address())).body.id;
  expectRefusal(await link(owner, empty, owner.address), 'RELINK_SOURCE_ORG_NOT_EMPTY', { org_id: orgId });
  expect((await call(owner, 'GET', `/orgs/v1/lookup?wallet=${owner.address}`)).body.org_id).toBe(orgId);
});
