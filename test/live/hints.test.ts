import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { liveProject, notes, said, tasks } from './live-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await liveProject(service);
const { run, stream } = project;
const all = { tables: 'notes,tasks', key: project.serviceKey };

/** The hints that some SQL leads to, by its own marker at the end. */
async function hintsOf(sql: string, follow: Parameters<typeof stream>[0] = all) {
  const events = await stream(follow);
  expect(await events.next()).toMatchObject({ event: 'ready' });
  await run(sql);
  await run('truncate notes');
  const seen = await events.until(({ data }) => data.table === 'notes' && data.op === 'delete' && data.pk === null);
  events.close();
  return seen.slice(0, -1).map(said);
}

test('a stream begins with its retry line and ready, and tells of a change with the cursor of its frame', async () => {
  const events = await stream({ tables: 'notes' });
  expect(events.status).toBe(200);
  expect(events.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  });
  const ready = await events.next();
  expect(events.text()).toMatch(/^retry: 3000\n\nevent: ready\n/);
  expect(ready).toEqual({ event: 'ready', id: ready!.data.cursor, data: { cursor: ready!.id, tables: ['notes'] } });
  const made = await project.open('POST', 'notes', { body: [{ body: 'a' }, { body: 'b' }] });
  expect(made.status).toBe(201);
  const change = await events.next();
  expect(change).toEqual({
    event: 'change',
    id: change!.data.cursor,
    data: { table: 'notes', op: 'insert', pk: [{ id: 1 }, { id: 2 }], n: 2, cursor: change!.id },
  });
  events.close();
});

test('each statement is one hint, and an upsert one of each kind', async () => {
  await run('truncate notes restart identity');
  const hints = await hintsOf(`insert into notes (body) values ('a'), ('b'); update notes set body = 'c' where id = 1;
    delete from notes where id = 2; delete from notes where id = 99;
    insert into notes (id, body) overriding system value values (1, 'x'), (7, 'y')
      on conflict (id) do update set body = excluded.body`);
  expect(hints.slice(0, 3)).toEqual([
    { table: 'notes', op: 'insert', pk: [{ id: 1 }, { id: 2 }], n: 2 },
    { table: 'notes', op: 'update', pk: [{ id: 1 }], n: 1 },
    { table: 'notes', op: 'delete', pk: [{ id: 2 }], n: 1 },
  ]);
  expect(hints.slice(3).sort((one, other) => one.op.localeCompare(other.op))).toEqual([
    { table: 'notes', op: 'insert', pk: [{ id: 7 }], n: 1 },
    { table: 'notes', op: 'update', pk: [{ id: 1 }], n: 1 },
  ]);
});

test('a row whose key changes is gone under its old one', async () => {
  await run(`insert into notes (id, body) overriding system value values (50, 'a')`);
  expect(await hintsOf('update notes set id = default where id = 50; update notes set body = body')).toMatchObject([
    { table: 'notes', op: 'delete', pk: [{ id: 50 }], n: 1 },
    { table: 'notes', op: 'update', n: 1 },
    { table: 'notes', op: 'update', n: 1 },
  ]);
});

test('a statement of 10,000 rows is one hint without keys; one of 100 lists them all', async () => {
  const [many, hundred] = await hintsOf(`insert into notes (body) select 'x' from generate_series(1, 10000);
    insert into notes (body) select 'x' from generate_series(1, 100);`);
  expect(many).toEqual({ table: 'notes', op: 'insert', pk: null, n: 10_000 });
  expect(hundred).toMatchObject({ n: 100 });
  expect(hundred!.pk).toHaveLength(100);
});

test('TRUNCATE is a hint of the table, and reaches every owner', async () => {
  const ada = await project.signedIn();
  expect(await hintsOf('truncate tasks', { tables: 'notes,tasks', bearer: ada.access_token })).toEqual([
    { table: 'tasks', op: 'delete', pk: null, n: 0 },
  ]);
});

test('what is rolled back is never told, to a savepoint or whole; the rest of its transaction is', async () => {
  expect(await hintsOf('truncate notes restart identity')).toEqual([]);
  const events = await stream(all);
  await events.next();
  await project.sql(`begin; insert into notes (body) values ('kept'); savepoint here;
    insert into notes (body) values ('lost'); rollback to here; insert into tasks (body) values ('kept'); commit`);
  await project.sql(`begin; insert into notes (body) values ('lost'); rollback`);
  await run(`insert into notes (body) values ('last')`);
  expect((await events.until(({ data }) => data.pk?.[0].id === 4)).map(said)).toEqual([
    { table: 'notes', op: 'insert', pk: [{ id: 1 }], n: 1 },
    { table: 'tasks', op: 'insert', pk: [{ id: expect.any(Number) }], n: 1 },
    { table: 'notes', op: 'insert', pk: [{ id: 4 }], n: 1 },
  ]);
  events.close();
});

test('a table without a primary key has hints without keys', async () => {
  await run('create table logs (line text); create table pairs (b text, a int, primary key (b, a))');
  const rest = { expose: true, live: true, policy: 'public_read_append_only' };
  expect(await project.expose(notes, tasks, { ...rest, name: 'logs' }, { ...rest, name: 'pairs' })).toMatchObject({
    status: 200,
  });
  expect(
    await hintsOf(
      `insert into logs values ('a'), ('b'); insert into pairs values ('x', 1); update logs set line = 'c'`,
      {
        tables: 'notes,logs,pairs',
      },
    ),
  ).toEqual([
    { table: 'logs', op: 'insert', pk: null, n: 2 },
    { table: 'pairs', op: 'insert', pk: [{ b: 'x', a: 1 }], n: 1 },
    { table: 'logs', op: 'update', pk: null, n: 2 },
  ]);
});

test('keys are told as the database writes them, however long their numbers are', async () => {
  await run('create table wide (id numeric primary key)');
  await project.expose(notes, tasks, { name: 'wide', expose: true, live: true, policy: 'public_read_append_only' });
  const events = await stream({ tables: 'wide' });
  await events.next();
  await run('insert into wide values (12345678901234567890.5)');
  await events.next();
  expect(events.text()).toContain('"id": 12345678901234567890.5}]');
  events.close();
});

test('a writer past the gateway is heard of, too: REST, rpc, SQL, another program', async () => {
  await run(
    `create function add_note(body text) returns void language sql as 'insert into notes (body) values (body)'`,
  );
  const events = await stream({ tables: 'notes' });
  await events.next();
  await run(`select add_note('by sql')`);
  await project.sql(`insert into notes (body) values ('by another program')`);
  expect((await project.admin('POST', 'rpc/add_note', { body: { body: 'by rpc' } })).status).toBe(204);
  for (let heard = 0; heard < 3; heard++) expect(await events.next()).toMatchObject({ data: { op: 'insert', n: 1 } });
  events.close();
});

test('nobody of the tenant’s reads or writes the hints', async () => {
  const sql = (text: string) =>
    service.call(service.actors.bearer(project.serviceKey), 'POST', `/projects/v1/admin/${project.projectId}/sql`, {
      body: text,
      headers: { 'content-type': 'text/plain' },
    });
  for (const text of [
    'select * from _svc.live_hints',
    `insert into _svc.live_hints (tab, op, audience, n) values ('notes', 'insert', 0, 1)`,
    'select * from _svc.live_state for update',
    'delete from _svc.live_marks',
    'select _svc.prune_live()',
    `select _svc.write_live('notes'::regclass, false, null)`,
  ])
    expect(await sql(text)).toMatchObject({ status: 400, body: { details: { sqlstate: '42501' } } });
});

test('lastval() still tells the tenant its own', async () => {
  const [row] = await run(`insert into notes (body) values ('x'); select lastval() = max(id) as own from notes`);
  expect(row).toEqual({ own: true });
});
