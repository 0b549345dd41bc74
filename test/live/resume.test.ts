import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { giveRateBack } from '../helpers/project-rate.ts';
import { startService } from '../helpers/service.ts';
import { liveProject, notes, said, tasks } from './live-project.ts';

const service = await startService();
afterAll(() => service.stop());
const project = await liveProject(service);
const { run, stream, changes } = project;

const url = new URL(service.control.serverUrl);
url.pathname = `/${project.databaseName}`;

/** A connection of another program's, past the gateway. */
async function connect() {
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const readyOf = async (events: Awaited<ReturnType<typeof stream>>) => {
  const frame = await events.next();
  expect(frame).toMatchObject({ event: 'ready' });
  return frame!.data.cursor as string;
};

test('a cursor resumes after its hint, by query or by header, and the header wins', async () => {
  const first = await stream({ tables: 'notes' });
  const start = await readyOf(first);
  await run(`insert into notes (body) values ('a'); insert into notes (body) values ('b'); truncate plain`);
  await run(`insert into notes (body) values ('c')`);
  const seen = [await first.next(), await first.next(), await first.next()];
  first.close();
  for (const [at, cursor] of [start, ...seen.map((frame) => frame!.id!)].entries()) {
    for (const how of [{ cursor }, { cursor: seen[1]!.id!, headers: { 'last-event-id': cursor } }]) {
      const again = await stream({ tables: 'notes', ...how });
      expect(await readyOf(again)).toBe(cursor);
      for (const missed of seen.slice(at)) expect(said((await again.next())!)).toEqual(said(missed!));
      again.close();
      const { body } = await changes({ tables: 'notes', ...how });
      expect(body.changes.map((data: object) => said({ data }))).toEqual(seen.slice(at).map((frame) => said(frame!)));
    }
  }
});

test('with one transaction open for long, hints of others come at once, and its own when it ends', async () => {
  const slow = await connect();
  const events = await stream({ tables: 'notes' });
  await readyOf(events);
  await slow.query(`begin; insert into notes (body) values ('slow'), ('slow')`);
  for (let at = 0; at < 3; at++) {
    await run(`insert into notes (body) values ('quick')`);
    expect(await events.next()).toMatchObject({ data: { n: 1 } });
  }
  const { body } = await changes({ tables: 'notes' });
  await slow.query('commit');
  expect(await events.next()).toMatchObject({ data: { n: 2 } });
  events.close();
  // A cursor that was given out meanwhile misses it neither.
  const late = await changes({ tables: 'notes', cursor: body.cursor, wait: '25' });
  expect(late.body.changes).toMatchObject([{ op: 'insert', n: 2 }]);
  await slow.end();
});

test('resuming anywhere under 16 writers that commit and roll back misses nothing and repeats nothing', async () => {
  await run('create table marks (id text primary key)');
  await project.expose(notes, tasks, { name: 'marks', expose: true, live: true, policy: 'public_read_append_only' });
  const started = await changes({ tables: 'marks' });
  const committed = new Set<string>();
  const writers = await Promise.all(Array.from({ length: 16 }, connect));
  let random = 42;
  const chance = () => (random = (random * 1103515245 + 12345) % 2147483648) / 2147483648;
  const writing = Promise.all(
    writers.map(async (writer, number) => {
      for (let turn = 0; turn < 25; turn++) {
        const ids = Array.from({ length: 1 + Math.floor(chance() * 3) }, (_, part) => `${number}-${turn}-${part}`);
        await writer.query('begin');
        for (const id of ids) {
          await writer.query('insert into marks values ($1)', [id]);
          if (chance() < 0.2) await setImmediate();
        }
        const keeps = chance() < 0.7;
        await writer.query(keeps ? 'commit' : 'rollback');
        if (keeps) for (const id of ids) committed.add(id);
      }
    }),
  );
  let done = false;
  void writing.then(() => (done = true));
  /** Follows by a way of its own, and begins again wherever it happens to stop. */
  const follow = async (read: (cursor: string) => Promise<{ ids: string[]; cursor: string }>) => {
    const seen: string[] = [];
    for (let cursor: string = started.body.cursor; ; ) {
      const last = done;
      // Without a pause they ask more than a project may be asked, where reads are fast.
      giveRateBack(service, project.projectId);
      const page = await read(cursor);
      seen.push(...page.ids);
      ({ cursor } = page);
      if (last && page.ids.length === 0) return seen;
    }
  };
  const idsOf = (hints: { pk: { id: string }[] }[]) => hints.flatMap(({ pk }) => pk.map(({ id }) => id));
  const byPages = follow(async (cursor) => {
    const { body } = await changes({ tables: 'marks', cursor });
    expect(body.resync).toBe(false);
    // Also from the middle of what came together.
    const upTo = Math.ceil(body.changes.length * chance());
    const taken = body.changes.slice(0, upTo);
    return { ids: idsOf(taken), cursor: taken.at(-1)?.cursor ?? body.cursor };
  });
  const byStreams = follow(async (cursor) => {
    const events = await stream({ tables: 'marks', cursor });
    expect(await readyOf(events)).toBe(cursor);
    const hints: { pk: { id: string }[]; cursor: string }[] = [];
    const probe = await changes({ tables: 'marks', cursor });
    if (probe.body.changes.length > 0)
      for (let left = 1 + Math.floor(chance() * 8); left > 0; left--) {
        hints.push((await events.next())!.data);
        if (hints.length >= probe.body.changes.length) break;
      }
    events.close();
    return { ids: idsOf(hints), cursor: hints.at(-1)?.cursor ?? cursor };
  });
  await writing;
  for (const seen of await Promise.all([byPages, byStreams])) {
    expect(seen).toHaveLength(committed.size);
    expect(new Set(seen)).toEqual(committed);
  }
  await Promise.all(writers.map((writer) => writer.end()));
});

/** Asks while no transaction is open anywhere on the server: a cursor of such a moment has seen all that was before it. */
async function quietly<Result>(ask: () => Promise<Result>): Promise<Result> {
  const snapshot = async () =>
    (await project.sql<{ seen: string }>('select pg_current_snapshot()::text as seen'))[0]!.seen;
  for (;;) {
    const before = await snapshot();
    const answer = await ask();
    const [xmin, xmax] = before.split(':');
    if (xmin === xmax && before === (await snapshot())) return answer;
  }
}

test('a cursor older than what is kept orders to fetch again; one that has seen all that is gone goes on', async () => {
  const { body: old } = await changes({ tables: 'notes' });
  await run(`insert into notes (body) values ('old')`);
  const { body: later } = await quietly(() => changes({ tables: 'notes' }));
  // Ten minutes are over.
  await project.sql('delete from _svc.live_marks');
  await project.sql('select _svc.prune_live()');
  await project.sql(`update _svc.live_marks set at = at - interval '11 minutes'`);
  await project.sql('select _svc.prune_live()');
  expect(await project.sql('select count(*)::int as n from _svc.live_hints')).toEqual([{ n: 0 }]);
  expect((await changes({ tables: 'notes', cursor: later.cursor })).body).toMatchObject({ changes: [], resync: false });
  const expired = (await changes({ tables: 'notes', cursor: old.cursor, wait: '25' })).body;
  expect(expired).toEqual({ changes: [], cursor: expect.any(String), resync: true, tables: ['notes'] });
  const events = await stream({ tables: 'notes', cursor: old.cursor });
  const resync = await events.next();
  expect(resync).toMatchObject({ event: 'resync', data: { tables: ['notes'], reason: 'cursor_expired' } });
  const ready = await events.next();
  expect(ready).toMatchObject({ event: 'ready' });
  await run(`insert into notes (body) values ('new')`);
  expect(await events.next()).toMatchObject({ event: 'change' });
  events.close();
});

test('more than 10,000 hints are cut down, and never what has just been written', async () => {
  await project.sql(`insert into _svc.live_hints (tab, op, audience, n)
    select 'plain', 'insert', 0, 1 from generate_series(1, 10500)`);
  await project.sql(`update _svc.live_marks set at = at - interval '11 seconds'`);
  await project.sql('select _svc.prune_live()');
  const { body } = await changes({ tables: 'notes' });
  await project.sql(`insert into _svc.live_hints (tab, op, audience, n)
    select 'plain', 'insert', 0, 1 from generate_series(1, 10200)`);
  await project.sql('select _svc.prune_live()');
  expect(await project.sql('select count(*)::int as n from _svc.live_hints')).toEqual([{ n: 10_200 }]);
  // Kept, but more than anybody is told of one by one.
  expect((await changes({ tables: 'notes', cursor: body.cursor })).body).toMatchObject({ changes: [], resync: true });
});

test('whoever has more before him than is kept fetches again, and then goes on with the others', async () => {
  const { body } = await changes({ tables: 'notes' });
  const events = await stream({ tables: 'notes' });
  await readyOf(events);
  // In one transaction, and in others that come later.
  await project.sql(`insert into _svc.live_hints (tab, op, audience, n)
    select 'notes', 'update', 0, 1 from generate_series(1, 200000)`);
  for (let at = 0; at < 3; at++) await run(`insert into notes (body) values ('later')`);
  const [told] = await events.until(({ event }) => event === 'resync');
  expect(told).toMatchObject({ event: 'resync', data: { tables: ['notes'], reason: 'cursor_expired' } });
  // The client fetches anew all rows that were there by then, so it is told of later ones alone.
  await run(`insert into notes (body) values ('last')`);
  const [after] = await events.until(({ data }) => data.op === 'insert');
  expect(after).toMatchObject({ data: { op: 'insert' } });
  events.close();
  const late = await stream({ tables: 'notes', cursor: body.cursor });
  expect(await late.next()).toMatchObject({ event: 'resync', data: { reason: 'cursor_expired' } });
  const ready = (await late.next())!;
  late.close();
  // The stream may have begun before the last of the writes.
  const { cursor, resync } = (await changes({ tables: 'notes', cursor: ready.data.cursor })).body;
  expect(resync).toBe(false);
  // When another 10,000 have come, those are gone; a cursor of after them is as good as ever.
  await project.sql('select _svc.prune_live()');
  await project.sql(`update _svc.live_marks set at = at - interval '11 seconds'`);
  await project.sql('select _svc.prune_live()');
  await project.sql(`insert into _svc.live_hints (tab, op, audience, n)
    select 'plain', 'insert', 0, 1 from generate_series(1, 10000)`);
  await project.sql('select _svc.prune_live()');
  expect(await project.sql('select count(*)::int as n from _svc.live_hints')).toEqual([{ n: 10_000 }]);
  expect((await changes({ tables: 'notes', cursor })).body).toMatchObject({ changes: [], resync: false });
});

test('pages of long keys are short, and nothing is missed or repeated between them', async () => {
  await run('create table labels (id text primary key)');
  await project.expose(notes, tasks, { name: 'labels', expose: true, live: true, policy: 'public_read_append_only' });
  const { body } = await changes({ tables: 'labels' });
  // Some three megabytes, and one that is told without its key.
  await run(`do $$ begin for i in 1..400 loop insert into labels values (i || repeat('x', 7500)); end loop;
    insert into labels values (repeat('x', 200000)); end $$`);
  const events = await stream({ tables: 'labels', cursor: body.cursor });
  await readyOf(events);
  const seen = await events.until(({ data }) => data.pk === null);
  events.close();
  expect(seen.slice(0, -1).map(({ data }) => Number.parseInt(data.pk[0].id, 10))).toEqual(
    Array.from({ length: 400 }, (_, at) => at + 1),
  );
});

test('what was written while a page was read through comes after it: thousands of hints in one transaction', async () => {
  const { body } = await changes({ tables: 'notes' });
  const events = await stream({ tables: 'notes', cursor: body.cursor });
  await readyOf(events);
  await project.sql(`do $$ begin for i in 1..2500 loop insert into notes (body) values (i::text); end loop; end $$`);
  await run(`insert into notes (body) values ('a'), ('b')`);
  const live = await events.until(({ data }) => data.n === 2);
  expect(live).toHaveLength(2_501);
  events.close();
  const again = await stream({ tables: 'notes', cursor: body.cursor });
  await readyOf(again);
  expect((await again.until(({ data }) => data.n === 2)).map(said)).toEqual(live.map(said));
  again.close();
  const middle = await stream({ tables: 'notes', cursor: live[1_700]!.id! });
  await readyOf(middle);
  expect((await middle.until(({ data }) => data.n === 2)).map(said)).toEqual(live.slice(1_701).map(said));
  middle.close();
});

test.each([
  ['of another project', async () => (await changes2()).body.cursor as string],
  ['that nobody gave out', async () => 'lcr_AAAA'],
  ['of the form that older gateways gave out', async () => '0000abcd-4'],
  ['that is endless', async () => 'x'.repeat(9_000)],
])('a cursor %s is no error: everything is to be fetched again', async (_case, make) => {
  const cursor = await make();
  expect((await changes({ tables: 'notes,tasks', key: project.serviceKey, cursor })).body).toMatchObject({
    changes: [],
    resync: true,
    tables: ['notes', 'tasks'],
  });
  const events = await stream({ tables: 'notes', cursor });
  expect(await events.next()).toMatchObject({ event: 'resync', data: { reason: 'foreign_epoch' } });
  expect(await events.next()).toMatchObject({ event: 'ready' });
  events.close();
});

async function changes2() {
  const other = await liveProject(service);
  return other.changes({ tables: 'notes' });
}

test('a copy of a database is another one to its cursors, and so is what was restored', async () => {
  const { body } = await changes({ tables: 'notes' });
  const name = project.databaseName;
  const admin = new pg.Client({ connectionString: service.control.serverUrl });
  await admin.connect();
  await project.end();
  for (const pools of [service.app.services.projectPools, service.app.services.authPools])
    await pools.forget({ databaseName: name });
  const terminate = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
  await admin.query(terminate, [name]);
  await admin.query(`alter database ${name} rename to ${name}_old`);
  await admin.query(`create database ${name} template ${name}_old`);
  await admin.query(`revoke connect, temporary on database ${name} from public;
    grant connect on database ${name} to ${project.roleName}, svc_auth`);
  const events = await stream({ tables: 'notes', cursor: body.cursor });
  expect(await events.next()).toMatchObject({ event: 'resync', data: { reason: 'foreign_epoch' } });
  expect(await events.next()).toMatchObject({ event: 'ready' });
  await run(`insert into notes (body) values ('copied')`);
  expect(await events.next()).toMatchObject({ event: 'change', data: { op: 'insert', n: 1 } });
  events.close();
  await admin.query(`drop database ${name}_old with (force)`);
  await admin.end();
});
