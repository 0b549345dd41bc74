import { afterAll, expect, onTestFinished, test } from 'vitest';
import { bearer, createClient, gql, SvcError, session } from '../../clients/sdk/src/index.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { startService } from '../helpers/service.ts';
import { faultyRoad } from './faulty-road.ts';
import { newWallet, ownProject } from './sdk-stage.ts';

const service = await startService();
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
});
const { client: own, org, project, serviceKey, credential } = await ownProject(service);
const followed = () => {
  const states: string[] = [];
  const client = createClient({ baseUrl: road.url, credential, onSocket: (state) => states.push(state) });
  return { client, states };
};
const send = (room: string, body: string) => own.rooms.sendMessage({ org, room, body });

test('a subscription survives its socket being killed again and again, without a gap and without a repeat', async () => {
  const { client, states } = followed();
  const room = 'killed';
  const seen: string[] = [];
  const all = Array.from({ length: 60 }, (_none, at) => `m${at}`);
  const reading = (async () => {
    for await (const { message } of client.rooms.follow({ org, room })) {
      seen.push(message.body);
      if (seen.length % 12 === 0) road.killSockets();
      if (seen.length >= all.length) return;
    }
  })();
  for (const body of all) await send(room, body);
  await reading;
  expect(seen).toEqual(all);
  expect(states.filter((state) => state === 'waiting').length).toBeGreaterThan(1);
  expect(states.at(-1)).toBe('closed');
  await expect.poll(() => road.sockets()).toBe(0);
});

test('what happened while a socket was away is told when it is back', async () => {
  const { client } = followed();
  const room = 'away';
  const events = client.rooms.follow({ org, room });
  const first = events.next();
  await send(room, 'one');
  expect((await first).value?.message.body).toBe('one');
  road.killSockets();
  await send(room, 'two');
  await send(room, 'three');
  expect([(await events.next()).value?.message.body, (await events.next()).value?.message.body]).toEqual([
    'two',
    'three',
  ]);
  await events.return();
});

test('a gateway that takes no connection for a while, as while it is started again, is asked until it does', async () => {
  const way = await startBreakableWay(service.url);
  onTestFinished(way.close);
  const states: string[] = [];
  const client = createClient({ baseUrl: way.url, credential, onSocket: (state) => states.push(state) });
  const room = 'restarted';
  const events = client.rooms.follow({ org, room });
  const first = events.next();
  await send(room, 'one');
  expect((await first).value?.message.body).toBe('one');
  way.cut();
  await send(room, 'two');
  await expect.poll(() => states.filter((state) => state === 'waiting').length).toBeGreaterThan(2);
  way.mend();
  expect((await events.next()).value?.message.body).toBe('two');
  await events.return();
});

test('several follow over one socket, each goes on by itself, and the last one closes it', async () => {
  const { client } = followed();
  const one = client.rooms.follow({ org, room: 'shared-one' });
  const other = client.rooms.follow({ org, room: 'shared-other' });
  const [first, second] = [one.next(), other.next()];
  await Promise.all([send('shared-one', 'a'), send('shared-other', 'b')]);
  expect([(await first).value?.message.body, (await second).value?.message.body]).toEqual(['a', 'b']);
  expect(road.sockets()).toBe(1);
  await one.return();
  const third = other.next();
  await send('shared-other', 'c');
  expect((await third).value?.message.body).toBe('c');
  await other.return();
  await expect.poll(() => road.sockets()).toBe(0);
});

test('a follower that is slower than what happens misses nothing and keeps no heap', async () => {
  const { client } = followed();
  const room = 'slow';
  const events = client.rooms.follow({ org, room }, { waitingMax: 5 });
  const first = events.next();
  const sent: string[] = [];
  for (let n = 0; n < 40; n++) sent.push((await send(room, `s${n}`)).messageId);
  const seen = [(await first).value!.message.messageId];
  while (seen.length < sent.length) seen.push((await events.next()).value!.message.messageId);
  await events.return();
  expect(seen).toEqual(sent);
});

test('a signal ends a subscription quietly', async () => {
  const { client } = followed();
  const ending = new AbortController();
  const events = client.rooms.follow({ org, room: 'ended' }, { signal: ending.signal });
  const waiting = events.next();
  ending.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('whoever may not follow is told so', async () => {
  const stranger = createClient({ baseUrl: service.url, credential: newWallet().credential });
  const error = await stranger.rooms
    .follow({ org, room: 'x' })
    .next()
    .catch((one: unknown) => one);
  expect(error).toBeInstanceOf(SvcError);
  expect(error).toMatchObject({ code: 'NOT_AUTHORIZED', retryable: false });
});

test('every operation that begins a subscription is followed, in the words of the rest', async () => {
  const { client } = followed();
  const room = project;
  const presences = client.rooms.followPresences({ org, room });
  const arriving = presences.next();
  await own.rooms.join({ org, room, requestedName: 'Ada' });
  expect((await arriving).value).toMatchObject({ presence: { name: 'Ada', state: 'active' } });
  await presences.return();

  const claims = client.claims.follow({ org, room });
  const claiming = claims.next();
  await own.claims.create({ org, room, resource: 'docs/**', mode: 'exclusive' });
  expect((await claiming).value).toMatchObject({ claim: { resource: 'docs/**', mode: 'exclusive', state: 'active' } });
  await claims.return();

  const app = createClient({ baseUrl: service.url, credential: bearer(serviceKey) });
  const events = client.events.follow({ project, source: 'app' });
  const telling = events.next();
  await app.events.emit({ project, eventType: 'order_paid', payload: { order_id: 7 } });
  expect((await telling).value).toMatchObject({
    event: { type: 'order_paid', source: 'app', payload: { order_id: 7 } },
  });
  await events.return();
});

test('a document of one’s own is followed by its cursor as well', async () => {
  const { client } = followed();
  const document = gql<
    { roomMessages: { cursor: string; message: { body: string } } },
    { org: string; room: string; after?: string }
  >(
    'subscription ($org: ID!, $room: String!, $after: String) { roomMessages(org: $org, room: $room, after: $after) { cursor message { body } } }',
  );
  const events = client.subscribe(document, { org, room: 'own' });
  const first = events.next();
  await send('own', 'one');
  expect((await first).value?.roomMessages.message.body).toBe('one');
  road.killSockets();
  await send('own', 'two');
  expect((await events.next()).value?.roomMessages.message.body).toBe('two');
  await events.return();
});

test('a socket that is refused tells why, and one whose session is over is tried with a new one', async () => {
  const { session: person } = service.actors;
  const [stale, fresh] = [await person(), await person()];
  const credential = session({ accessToken: `${stale.token}x`, refresh: async () => fresh.token });
  await service.actors.member(org, fresh.principalId, 'developer');
  const client = createClient({ baseUrl: service.url, credential });
  const events = client.rooms.follow({ org, room: 'renewed' });
  const first = events.next();
  await send('renewed', 'hello');
  expect((await first).value?.message.body).toBe('hello');
  await events.return();
  const dead = createClient({ baseUrl: service.url, credential: bearer(`${stale.token}x`) });
  const error = await dead.rooms
    .follow({ org, room: 'renewed' })
    .next()
    .catch((one: unknown) => one);
  expect(error).toBeInstanceOf(SvcError);
  expect(error).toMatchObject({ retryable: false });
});
