import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { connect, createClient, SvcGraphQLError, session, wallet } from '../../clients/sdk/src/index.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { faultyRoad } from './faulty-road.ts';
import { ownProject } from './sdk-stage.ts';

const service = await sharedService();
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
});
const { client: own, credential, org, project } = await ownProject(service);
beforeEach(() => void road.seen.splice(0));

const caught = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A wallet that signs when its owner says so. */
function slowWallet() {
  const account = privateKeyToAccount(generatePrivateKey());
  let asked = 0;
  let agree: () => void = () => undefined;
  const agreed = new Promise<void>((resolve) => (agree = resolve));
  const slow = wallet({
    address: account.address,
    async signMessage(message) {
      asked++;
      await agreed;
      return account.signMessage({ message });
    },
  });
  return { slow, agree, asked: () => asked };
}

test('a call that has ended before it began asks nobody for anything', async () => {
  const { slow, asked } = slowWallet();
  const client = createClient({ baseUrl: road.url, credential: slow });
  const ended = AbortSignal.abort(new Error('enough'));
  for (const call of [
    client.orgs.list({}, { signal: ended }),
    client.orgs.create({}, { signal: ended }),
    client.graphql('{ __typename }', {}, { signal: ended }),
    client.rest('notes').select({}, { signal: ended }),
    client.rpc('f', {}, { signal: ended }),
    client.downloads.take({ token: 'A'.repeat(43) }, { signal: ended }),
    client.orgs.listAudit.each({ org }, { signal: ended }).next(),
    client.rest('notes').each({}, { signal: ended }).next(),
    client.watchErrors({ project, newIn: 'active' }, { signal: ended }),
  ])
    await expect(call).rejects.toThrow('enough');
  expect(await client.rooms.follow({ org, room: 'x' }, { signal: ended }).next()).toEqual({
    done: true,
    value: undefined,
  });
  expect(await client.live({ tables: ['x'] }, { signal: ended }).next()).toEqual({ done: true, value: undefined });
  expect([asked(), road.seen]).toEqual([0, []]);
});

test('a call ends while a wallet’s owner thinks it over, and between two tries', async () => {
  const { slow, agree, asked } = slowWallet();
  const ending = new AbortController();
  const client = createClient({ baseUrl: road.url, credential: slow });
  const held = client.orgs.list({}, { signal: ending.signal });
  await expect.poll(asked).toBe(1);
  ending.abort(new Error('enough'));
  await expect(held).rejects.toThrow('enough');
  expect(road.seen).toEqual([]);
  agree();

  const patient = createClient({ baseUrl: road.url, credential, retry: { pauseMs: 60_000 } });
  const waiting = new AbortController();
  road.plan('cut');
  const retried = patient.orgs.list({}, { signal: waiting.signal });
  await expect.poll(() => road.seen.length).toBe(1);
  waiting.abort(new Error('no longer'));
  await expect(retried).rejects.toThrow('no longer');

  const page = own.rooms.listMessages.each({ org, room: 'held', wait: 25 }, { signal: AbortSignal.timeout(100) });
  await expect(page.next()).rejects.toMatchObject({ name: 'TimeoutError' });
});

test.each([
  ['ahead', 3_600_000],
  // Less than the day that a wallet goes along with, by what two clocks may differ.
  ['behind', -86_390_000],
])('a wallet whose clock is %s is told the time, and signs again by it', async (_which, wrongMs) => {
  const account = privateKeyToAccount(generatePrivateKey());
  let signed = 0;
  const late = wallet({
    address: account.address,
    signMessage: (message) => {
      signed++;
      return account.signMessage({ message });
    },
    now: () => Date.now() + wrongMs,
  });
  const client = createClient({ baseUrl: service.url, credential: late });
  const { orgId } = await client.orgs.create({});
  expect(signed).toBe(2);
  // From then on it knows.
  expect((await client.orgs.get({ org: orgId })).orgId).toBe(orgId);
  expect(signed).toBe(3);
  const events = client.rooms.follow({ org: orgId, room: 'late' });
  const first = events.next();
  await client.rooms.sendMessage({ org: orgId, room: 'late', body: 'in time' });
  expect((await first).value?.message.body).toBe('in time');
  await events.return();
});

test.each([
  ['ahead', 3_600_000],
  // Less than the day that a wallet goes along with, by what two clocks may differ.
  ['behind', -86_390_000],
])('a wallet whose clock is %s and that does nothing but follow is told the time, too', async (_which, wrongMs) => {
  const account = privateKeyToAccount(generatePrivateKey());
  const signer = {
    address: account.address,
    signMessage: (message: string) => account.signMessage({ message }),
  };
  const right = createClient({ baseUrl: service.url, credential: wallet(signer) });
  const { orgId } = await right.orgs.create({});
  await right.rooms.sendMessage({ org: orgId, room: 'late', body: 'in time' });
  const states: string[] = [];
  const late = createClient({
    baseUrl: service.url,
    credential: wallet({ ...signer, now: () => Date.now() + wrongMs }),
    onSocket: (state) => states.push(state),
  });
  const events = late.rooms.follow({ org: orgId, room: 'late' });
  expect((await events.next()).value?.message.body).toBe('in time');
  await events.return();
  expect(states).toEqual(['connecting', 'connecting', 'open', 'closed']);
});

test('nobody has a wallet sign for another year by saying that it is one', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  const signed: string[] = [];
  const early = wallet({
    address: account.address,
    signMessage: (message) => {
      signed.push(message);
      return account.signMessage({ message });
    },
  });
  const details = { reason: 'expired', server_time: '2999-01-01T00:00:00.000Z' };
  const body = { code: 'INVALID_AUTH', message: 'It is late.', retryable: false, safe_to_retry: false, details };
  road.plan({ status: 401, body });
  const misled = createClient({ baseUrl: road.url, credential: early });
  expect(await caught(misled.orgs.list())).toMatchObject({ code: 'INVALID_AUTH', details });
  await misled.orgs.list();
  expect(signed.length).toBeGreaterThan(0);
  expect(signed.join()).not.toContain('2999-01');
});

test('a signature that is refused for anything but its times is not made again', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  let signed = 0;
  const forged = wallet({
    address: account.address,
    signMessage: () => {
      signed++;
      return privateKeyToAccount(generatePrivateKey()).signMessage({ message: 'something else' });
    },
  });
  const error = await caught(createClient({ baseUrl: service.url, credential: forged }).orgs.list());
  expect(error).toMatchObject({ code: 'INVALID_AUTH', kind: 'unauthorized', details: { reason: 'signature_invalid' } });
  expect(signed).toBe(1);
});

test('a session that has expired is refreshed by what is asked of the graph, too', async () => {
  const person = await service.actors.session();
  let refreshed = 0;
  const expired = session({
    accessToken: `${person.token}x`,
    refresh: async () => {
      refreshed++;
      return person.token;
    },
  });
  const client = createClient({ baseUrl: service.url, credential: expired });
  const { whoami } = await client.graphql<{ whoami: { principal: { principalId: string } } }>(
    '{ whoami { principal { principalId } } }',
  );
  expect([whoami.principal.principalId, refreshed]).toEqual([person.principalId, 1]);
  const stale = createClient({ baseUrl: service.url, credential: session({ accessToken: `${person.token}x` }) });
  const error = await caught(stale.graphql('{ whoami { principal { principalId } } }'));
  expect(error).toBeInstanceOf(SvcGraphQLError);
  expect(error).toMatchObject({ code: 'INVALID_AUTH', kind: 'unauthorized' });
});

test('a document that is none is refused with the code of the graph, whatever status it comes with', async () => {
  for (const headers of [{}, { accept: 'application/graphql-response+json' }]) {
    const error = await caught(own.graphql('{ oh', {}, { headers }));
    expect(error).toBeInstanceOf(SvcGraphQLError);
    expect(error).toMatchObject({ code: 'GRAPHQL_PARSE_FAILED', errors: [expect.any(Object)] });
  }
});

test('what no request can hold is the caller’s mistake, and nothing is sent', async () => {
  const client = createClient({ baseUrl: road.url, credential });
  await expect(client.orgs.create({}, { idempotencyKey: 'ключ' })).rejects.toThrow(TypeError);
  for (const baseUrl of ['localhost:4000', 'gateway', 'ftp://gateway', ''])
    expect(() => connect({ baseUrl })).toThrow('is no address of a gateway');
  expect(connect({ baseUrl: `${road.url}//` }).baseUrl).toBe(road.url);
  expect(road.seen).toEqual([]);
});
