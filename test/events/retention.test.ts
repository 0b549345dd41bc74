import { afterAll, expect, test } from 'vitest';
import { dropEventPartitions, makeEventPartitions } from '../../db/event-partitions.ts';
import { erasePurgedEvents } from '../../resolvers/events/erase-purged.ts';
import { startService } from '../helpers/service.ts';
import { feedsOf, typesOf } from './feed.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const feed = feedsOf(service);
const { control } = service;
const { pool } = service.app.services.db;

const partitions = async () =>
  (
    await control.sql<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent in ('events_90'::regclass, 'events_365'::regclass) order by 1`,
    )
  ).map(({ name }) => name);

/** The month of a moment so many days ago, with its partition in both branches. */
async function monthOf(daysAgo: number): Promise<string> {
  const [{ month, from, upto }] = (await control.sql<{ month: string; from: string; upto: string }>(
    `select to_char(m, 'YYYYMM') as month, m::text as "from", (m + interval '1 month')::text as upto
     from date_trunc('month', now() at time zone 'UTC' - make_interval(days => $1)) as m`,
    [daysAgo],
  )) as [{ month: string; from: string; upto: string }];
  for (const branch of ['events_90', 'events_365'])
    await control.sql(
      `create table if not exists ${branch}_${month} partition of ${branch} for values from ('${from}+00') to ('${upto}+00')`,
    );
  return month;
}

/** Has events of an organization, by position, have happened so many days ago. */
async function age(orgId: string, positions: readonly number[], daysAgo: number): Promise<void> {
  await monthOf(daysAgo);
  await control.sql(
    `update events set occurred_at = now() - make_interval(days => $3) where org_id = $1 and position = any($2)`,
    [orgId, positions, daysAgo],
  );
}

test('the months that come have their partitions, however often and by however many they are made', async () => {
  const before = await partitions();
  // Also the month before: who began before midnight writes there.
  expect(before).toHaveLength(10);
  for (const at of [0, -1]) await control.sql(`drop table ${before.at(at)}`);
  await Promise.all(Array.from({ length: 5 }, () => makeEventPartitions(pool)));
  expect(await partitions()).toEqual(before);
});

test('what is past its time goes a month at a time, and security, recovery and billing stay a year', async () => {
  const { emit, notifyOrg, notifyProject, readOrg, orgId } = await feed();
  await emit('app_old');
  await notifyOrg();
  await notifyProject();
  await emit('app_new');
  await age(orgId, [1, 2, 3], 130);
  expect(await dropEventPartitions(pool)).toEqual([`events_90_${await monthOf(130)}`]);
  const { body } = await readOrg();
  expect(typesOf({ body })).toEqual(['organization_past_due', 'app_new']);
  expect(body.reset).toBe(false);
  await age(orgId, [2], 400);
  expect(await dropEventPartitions(pool)).toContain(`events_365_${await monthOf(400)}`);
  expect(typesOf(await readOrg())).toEqual(['app_new']);
});

test('nothing younger than its time goes, up to the day', async () => {
  const { emit, readOrg, orgId } = await feed();
  await emit('app_event');
  await age(orgId, [1], 90);
  const dropped = await dropEventPartitions(pool);
  expect(dropped).not.toContain(`events_90_${await monthOf(90)}`);
  expect(typesOf(await readOrg())).toEqual(['app_event']);
});

/** Ten events, of which the 3rd and the 6th are kept for a year; the first eight are old. */
async function thinned() {
  const one = await feed();
  for (let n = 1; n <= 10; n++) await (n % 3 === 0 && n < 9 ? one.notifyOrg() : one.emit(`app_${n}`));
  return { ...one, thin: () => age(one.orgId, [1, 2, 3, 4, 5, 6, 7, 8], 130).then(() => dropEventPartitions(pool)) };
}

test('whoever was behind what is gone starts over, at the earliest that is left', async () => {
  const { readOrg, read, thin } = await thinned();
  const [org, project] = [(await readOrg('?limit=1')).body.cursor, (await read('?limit=1')).body.cursor];
  await thin();
  const again = await readOrg(`?cursor=${org}`);
  expect([again.body.reset, typesOf(again)]).toEqual([
    true,
    ['organization_past_due', 'organization_past_due', 'app_9', 'app_10'],
  ]);
  const own = await read(`?cursor=${project}`);
  expect([own.body.reset, typesOf(own)]).toEqual([true, ['app_9', 'app_10']]);
  const begun = await read(`?cursor=${own.body.earliest_cursor}`);
  expect([begun.body.reset, begun.body.events]).toEqual([false, own.body.events]);
});

test('whoever was past it goes on', async () => {
  const { readOrg, thin } = await thinned();
  const { cursor } = (await readOrg('?limit=9')).body;
  await thin();
  const next = await readOrg(`?cursor=${cursor}`);
  expect([next.body.reset, typesOf(next)]).toEqual([false, ['app_10']]);
});

test('what is left below is walked through page by page without starting over again', async () => {
  const { readOrg, thin } = await thinned();
  const first = (await readOrg('?limit=1')).body.cursor;
  await thin();
  const seen: string[] = [];
  const resets: boolean[] = [];
  let cursor = first;
  for (let more = true; more; ) {
    const { body } = await readOrg(`?limit=1&cursor=${cursor}`);
    seen.push(...typesOf({ body }));
    resets.push(body.reset);
    ({ cursor, has_more: more } = body);
  }
  expect(seen).toEqual(['organization_past_due', 'organization_past_due', 'app_9', 'app_10']);
  expect(resets).toEqual([true, false, false, false]);
});

test('a walk through what is left starts over only when some of that goes, too', async () => {
  const { readOrg, thin, orgId } = await thinned();
  await thin();
  const { cursor } = (await readOrg('?limit=1')).body;
  expect((await readOrg(`?cursor=${cursor}`)).body.reset).toBe(false);
  await age(orgId, [3, 6], 400);
  await dropEventPartitions(pool);
  const again = await readOrg(`?cursor=${cursor}`);
  expect([again.body.reset, typesOf(again)]).toEqual([true, ['app_9', 'app_10']]);
});

test('it does not start over when only what it has passed goes', async () => {
  const { readOrg, thin, orgId } = await thinned();
  await thin();
  const { cursor } = (await readOrg('?limit=1')).body;
  await age(orgId, [3], 400);
  await dropEventPartitions(pool);
  const next = await readOrg(`?cursor=${cursor}`);
  expect([next.body.reset, typesOf(next)]).toEqual([false, ['organization_past_due', 'app_9', 'app_10']]);
});

test('a replayed key answers with the original although its event is gone', async () => {
  const { emit, read, orgId } = await feed();
  const key = { idempotency_key: 'order-7' };
  const first = await emit('order_paid', { order: 7 }, key);
  await emit('app_new');
  await age(orgId, [1], 130);
  await dropEventPartitions(pool);
  expect(typesOf(await read())).toEqual(['app_new']);
  const again = await emit('order_paid', {}, key);
  expect(again.status).toBe(200);
  const { cursor: _first, next_actions: _one, ...original } = first.body;
  const { cursor, next_actions: _other, ...repeated } = again.body;
  expect(repeated).toEqual({ ...original, deduplicated: true });
  // It stands where the event stood, and can be used.
  const next = await read(`?cursor=${cursor}`);
  expect([next.body.reset, typesOf(next)]).toEqual([false, ['app_new']]);
});

test('the floors of other organizations stay where they are', async () => {
  const [old, young] = [await thinned(), await feed()];
  for (const type of ['one_of', 'two_of']) await young.emit(type);
  const { cursor } = (await young.read('?limit=1')).body;
  await old.thin();
  const next = await young.read(`?cursor=${cursor}`);
  expect([next.body.reset, typesOf(next)]).toEqual([false, ['two_of']]);
});

test('a month that somebody reads for long is left for the next time, and nobody waits for it', async () => {
  const { emit, read, orgId } = await feed();
  await emit('app_old');
  await age(orgId, [1], 130);
  const name = `events_90_${await monthOf(130)}`;
  const reader = await pool.connect();
  try {
    await reader.query('begin');
    await reader.query(`select count(*) from ${name}`);
    expect(await dropEventPartitions(pool)).not.toContain(name);
    expect((await emit('app_new')).status).toBe(201);
    expect(typesOf(await read())).toEqual(['app_new']);
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  expect(await dropEventPartitions(pool)).toContain(name);
});

test('events are told while months are dropped, and none is lost', async () => {
  const { emit, notifyOrg, readOrg } = await feed();
  const old = await feed();
  const told = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? emit(`app_${n}`) : notifyOrg('x', `lease:${n}`)));
  for (let n = 1; n <= 3; n++) {
    await old.emit('app_old');
    await age(old.orgId, [n], 100 + 40 * n);
    expect(await dropEventPartitions(pool)).toHaveLength(1);
  }
  await Promise.all(told);
  expect((await readOrg('?limit=200')).body.events).toHaveLength(30);
});

/** Has a partition in use, so that it cannot be dropped. */
async function inUse(name: string) {
  const reader = await pool.connect();
  await reader.query('begin');
  await reader.query(`select 1 from ${name} limit 1`);
  return async () => {
    await reader.query('rollback');
    reader.release();
  };
}

test('what is past its time is gone for all who read as soon as the floors say so, and a killed drop is ended later', async () => {
  const { emit, read, readOrg, notifyOrg, orgId } = await feed();
  for (const type of ['app_1', 'app_2']) await emit(type);
  await notifyOrg();
  await emit('app_4');
  const behind = (await readOrg('?limit=1')).body.cursor;
  await age(orgId, [1, 2, 3], 130);
  const name = `events_90_${await monthOf(130)}`;
  const letGo = await inUse(`events_90`);
  try {
    expect(await dropEventPartitions(pool)).toEqual([]);
  } finally {
    await letGo();
  }
  expect(await partitions()).toContain(name);
  const between = await readOrg(`?cursor=${behind}&limit=1`);
  expect([between.body.reset, typesOf(between)]).toEqual([true, ['organization_past_due']]);
  for (const query of ['?source=app', '?event_type=app_1,app_4', '?order=desc'])
    expect(typesOf(await read(query))).toEqual(['app_4']);
  expect(await dropEventPartitions(pool)).toEqual([name]);
  // A cursor from in between has missed nothing.
  const next = await readOrg(`?cursor=${between.body.cursor}`);
  expect([next.body.reset, typesOf(next)]).toEqual([false, ['app_4']]);
});

test('the floors of more organizations than one batch holds are raised, and no other is', async () => {
  const name = `events_90_${await monthOf(130)}`;
  await control.sql(
    `with org as (select gen_random_uuid() as id, n from generate_series(1, 450) n), head as (
       insert into feed_heads (org_id, kind, feed_id, position) select id, 'events', 'all', 5 from org)
     insert into events (org_id, position, type, class, source, payload, occurred_at, kept_days)
     select id, p, 'many_orgs', 'app', 'app', '{}', now() - make_interval(days => case when p < 4 and n > 25 then 130 else 1 end), 90
     from org, generate_series(1, 5) p`,
  );
  expect(await dropEventPartitions(pool)).toContain(name);
  const floors = await control.sql(
    `select floor::int, count(*)::int from feed_heads h where kind = 'events' and exists (
       select from events e where e.org_id = h.org_id and e.type = 'many_orgs') group by 1 order by 1`,
  );
  expect(floors).toEqual([
    { floor: 0, count: 25 },
    { floor: 3, count: 425 },
  ]);
});

test('nodes that drop at once drop each month once, and all is told', async () => {
  const { emit, readOrg, orgId } = await feed();
  for (let n = 1; n <= 5; n++) await emit(`app_${n}`);
  for (const [at, days] of [130, 170, 210].entries()) await age(orgId, [at + 1], days);
  const told = Array.from({ length: 10 }, (_, n) => emit(`app_late_${n}`));
  // Who finds it in use leaves it, also to one of the others.
  const dropped: string[] = [];
  while (dropped.length < 3)
    dropped.push(...(await Promise.all(Array.from({ length: 4 }, () => dropEventPartitions(pool)))).flat());
  expect(new Set(dropped).size).toBe(dropped.length);
  await Promise.all(told);
  expect((await readOrg('?limit=200')).body.events).toHaveLength(12);
});

test('purging an organization erases its events, and all that remembers them', async () => {
  const { emit, notifyOrg, readOrg, orgId } = await feed();
  await emit('order_paid', {}, { idempotency_key: 'order-7' });
  await notifyOrg('past_due', 'lease:1');
  await control.sql(`update orgs set lifecycle_state = 'purged' where id = $1`, [orgId]);
  const ctx = { services: service.app.services, signal: new AbortController().signal };
  const erase = () => erasePurgedEvents(ctx as Parameters<typeof erasePurgedEvents>[0]);
  const { cursor } = (await readOrg()).body;
  await erase();
  for (const table of ['events', 'event_keys', 'app_event_keys', 'event_floors'])
    expect(await control.sql(`select 1 from ${table} where org_id = $1`, [orgId])).toEqual([]);
  expect((await readOrg()).body.events).toEqual([]);
  // What comes late takes no position that was given before, and goes as well.
  await notifyOrg('purged');
  expect(typesOf(await readOrg(`?cursor=${cursor}`))).toEqual(['organization_past_due']);
  expect(await control.sql('select position::int from events where org_id = $1', [orgId])).toEqual([{ position: 3 }]);
  await erase();
  expect(await control.sql('select 1 from events where org_id = $1', [orgId])).toEqual([]);
});
