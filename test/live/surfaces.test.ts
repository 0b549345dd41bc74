import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { liveProject, notes, tasks } from './live-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await liveProject(service);
const { run, stream, changes } = project;
let ada: Awaited<ReturnType<typeof project.signedIn>>;
beforeAll(async () => {
  ada = await project.signedIn();
});

const ask = (path: string, headers: Record<string, string>) =>
  service.call<never>(service.actors.nobody, 'GET', path, { headers });
const apikey = { apikey: project.anonKey };
const params = `project_id=${project.projectId}&tables=notes`;

test.each([
  ['without tables', `project_id=${project.projectId}`, 'tables'],
  ['with an empty name', `project_id=${project.projectId}&tables=`, 'tables.0'],
  ['with a name that no manifest takes', `project_id=${project.projectId}&tables=notes,No%20tes`, 'tables.1'],
  ['with a look-alike letter', `project_id=${project.projectId}&tables=n%D0%BEtes`, 'tables.0'],
  ['with NUL', `project_id=${project.projectId}&tables=notes%00`, 'tables.0'],
  [
    'with 21 tables',
    `project_id=${project.projectId}&tables=${Array.from({ length: 21 }, (_, at) => `t${at}`)}`,
    'tables',
  ],
  ['with tables given twice', `${params}&tables=notes`, 'tables'],
  ['with a wait that is no number', `${params}&wait=soon`, 'wait'],
  ['with a wait of nothing', `${params}&wait=`, 'wait'],
])('a request %s is refused before anything is sent', async (_case, query, field) => {
  for (const path of ['/live/v1', '/live/v1/changes'])
    expect(await ask(`${path}?${query}`, apikey)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: { field } },
    });
});

test('without a credential, with a bad one and with that of another project', async () => {
  const other = await service.project();
  for (const path of ['/live/v1', '/live/v1/changes']) {
    expect(await ask(`${path}?${params}`, {})).toMatchObject({ status: 401, body: { code: 'AUTH_REQUIRED' } });
    expect(await ask(`${path}?${params}`, { apikey: 'nonsense' })).toMatchObject({
      status: 401,
      body: { code: 'INVALID_AUTH' },
    });
    for (const headers of [
      { apikey: other.anonKey },
      { apikey: other.serviceKey },
      { apikey: other.anonKey, authorization: `Bearer ${ada.access_token}` },
      { apikey: project.anonKey, authorization: `Bearer ${other.serviceKey}` },
    ])
      expect(await ask(`${path}?${params}`, headers)).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN', error: 'project_token_mismatch' },
      });
  }
});

test.each(['plain', 'absent', 'live_hints', 'pg_class'])(
  'the table %s is not live, and the refusal says how it becomes so',
  async (table) => {
    for (const key of [project.anonKey, project.serviceKey])
      for (const path of ['/live/v1', '/live/v1/changes'])
        expect(await ask(`${path}?tables=notes,${table}`, { apikey: key })).toMatchObject({
          status: 403,
          body: { code: 'TABLE_NOT_LIVE', details: { table, fix: expect.stringContaining('"live": true') } },
        });
  },
);

test('owned rows want a user: a key alone is refused as a whole', async () => {
  for (const path of ['/live/v1', '/live/v1/changes'])
    expect(await ask(`${path}?tables=notes,tasks`, apikey)).toMatchObject({
      status: 401,
      body: { code: 'AUTH_REQUIRED' },
    });
});

test('other methods than GET are refused, and HEAD opens nothing', async () => {
  expect(await service.call(service.actors.nobody, 'POST', `/live/v1?${params}`, { headers: apikey })).toMatchObject({
    status: 405,
  });
  const head = await service.call(service.actors.nobody, 'HEAD', `/live/v1?${params}`, { headers: apikey });
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
});

test('a held read without a cursor answers at once where one may begin', async () => {
  const { status, body } = await changes({ tables: 'notes', wait: '25' });
  expect({ status, body }).toEqual({ status: 200, body: { changes: [], cursor: expect.any(String), resync: false } });
  await run(`insert into notes (body) values ('a')`);
  expect((await changes({ tables: 'notes', cursor: body.cursor })).body).toEqual({
    changes: [{ table: 'notes', op: 'insert', pk: [{ id: 1 }], n: 1, cursor: expect.any(String) }],
    cursor: expect.any(String),
    resync: false,
    waited_seconds: expect.any(Number),
  });
});

test('a held read waits until there is a hint, however long its wait', async () => {
  const { body } = await changes({ tables: 'notes' });
  const held = changes({ tables: 'notes', cursor: body.cursor, wait: '999' });
  const other = changes({ tables: 'tasks', bearer: ada.access_token, cursor: body.cursor, wait: '1' });
  await run(`insert into notes (body) values ('b')`);
  expect((await held).body.changes).toMatchObject([{ op: 'insert', n: 1 }]);
  const timedOut = (await other).body;
  expect(timedOut).toMatchObject({ changes: [], resync: false });
  expect(timedOut.waited_seconds).toBeGreaterThanOrEqual(1);
  // Where it stopped is as good to go on from.
  await run(`insert into tasks (user_id) values ('${ada.id}')`);
  const next = await changes({ tables: 'tasks', bearer: ada.access_token, cursor: timedOut.cursor, wait: '25' });
  expect(next.body.changes).toMatchObject([{ table: 'tasks', n: 1 }]);
});

test.each(['0', '-3', '0.2'])('a wait of %s is one of a second', async (wait) => {
  const { body } = await changes({ tables: 'notes' });
  const held = await changes({ tables: 'notes', cursor: body.cursor, wait });
  expect(held.body.waited_seconds).toBeGreaterThanOrEqual(1);
});

test('without a wait there is an answer although nothing has changed', async () => {
  const { body } = await changes({ tables: 'notes' });
  expect((await changes({ tables: 'notes', cursor: body.cursor })).body).toMatchObject({ changes: [], resync: false });
});

test('a table that is live no longer ends its streams, and they are refused from then on', async () => {
  const events = await stream({ tables: 'notes' });
  const ready = await events.next();
  await project.expose({ ...notes, live: false }, tasks);
  expect(await events.next()).toMatchObject({ event: 'reconnect', data: { reason: 'manifest_changed' } });
  expect(await events.next()).toBeUndefined();
  expect((await stream({ tables: 'notes', cursor: ready!.id! })).status).toBe(403);
  await run(`insert into notes (body) values ('unseen')`);
  await project.expose(notes, tasks);
  // What was written meanwhile has no hints: whoever resumes from before has to fetch again.
  const again = await stream({ tables: 'notes', cursor: ready!.id! });
  expect(await again.next()).toMatchObject({ event: 'resync', data: { tables: ['notes'], reason: 'before_listen' } });
  const begun = await again.next();
  expect(begun).toMatchObject({ event: 'ready' });
  again.close();
  const { body: missed } = await changes({ tables: 'notes', cursor: ready!.id! });
  expect(missed).toMatchObject({ resync: true, changes: [] });
  // Told once: from then on it goes on as usual.
  for (const cursor of [begun!.id!, missed.cursor]) {
    expect((await changes({ tables: 'notes', cursor })).body).toMatchObject({ resync: false, changes: [] });
    const next = await stream({ tables: 'notes', cursor });
    expect(await next.next()).toMatchObject({ event: 'ready' });
    next.close();
  }
});

test('applying the same manifest again disturbs nobody', async () => {
  const events = await stream({ tables: 'notes' });
  await events.next();
  expect((await project.expose(notes, tasks)).status).toBe(200);
  await run(`insert into notes (body) values ('c')`);
  expect(await events.next()).toMatchObject({ event: 'change' });
  events.close();
});

test('DDL on a live table never breaks a write: columns come and go, keys change, the table is renamed', async () => {
  const events = await stream({ tables: 'notes' });
  await events.next();
  const told = async (sql: string) => {
    await run(sql);
    const frame = await events.next();
    expect(frame).toMatchObject({ event: 'change' });
    return frame!.data.pk;
  };
  expect(await told(`alter table notes add extra int; insert into notes (body) values ('a')`)).toHaveLength(1);
  expect(await told(`alter table notes rename id to number; insert into notes (body) values ('b')`)).toEqual([
    { number: expect.any(Number) },
  ]);
  expect(await told(`alter table notes drop constraint notes_pkey; insert into notes (body) values ('c')`)).toBeNull();
  expect(
    await told(`alter table notes add label text default gen_random_uuid()::text primary key;
    insert into notes (body) values ('d')`),
  ).toEqual([{ label: expect.any(String) }]);
  expect(await told(`alter table notes drop column label; insert into notes (body) values ('e')`)).toBeNull();
  expect(
    await told(`create type mood as enum ('good'); alter table notes add mood mood not null default 'good';
    alter table notes add primary key (number, mood); insert into notes (body) values ('f')`),
  ).toEqual([{ number: expect.any(Number), mood: 'good' }]);
  // A cast of the tenant's that fails is no reason to fail.
  expect(
    await told(`create function fails(mood) returns json language plpgsql as $f$ begin raise 'no'; end $f$;
      create cast (mood as json) with function fails(mood); insert into notes (body) values ('g')`),
  ).toBeNull();
  await run(`alter table notes rename to letters; insert into letters (body) values ('h')`);
  expect(await events.next()).toMatchObject({ event: 'reconnect', data: { reason: 'manifest_changed' } });
  expect((await stream({ tables: 'notes' })).status).toBe(403);
  // The manifest does not know it by its new name.
  expect((await stream({ tables: 'letters' })).status).toBe(403);
  await run('alter table letters rename to notes');
  const again = await stream({ tables: 'notes' });
  expect(await again.next()).toMatchObject({ event: 'ready' });
  again.close();
});

test('no SQL makes a table live that the manifest keeps dark, nor one that users may not read', async () => {
  await run(`create table secret (id int primary key);
    select _svc.keep_live('[{"table": "notes"}, {"table": "tasks", "owner": "user_id"}, {"table": "secret"}]')`);
  const refused = { status: 403, body: { code: 'TABLE_NOT_LIVE' } };
  for (const key of [project.anonKey, project.serviceKey])
    expect(await changes({ tables: 'secret', key })).toMatchObject(refused);
  // SQL may write into the manifest, but says to nobody who may read.
  await run(`update _svc.manifest set manifest = jsonb_set(manifest, '{tables,0,name}', '"secret"');
    alter table secret add column more int`);
  for (const key of [project.anonKey, project.serviceKey])
    expect(await changes({ tables: 'secret', key })).toMatchObject(refused);
  expect((await project.expose(notes, tasks)).status).toBe(200);
});

test('an owner’s column that the manifest does not name makes nothing live', async () => {
  await run('alter table tasks add column other uuid');
  const follow = { tables: 'tasks', bearer: ada.access_token };
  for (const owner of ['', ', "owner": "other"']) {
    await run(`select _svc.keep_live('[{"table": "notes"}, {"table": "tasks"${owner}}]')`);
    expect(await changes(follow)).toMatchObject({ status: 403, body: { code: 'TABLE_NOT_LIVE' } });
  }
  expect((await project.expose(notes, tasks)).status).toBe(200);
  expect((await changes(follow)).status).toBe(200);
});

test('a table that gets a child or a parent is live no longer, until it is alone and the manifest is applied', async () => {
  await run(
    'create table kin (id int primary key, body text); create table parts (id int, body text) partition by list (id)',
  );
  const kin = { name: 'kin', expose: true, live: true, policy: 'public_read_append_only' };
  for (const [join, leave] of [
    ['create table child () inherits (kin)', 'drop table child'],
    ['alter table parts attach partition kin for values in (1)', 'alter table parts detach partition kin'],
  ]) {
    expect((await project.expose(notes, tasks, kin)).status).toBe(200);
    const events = await stream({ tables: 'kin' });
    const ready = await events.next();
    await run(`${join}; insert into notes (body) values ('a')`);
    expect(await events.next()).toMatchObject({ event: 'reconnect', data: { reason: 'manifest_changed' } });
    expect((await changes({ tables: 'kin' })).status).toBe(403);
    expect(await project.expose(notes, tasks, kin)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: { field: 'manifest.tables[2].live' } },
    });
    await run(leave!);
    expect((await changes({ tables: 'kin' })).status).toBe(403);
    expect((await project.expose(notes, tasks, kin)).status).toBe(200);
    expect((await changes({ tables: 'kin', cursor: ready!.id! })).body).toMatchObject({ resync: true });
  }
  expect((await project.expose(notes, tasks)).status).toBe(200);
});

test('an owner’s column that is dropped leaves a hint for every user, and its policy with it', async () => {
  const events = await stream({ tables: 'tasks', bearer: ada.access_token });
  await events.next();
  await run(`alter table tasks drop column user_id cascade; insert into tasks (body) values ('whose')`);
  expect(await events.next()).toMatchObject({ event: 'change', data: { op: 'insert', pk: null, n: 1 } });
  events.close();
});
