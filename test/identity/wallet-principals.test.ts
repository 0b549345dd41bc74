import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { nobody, type WalletActor, withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { createWallet } from '../helpers/wallet.ts';

const service = await sharedService();
afterAll(() => service.stop());

const { actors, control } = service;

interface Me {
  readonly principal: { readonly id: string; readonly type: string; readonly display_name: string | null };
  readonly active_authenticator: { readonly kind: string; readonly public_subject: string };
  readonly memberships: readonly unknown[];
}

const whoami = (wallet: WalletActor) => service.call<Me>(wallet, 'GET', '/agent/v1/whoami');
const principalsOf = ({ address }: WalletActor) =>
  control.sql<{ id: string }>(
    `select p.id from principals p join authenticators a on a.principal_id = p.id where a.public_subject = $1`,
    [address],
  );

test('twenty first requests of one wallet make one principal', async () => {
  const before = await control.sql('select 1 from principals');
  const wallet = actors.wallet();
  // Nobody can be written down until all of them have looked and found nobody.
  const blocker = new pg.Client({ connectionString: control.url });
  await blocker.connect();
  await blocker.query('begin; lock table principals in exclusive mode');
  const requests = Array.from({ length: 20 }, () => whoami(wallet));
  const waiting = () =>
    control.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
    );
  try {
    // As many as the pool has connections, less what the gateway does beside.
    await expect.poll(async () => (await waiting()).length).toBeGreaterThanOrEqual(15);
  } finally {
    await blocker.query('rollback');
    await blocker.end();
  }
  const answers = await Promise.all(requests);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.principal.id)).size).toBe(1);
  expect(await principalsOf(wallet)).toEqual([{ id: answers[0]!.body.principal.id }]);
  // No principal without an authenticator was left by those who came second.
  expect(await control.sql('select 1 from principals')).toHaveLength(before.length + 1);
});

test('an unseen wallet becomes an agent without a name or an organization, known by its lower-case address', async () => {
  const wallet = actors.wallet();
  const { body } = await whoami(wallet);
  expect(body).toMatchObject({
    principal: { type: 'agent', display_name: null },
    active_authenticator: { kind: 'wallet', public_subject: wallet.address },
    memberships: [],
  });
});

test('a wallet is the same principal on every chain and with every statement', async () => {
  const wallet = actors.wallet();
  const { body: first } = await whoami(wallet);
  for (const options of [{ chainId: 'eip155:8453' }, { statement: 'Anything at all.' }, { statement: '' }]) {
    const headers = { 'sign-in-with-x': await wallet.sign(options) };
    const { body } = await service.call<Me>(withHeaders(headers), 'GET', '/agent/v1/whoami');
    expect(body.principal.id).toBe(first.principal.id);
  }
});

/** The same signed header with every request. */
async function signedOnce(wallet: WalletActor, nonce = randomBytes(16).toString('hex')) {
  return withHeaders({ 'sign-in-with-x': await wallet.sign({ nonce }) });
}

const orgsOf = async (wallet: WalletActor) => (await whoami(wallet)).body.memberships.length;
const create = 'mutation { createOrganization(input: {}) { id } }';

test('a signature that is sent again is good for reading, however often', async () => {
  const wallet = actors.wallet();
  const once = await signedOnce(wallet);
  for (let time = 0; time < 3; time++) {
    expect((await service.call(once, 'GET', '/agent/v1/whoami')).status).toBe(200);
    expect((await service.graphql(once, '{ whoami { __typename } }')).errors).toBeUndefined();
  }
  // Reading did not spend it, changing does, and reading goes on.
  expect((await service.call(once, 'POST', '/orgs/v1', { body: {} })).status).toBe(201);
  expect((await service.call(once, 'GET', '/agent/v1/whoami')).status).toBe(200);
});

test('a signature changes something once, over REST and GraphQL alike', async () => {
  const wallet = actors.wallet();
  const overRest = await signedOnce(wallet);
  const overGraph = await signedOnce(wallet);
  expect((await service.call(overRest, 'POST', '/orgs/v1', { body: {} })).status).toBe(201);
  expect((await service.graphql(overGraph, create)).errors).toBeUndefined();
  for (const spent of [overRest, overGraph]) {
    const again = await service.call<{ code: string; details: object }>(spent, 'POST', '/orgs/v1', { body: {} });
    expect([again.status, again.body.code, again.body.details]).toEqual([
      401,
      'INVALID_AUTH',
      { reason: 'nonce_used' },
    ]);
    const { data, errors } = await service.graphql(spent, create);
    expect(data).toEqual({ createOrganization: null });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_AUTH', details: { reason: 'nonce_used' } });
  }
  expect(await orgsOf(wallet)).toBe(2);
});

test('of many changes at once with one signature, one takes place', async () => {
  const { wallet, orgId } = await service.owner();
  const once = await signedOnce(wallet);
  const path = `/orgs/v1/${orgId}/rooms/standup/messages`;
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) => service.call(once, 'POST', path, { body: { body: `message ${at}` } })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(401)]);
  expect(await control.sql('select 1 from room_messages where org_id = $1', [orgId])).toHaveLength(1);
});

test('another message under a spent nonce is refused, and another wallet may use the same nonce', async () => {
  const nonce = randomBytes(16).toString('hex');
  const wallet = actors.wallet();
  expect((await service.call(await signedOnce(wallet, nonce), 'POST', '/orgs/v1', { body: {} })).status).toBe(201);
  const other = withHeaders({ 'sign-in-with-x': await wallet.sign({ nonce, statement: 'Another message.' }) });
  expect((await service.call(other, 'POST', '/orgs/v1', { body: {} })).status).toBe(401);
  const stranger = await signedOnce(actors.wallet(), nonce);
  expect((await service.call(stranger, 'POST', '/orgs/v1', { body: {} })).status).toBe(201);
});

test('several changes in one document take one signature', async () => {
  const wallet = actors.wallet();
  const once = await signedOnce(wallet);
  const { data, errors } = await service.graphql(
    once,
    `mutation {
      one: createOrganization(input: { displayName: "One" }) { displayName }
      two: createOrganization(input: { displayName: "Two" }) { displayName }
    }`,
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({ one: { displayName: 'One' }, two: { displayName: 'Two' } });
  expect((await service.graphql(once, create)).errors?.[0]?.extensions.code).toBe('INVALID_AUTH');
  expect(await orgsOf(wallet)).toBe(2);
});

test('a change that is refused spends nothing', async () => {
  const wallet = actors.wallet();
  await whoami(wallet);
  const once = await signedOnce(wallet);
  const foreign = `/orgs/v1/${crypto.randomUUID()}/rooms/standup/messages`;
  expect((await service.call(once, 'POST', foreign, { body: { body: 'hello' } })).status).toBe(403);
  expect((await service.call(once, 'POST', '/orgs/v1', { body: { tier: 'team' } })).status).toBe(400);
  expect((await service.call(once, 'POST', '/orgs/v1', { body: {} })).status).toBe(201);
});

test('a wallet whose signature is for another wallet’s address is that other wallet to nobody', async () => {
  const victim = actors.wallet();
  await whoami(victim);
  const attacker = createWallet();
  const header = await attacker.header({ baseUrl: service.url, overrides: { address: victim.checksumAddress } });
  const answer = await service.call<{ code: string }>(nobody, 'GET', '/agent/v1/whoami', {
    headers: { 'sign-in-with-x': header },
  });
  expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_AUTH']);
});
