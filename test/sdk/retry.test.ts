import { afterAll, beforeEach, expect, test } from 'vitest';
import { connect, createClient, projectKey, rest, SvcError, session } from '../../clients/sdk/src/index.ts';
import { rooms } from '../../clients/sdk/src/namespaces/rooms.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Fault, faultyRoad } from './faulty-road.ts';
import { newWallet, ownProject } from './sdk-stage.ts';

const service = await sharedService();
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
});
const { client: own, org, project: room, credential } = await ownProject(service);
const client = createClient({ baseUrl: road.url, credential, retry: { pauseMs: 1 } });
beforeEach(() => void road.seen.splice(0));

const refusal = (retryable: boolean, safe_to_retry: boolean, headers: Record<string, string> = {}): Fault => ({
  status: 503,
  body: { code: 'UPSTREAM_UNAVAILABLE', message: 'Not now.', retryable, safe_to_retry, details: {}, next_actions: [] },
  headers,
});
const keys = () => road.seen.map(({ headers }) => headers['idempotency-key']);
const signatures = () => road.seen.map(({ headers }) => headers['sign-in-with-x']);
const bodies = async () =>
  (await own.rooms.listMessages({ org, room, limit: 200 })).messages.map(({ bodySnippet }) => bodySnippet);
const caught = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: SvcError) => error,
  );

test('a change whose answers are lost is sent again under one key, each time freshly signed, and made once', async () => {
  road.plan('cut', 'lost', 'lost');
  const { messageId } = await client.rooms.sendMessage({ org, room, body: 'once' });
  expect(messageId).toMatch(/^msg_/);
  expect(road.seen).toHaveLength(4);
  expect(new Set(keys()).size).toBe(1);
  expect(keys()[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(signatures()).size).toBe(4);
  expect(new Set(road.seen.map(({ body }) => body)).size).toBe(1);
  expect((await bodies()).filter((body) => body === 'once')).toHaveLength(1);
});

test('a gateway that is not there is told from one that is slow', async () => {
  const gone = await faultyRoad(service.url);
  gone.close();
  const nowhere = createClient({ baseUrl: gone.url, credential, retry: { times: 0 } });
  expect(await caught(nowhere.rooms.list({ org }))).toMatchObject({
    code: 'NETWORK_ERROR',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('what never left is tried again without a key, and said not to have been begun', async () => {
  const gone = await faultyRoad(service.url);
  gone.close();
  let tried = 0;
  const nowhere = createClient({
    baseUrl: gone.url,
    credential,
    retry: { times: 2, pauseMs: 1 },
    fetch: (url, init) => {
      tried++;
      return fetch(url, init);
    },
  });
  const error = await caught(nowhere.rooms.sendMessage({ org, room, body: 'never' }, { idempotencyKey: false }));
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', kind: 'network', safeToRetry: true, retryable: true });
  expect(error!.mutationState).toBe('not_started');
  expect(tried).toBe(3);
});

test('of what was sent before the gateway went nobody says that it was not', async () => {
  const gone = await faultyRoad(service.url);
  gone.close();
  const bases = [road.url, gone.url, gone.url];
  road.plan('lost');
  const leaving = createClient({
    baseUrl: road.url,
    credential,
    retry: { times: 2, pauseMs: 1 },
    fetch: (url, init) => fetch(String(url).replace(road.url, bases.shift()!), init),
  });
  const error = await caught(leaving.rooms.sendMessage({ org, room, body: 'perhaps' }));
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', safeToRetry: false, mutationState: 'unknown' });
  expect(error!.message).toContain('ECONNREFUSED');
  expect(bases).toEqual([]);
});

test('a change without a key is sent once, and its outcome is said to be unknown', async () => {
  road.plan('lost');
  const error = await caught(client.rooms.sendMessage({ org, room, body: 'unknown' }, { idempotencyKey: false }));
  expect(error).toBeInstanceOf(SvcError);
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', kind: 'network', safeToRetry: false, mutationState: 'unknown' });
  expect(keys()).toEqual([undefined]);
});

test('a read is sent again without a key, by the signature that it has', async () => {
  road.plan('cut', 'cut');
  await client.rooms.listMessages({ org, room });
  expect(road.seen).toHaveLength(3);
  expect(new Set(signatures()).size).toBe(1);
  expect(keys()).toEqual([undefined, undefined, undefined]);
});

test('what never gets through is given up after as many tries as were told', async () => {
  road.plan('cut', 'cut', 'cut', 'cut');
  expect(await caught(client.rooms.list({ org }))).toMatchObject({ code: 'NETWORK_ERROR', status: 0, retryable: true });
  expect(road.seen).toHaveLength(4);
});

test.each([
  [true, true, 2],
  [true, false, 1],
  [false, true, 1],
  [false, false, 1],
])('a refusal that is retryable: %s and safe to retry: %s is asked %i times', async (retryable, safe, times) => {
  road.plan(refusal(retryable, safe));
  const outcome = await caught(
    client.rooms.sendMessage({ org, room, body: 'again' }, { idempotencyKey: `mine${times}` }),
  );
  expect(road.seen).toHaveLength(times);
  expect(keys()).toEqual(Array.from({ length: times }, () => `mine${times}`));
  expect(outcome?.code).toBe(times === 2 ? undefined : 'UPSTREAM_UNAVAILABLE');
});

test('a wait that the gateway names is kept, and one that is too long is left to the caller', async () => {
  road.plan(refusal(true, true, { 'retry-after': '1' }));
  const startedAt = performance.now();
  await client.rooms.list({ org });
  expect(performance.now() - startedAt).toBeGreaterThan(990);
  road.plan(refusal(true, true, { 'retry-after': '3600' }));
  expect(await caught(client.rooms.list({ org }))).toMatchObject({ retryAfterSeconds: 3600 });
  expect(road.seen).toHaveLength(3);
});

test('refusals of the gateway itself are errors with all that it says', async () => {
  const stranger = createClient({ baseUrl: service.url, credential: newWallet().credential });
  const error = await caught(stranger.rooms.get({ org, room }));
  expect(error).toMatchObject({
    name: 'SvcError',
    code: 'NOT_AUTHORIZED',
    status: 403,
    kind: 'not_authorized',
    retryable: false,
    mutationState: 'none',
    details: { reason: 'member' },
  });
  expect(error!.traceId).toMatch(/^trc_[0-9a-f]{32}$/);
  expect(error!.envelope).toMatchObject({ safe_to_retry: error!.safeToRetry, next_actions: error!.nextActions });
  const nobody = rooms(connect({ baseUrl: service.url }));
  expect(await caught(nobody.get({ org, room }))).toMatchObject({
    code: 'AUTH_REQUIRED',
    kind: 'unauthorized',
    nextActions: [{ type: 'authenticate' }],
  });
});

test('an answer of somebody else on the way is an error, too', async () => {
  road.plan({ status: 502, body: { oops: true } });
  expect(await caught(client.rooms.list({ org }))).toMatchObject({
    code: 'API_ERROR',
    status: 502,
    details: { body_preview: '{"oops":true}' },
  });
});

test('a session that has expired is refreshed once for all who wait, and their requests are sent again', async () => {
  let refreshed = 0;
  const { actors } = service;
  const [live, principal] = [await actors.session(), await actors.session()];
  const credential = session({
    accessToken: `${principal.token}x`,
    refresh: async () => {
      refreshed++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return live.token;
    },
  });
  const person = createClient({ baseUrl: road.url, credential });
  const answers = await Promise.all([person.identity.whoami(), person.identity.whoami(), person.orgs.list()]);
  expect(answers[0]).toMatchObject({ principal: { id: live.principalId } });
  expect(refreshed).toBe(1);
  expect(road.seen).toHaveLength(6);
});

const notNow = { code: 'UPSTREAM_UNAVAILABLE', retryable: true, safe_to_retry: true, mutation_state: 'not_started' };
const answered = (data: Record<string, object | null>): Fault => ({
  status: 200,
  body: {
    data,
    errors: Object.keys(data)
      .filter((field) => data[field] === null)
      .map((field) => ({ message: 'Not now.', path: [field], extensions: notNow })),
  },
});
const twoChanges = 'mutation { one: leaveRoom { left } other: leaveRoom { left } }';

test('a document of which one change was made is not sent again for the sake of the other', async () => {
  road.plan(answered({ one: { left: true }, other: null }));
  const error = await caught(client.graphql(twoChanges));
  expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', safeToRetry: false, mutationState: 'partial' });
  expect(road.seen).toHaveLength(1);
});

test('a document of which nothing was done is sent again', async () => {
  road.plan(answered({ one: null, other: null }), { status: 200, body: { data: { one: null, other: null } } });
  expect(await client.graphql(twoChanges)).toEqual({ one: null, other: null });
  expect(road.seen).toHaveLength(2);
});

test('a call ends when it is told to', async () => {
  const ending = new AbortController();
  const held = client.rooms.listMessages({ org, room: 'quiet', wait: 25 }, { signal: ending.signal });
  ending.abort(new Error('enough'));
  await expect(held).rejects.toThrow('enough');
});

test('no name of anything leads to another path', async () => {
  await expect(client.rooms.get({ org, room: '..' })).rejects.toThrow('room is no name of anything');
  expect(road.seen).toHaveLength(0);
});

test('no name of a table leads to another path', async () => {
  const rows = connect({ baseUrl: road.url, credential: projectKey({ key: 'any' }) });
  await expect(rest(rows, '..', { admin: true }).select()).rejects.toThrow('is no path of the gateway');
  expect(road.seen).toHaveLength(0);
});

test('what says who somebody is goes nowhere that the gateway sends it to', async () => {
  const elsewhere = await faultyRoad(service.url);
  road.plan({ status: 307, body: {}, headers: { location: `${elsewhere.url}/agent/v1/whoami` } });
  const hasty = createClient({ baseUrl: road.url, credential, retry: { times: 0 } });
  expect(await caught(hasty.identity.whoami())).toMatchObject({ code: 'NETWORK_ERROR' });
  elsewhere.close();
  expect(elsewhere.seen).toEqual([]);
});

test('a request that takes too long is given up, and not sent again', async () => {
  const hasty = createClient({ baseUrl: road.url, credential, timeoutSeconds: 0.05 });
  const error = await caught(hasty.rooms.listMessages({ org, room: 'quiet', wait: 25 }));
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining('too long') });
  expect(road.seen.length).toBeLessThanOrEqual(1);
});

test('a page of somebody else’s that says all is well is an error, too', async () => {
  road.plan({ status: 200, body: 'a page' as unknown as object, headers: { 'content-type': 'text/html' } });
  const raw = createClient({
    baseUrl: road.url,
    credential,
    fetch: async (url, init) => new Response(`<p>${await (await fetch(url, init)).text()}</p>`),
  });
  expect(await caught(raw.rooms.list({ org }))).toMatchObject({ code: 'API_ERROR', status: 200 });
});

test('what looks at answers may fail without a request being sent again', async () => {
  const onResponse = () => {
    throw new Error('not mine');
  };
  await expect(client.rooms.list({ org }, { onResponse })).rejects.toThrow('not mine');
  expect(road.seen).toHaveLength(1);
});
