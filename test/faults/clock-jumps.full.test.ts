import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { decodeJwt } from 'jose';
import { getAddress } from 'viem';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { nobody } from '../helpers/actors.ts';
import { startChain } from '../helpers/chain.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { type GatewayProcess, killGateways } from '../helpers/gateway-process.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startSites } from '../helpers/site-server.ts';
import { until } from '../helpers/until.ts';
import { challengeOf, paying, sign } from '../payments/shop.ts';

/*
 * The machine of a node may have a wrong clock, and one that is set right (or wrong) while the node serves. The clock of
 * the database is everybody's, so nobody who uses the gateway notices.
 */

const hourMs = 3_600_000;
const host = 'clock.audit-sites.net';
const chain = await startChain();
const sites = await startSites({
  [host]: (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Home</title>'),
});
const world = await startFaultyWorld();
afterAll(async () => {
  await world.stop();
  sites.close();
  await chain.stop();
});

afterEach(killGateways);

const preload = fileURLToPath(new URL('./fixtures/settable-clock.mjs', import.meta.url));
const start = (clock: Record<string, string>): Promise<GatewayProcess> =>
  world.start(
    {
      NODE_OPTIONS: `--import=${preload}`,
      SETTLEMENT_ADDRESS: getAddress(`0x${randomBytes(20).toString('hex')}`),
      X402_SETTLER_KEY: chain.settlerKey,
      RPC_URL_BASE: chain.rpcUrl,
      ...clock,
    },
    sites.trial,
  );

const bearer = (token: string, apikey: string): Actor => ({
  headers: async () => ({ apikey, authorization: `Bearer ${token}` }),
});
const keyed = (apikey: string): Actor => ({ headers: async () => ({ apikey }) });

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Somebody who has an organization, a project and a user of it. */
async function settle(gateway: GatewayProcess) {
  const { wallet, orgId } = await world.owner(gateway);
  const project = await gateway.call<{ project_id: string; anon_key: string }>(
    gateway.as(wallet),
    'POST',
    '/projects/v1',
    { body: { org_id: orgId, name: 'clock' } },
  );
  expect([project.status, project.text]).toEqual([201, expect.any(String)]);
  const { project_id: projectId, anon_key: anonKey } = project.body;
  const credentials = { email: `u${randomBytes(6).toString('hex')}@example.com`, password: 'correct horse battery' };
  const user = await gateway.call(keyed(anonKey), 'POST', '/auth/v1/signup', { body: credentials });
  expect([user.status, user.text]).toEqual([201, expect.any(String)]);
  return { wallet, orgId, projectId, anonKey, credentials };
}

type Settled = Awaited<ReturnType<typeof settle>>;

async function signIn(gateway: GatewayProcess, { anonKey, credentials }: Settled): Promise<Tokens> {
  const answer = await gateway.call<Tokens>(keyed(anonKey), 'POST', '/auth/v1/token?grant_type=password', {
    body: credentials,
  });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
}

const me = async (gateway: GatewayProcess, { anonKey }: Settled, { access_token: token }: Tokens) =>
  (await gateway.call(bearer(token, anonKey), 'GET', '/auth/v1/user')).status;

/** What everybody does who notices a clock: signs, is signed in, reads by a key. */
async function expectServed(gateway: GatewayProcess, settled: Settled, tokens: Tokens): Promise<void> {
  const { wallet, orgId } = settled;
  expect((await gateway.call(gateway.as(wallet), 'GET', `/orgs/v1/${orgId}`)).status).toBe(200);
  expect(await me(gateway, settled, tokens)).toBe(200);
  const fresh = await signIn(gateway, settled);
  // Others may read what it says of its own times.
  const { iat = 0 } = decodeJwt(fresh.access_token);
  expect(Math.abs(iat * 1000 - Date.now())).toBeLessThan(hourMs / 2);
  expect(await me(gateway, settled, fresh)).toBe(200);
  const again = await gateway.call(keyed(settled.anonKey), 'POST', '/auth/v1/token?grant_type=refresh_token', {
    body: { refresh_token: fresh.refresh_token },
  });
  expect(again.status).toBe(200);
}

/** The library that settles holds a payment against its machine's clock, too: it is never taken later than it is signed for. */
async function expectPaymentIsSafe(gateway: GatewayProcess, offMs: number): Promise<void> {
  const path = `/api/x402-audit?url=${host}`;
  const payer = await chain.payer();
  const before = await chain.balanceOf(payer.address);
  const asked = await gateway.call(nobody, 'GET', path);
  expect(asked.status).toBe(402);
  const header = await sign(payer, challengeOf(asked).accepts[0]);
  const paid = await gateway.call<{ error?: string }>(nobody, 'GET', path, { headers: paying(header) });
  const { status, body } = paid;
  const taken = before - (await chain.balanceOf(payer.address));
  if (offMs <= 0) expect([status, taken]).toEqual([200, 10_000n]);
  else expect([status, body.error, taken]).toEqual([402, 'invalid_exact_evm_payload_authorization_valid_before', 0n]);
}

describe.each([
  ['ahead', hourMs],
  ['behind', -hourMs],
])('a clock that is an hour %s', (_which, offMs) => {
  test('at the start keeps nobody out, and the operator is told', async () => {
    const gateway = await start({ CLOCK_OFF_MS: String(offMs) });
    const settled = await settle(gateway);
    await expectServed(gateway, settled, await signIn(gateway, settled));
    await expectPaymentIsSafe(gateway, offMs);
    expect(gateway.stdout()).toMatch('The clock of this machine and the one of its database differ');
  });

  test('from one moment to the next ends no session and no subscription, and keeps nobody out', async () => {
    const gateway = await start({ CLOCK_OFF_MS: String(offMs), CLOCK_STARTS_RIGHT: '1' });
    const settled = await settle(gateway);
    const tokens = await signIn(gateway, settled);
    const messages = `/orgs/v1/${settled.orgId}/rooms/hall/messages`;
    const say = (body: string) =>
      gateway.call<{ message: { created_at: string } }>(gateway.as(settled.wallet), 'POST', messages, {
        body: { body },
      });
    const socket = openSocket(gateway.url, settled.wallet);
    const following = socket.follow({ org: settled.orgId, room: 'hall' });
    const heard: string[] = [];
    // It ends with an error where a test ended first.
    const followed = (async () => {
      for await (const { data } of following) heard.push(data!.roomMessages.message.body);
    })().catch(() => undefined);
    expect((await say('before')).status).toBe(201);
    for (const side of [offMs, -offMs]) {
      process.kill(gateway.pid, 'SIGUSR2');
      await until(() => expect(gateway.stdout()).toMatch(`clock off by ${side}\n`));
      await expectServed(gateway, settled, tokens);
      await expectPaymentIsSafe(gateway, side);
      expect((await say(`with the clock off by ${side}`)).status).toBe(201);
    }
    expect((await say('after')).status).toBe(201);
    const said = ['before', `with the clock off by ${offMs}`, `with the clock off by ${-offMs}`, 'after'];
    await until(() => expect(heard).toEqual(said));
    expect(socket.closes()).toEqual([]);
    await following.return?.();
    await followed;
    await socket.client.dispose();
  });
});
