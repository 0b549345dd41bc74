import { afterAll, expect, test } from 'vitest';
import { bearer, createClient, projectKey } from '../../clients/sdk/src/index.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { faultyRoad } from './faulty-road.ts';
import { ownProject } from './sdk-stage.ts';

// Whatever begins a subscription goes on after its socket was killed: nothing is missed, and nothing comes twice.

const slowSite = 'slow.audit-sites.net';
let release: () => void = () => undefined;
const released = new Promise<void>((resolve) => (release = resolve));
const sites = await startSites({
  [slowSite]: async (_request, response) => {
    await released;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<title>Slow</title>');
  },
});
const service = await startService({ auditTrial: sites.trial });
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
  sites.close();
});
const { client: own, credential, org, project, serviceKey } = await ownProject(service);

function followed() {
  const states: string[] = [];
  const client = createClient({ baseUrl: road.url, credential, onSocket: (state) => states.push(state) });
  const opened = () => states.filter((state) => state === 'open').length;
  return { client, opened };
}

/** What an iterator gives next. */
async function next<Event>(events: AsyncGenerator<Event, void, undefined>): Promise<Event> {
  const { value, done } = await events.next();
  if (done === true) throw new Error('It has ended.');
  return value;
}

test('hints of live tables', async () => {
  await own.projects.sql({ project, sql: 'create table notes (id int primary key, text text)' });
  const tables = [{ name: 'notes', expose: true, live: true, policy: 'public_read_authenticated_write' }];
  await own.projects.applyExpose({ project, manifest: { version: 1, tables } });
  const notes = createClient({ baseUrl: service.url, credential: projectKey({ key: serviceKey }) }).rest<{
    id: number;
    text: string;
  }>('notes', { admin: true });
  const { client } = followed();
  const events = client.projects.followLive({ project, tables: ['notes'] });
  expect(await next(events)).toMatchObject({ cursor: expect.any(String), hint: null, resync: null });
  /** The next that tells of rows, not of where following begins. */
  const hint = async () => {
    for (;;) {
      const event = await next(events);
      if (event.hint !== null || event.resync !== null) return event;
    }
  };
  const told = async (count: number) => {
    const keys: unknown[] = [];
    for (let n = 0; n < count; n++) {
      const event = await hint();
      expect(event).toMatchObject({ hint: { table: 'notes', n: 1 }, resync: null });
      keys.push(`${event.hint!.op} ${event.hint!.pk![0]!.id}`);
    }
    return keys;
  };
  await notes.insert({ id: 1, text: 'one' });
  expect(await told(1)).toEqual(['insert 1']);
  expect(road.killSockets()).toBe(1);
  await notes.insert({ id: 2, text: 'two' });
  await notes.update({ text: 'zwei' }, { id: 'eq.2' });
  await notes.delete({ id: 'eq.1' });
  expect(await told(3)).toEqual(['insert 2', 'update 2', 'delete 1']);
  road.killSockets();
  await notes.insert({ id: 3, text: 'three' });
  expect(await told(1)).toEqual(['insert 3']);
  await events.return();
});

test('escalations of an organization, and one of them', async () => {
  const { client } = followed();
  const all = client.escalations.follow({ org });
  const first = all.next();
  const raised = await own.escalations.raise({
    org,
    reason: 'The shop is down.',
    severity: 'high',
    projectId: project,
  });
  const id = raised.escalationId;
  expect((await first).value).toMatchObject({
    escalation: { escalationId: id, status: 'open', severity: 'high', reason: 'The shop is down.' },
  });
  const one = client.escalations.follow({ org, escalation: id });
  expect(await next(one)).toMatchObject({ escalation: { escalationId: id, status: 'open' } });
  expect(road.sockets()).toBe(1);
  road.killSockets();
  const { escalationId: other } = await own.escalations.raise({ org, reason: 'Something else.' });
  await own.escalations.acknowledge({ org, escalation: id });
  road.killSockets();
  await own.escalations.resolve({ org, escalation: id, note: 'Up again.' });
  const seen: string[] = [];
  while (!seen.includes(`${id} resolved`)) {
    const { escalation } = await next(all);
    seen.push(`${escalation.escalationId} ${escalation.status}`);
  }
  expect(seen).toEqual([`${other} open`, `${id} acknowledged`, `${id} resolved`]);
  expect((await next(one)).escalation).toMatchObject({ status: 'acknowledged', acknowledgedVia: 'authenticated' });
  expect((await next(one)).escalation).toMatchObject({ status: 'resolved', resolvedNote: 'Up again.' });
  await Promise.all([all.return(), one.return()]);
});

test('presences, claims and events', async () => {
  const { client, opened } = followed();
  const room = 'kinds';
  const presences = client.rooms.followPresences({ org, room });
  const claims = client.claims.follow({ org, room });
  const app = createClient({ baseUrl: service.url, credential: bearer(serviceKey) });
  const emit = (n: number) => app.events.emit({ project, eventType: 'counted', payload: { n } });
  const events = client.events.follow({ org, source: 'app' });
  const begun = [presences.next(), claims.next(), events.next()] as const;
  await own.claims.create({ org, room, resource: 'one', mode: 'shared', requestedName: 'Ada' });
  await emit(1);
  expect((await begun[0]).value).toMatchObject({ presence: { name: 'Ada' } });
  expect((await begun[1]).value).toMatchObject({ claim: { resource: 'one', state: 'active' } });
  const firstEvent = (await begun[2]).value!;
  road.killSockets();
  const { claimId } = await own.claims.create({ org, room, resource: 'two', mode: 'shared', requestedName: 'Ada' });
  await own.claims.release({ org, room, claim: claimId });
  expect((await next(claims)).claim).toMatchObject({ resource: 'two', state: 'active' });
  expect((await next(claims)).claim).toMatchObject({ resource: 'two', state: 'released' });
  expect(opened()).toBe(2);
  // The same from the cursor in another client, as after a restart.
  const later = followed().client.events.follow({ org, source: 'app', after: firstEvent.cursor });
  await emit(2);
  const [here, there] = [await next(events), await next(later)];
  expect(there).toEqual({ ...here, reset: false });
  expect([firstEvent.event.payload, there.event.payload]).toEqual([{ n: 1 }, { n: 2 }]);
  await Promise.all([presences.return(), claims.return(), events.return(), later.return()]);
});

test('the steps of an audit', async () => {
  const { client, opened } = followed();
  const steps = client.audit.follow({ url: slowSite });
  const seen: string[] = [];
  const take = async () => {
    const { stage, document, at } = await next(steps);
    seen.push(`${stage} ${document} ${at}`);
    return stage;
  };
  while ((await take()) !== 'connected');
  road.killSockets();
  // It has joined the audit again, and is told of it from the beginning.
  await expect.poll(opened).toBe(2);
  setTimeout(release, 200);
  while ((await take()) !== 'finished');
  expect(await steps.next()).toEqual({ done: true, value: undefined });
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((step) => /^(queued|analysing|finished) /.test(step))).toHaveLength(3);
});
