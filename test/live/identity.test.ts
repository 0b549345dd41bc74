import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { signingKeys } from '../../resolvers/auth/signing-keys.ts';
import { claimsOf } from '../auth/auth-project.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { liveProject, notes, said, tasks } from './live-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await liveProject(service);
const { run, stream } = project;
let ada: Awaited<ReturnType<typeof project.signedIn>>;
let bob: typeof ada;
beforeAll(async () => {
  [ada, bob] = [await project.signedIn(), await project.signedIn()];
});

/** What each of some followers is told of some SQL, up to a hint that all of them get. */
async function toldOf(sql: string, ...follows: Parameters<typeof stream>[0][]) {
  await run('truncate notes, tasks restart identity');
  const streams = await Promise.all(follows.map(stream));
  for (const events of streams) expect(await events.next()).toMatchObject({ event: 'ready' });
  await run(`${sql}; insert into notes (body) values ('last')`);
  return Promise.all(
    streams.map(async (events) => {
      const seen = await events.until(({ data }) => data.table === 'notes');
      events.close();
      return seen.slice(0, -1).map(said);
    }),
  );
}

const both = 'notes,tasks';
const asAda = () => ({ tables: both, bearer: ada.access_token });
const asBob = () => ({ tables: both, bearer: bob.access_token });
const asService = () => ({ tables: both, key: project.serviceKey });

test('anybody gets all hints of a public table', async () => {
  const [anonymous, user] = await Promise.all([stream({ tables: 'notes' }), stream({ ...asAda(), tables: 'notes' })]);
  for (const events of [anonymous, user]) await events.next();
  await run(`insert into notes (body) values ('x')`);
  for (const events of [anonymous, user]) {
    expect(await events.next()).toMatchObject({ event: 'change', data: { op: 'insert' } });
    events.close();
  }
});

test('a user gets hints of its own rows alone, and the service key everything', async () => {
  const insert = `insert into tasks (user_id) values ('${ada.id}'), ('${ada.id}'), ('${bob.id}'), (null)`;
  const [hers, his, all] = await toldOf(insert, asAda(), asBob(), asService());
  expect(hers).toEqual([{ table: 'tasks', op: 'insert', pk: [{ id: 1 }, { id: 2 }], n: 2 }]);
  expect(his).toEqual([{ table: 'tasks', op: 'insert', pk: [{ id: 3 }], n: 1 }]);
  expect(all).toHaveLength(3);
  expect(all!.reduce((sum, { n }) => sum + n, 0)).toBe(4);
});

test('a user’s access token suffices alone in apikey', async () => {
  const events = await stream({ tables: 'tasks', key: ada.access_token });
  expect(await events.next()).toMatchObject({ event: 'ready' });
  events.close();
});

test('a row that changes its owner is gone for the old one, and an update for the new one', async () => {
  const [hers, his] = await toldOf(
    `insert into tasks (user_id) values ('${ada.id}'); update tasks set user_id = '${bob.id}', body = 'given'`,
    asAda(),
    asBob(),
  );
  expect(hers!.at(-1)).toEqual({ table: 'tasks', op: 'delete', pk: [{ id: 1 }], n: 1 });
  expect(his).toEqual([{ table: 'tasks', op: 'update', pk: [{ id: 1 }], n: 1 }]);
});

test('an update of one row that stays its owner’s is one hint, for the owner alone, as one of many is', async () => {
  const [hers, his] = await toldOf(
    `insert into tasks (user_id) values ('${ada.id}'), ('${ada.id}'), ('${bob.id}');
    update tasks set body = 'all'; update tasks set body = 'one' where id = 1`,
    asAda(),
    asBob(),
  );
  expect(hers!.slice(1)).toEqual([
    { table: 'tasks', op: 'update', pk: [{ id: 1 }, { id: 2 }], n: 2 },
    { table: 'tasks', op: 'update', pk: [{ id: 1 }], n: 1 },
  ]);
  expect(his!.slice(1)).toEqual([{ table: 'tasks', op: 'update', pk: [{ id: 3 }], n: 1 }]);
});

test('owners that change in a table without a key are told of the table', async () => {
  await run('alter table tasks drop constraint tasks_pkey');
  const [hers, his] = await toldOf(
    `insert into tasks (user_id) values ('${ada.id}'), ('${bob.id}'); update tasks set user_id = '${bob.id}'`,
    asAda(),
    asBob(),
  );
  await run('alter table tasks add primary key (id)');
  expect(hers!.at(-1)).toEqual({ table: 'tasks', op: 'delete', pk: null, n: 1 });
  expect(his!.at(-1)).toEqual({ table: 'tasks', op: 'update', pk: null, n: 2 });
});

test('more owners than can be told apart make it a hint for every user, and still none for anonymous callers', async () => {
  const [hers] = await toldOf(
    'insert into tasks (user_id) select gen_random_uuid() from generate_series(1, 1500)',
    asAda(),
  );
  expect(hers).toEqual([{ table: 'tasks', op: 'insert', pk: null, n: 1500 }]);
});

test('an update that takes rows from more owners than can be told apart is a hint for every user', async () => {
  const [hers, his] = await toldOf(
    `insert into tasks (user_id) select gen_random_uuid() from generate_series(1, 1500);
    update tasks set user_id = '${bob.id}'`,
    asAda(),
    asBob(),
  );
  for (const told of [hers!, his!])
    expect(told.slice(1)).toEqual([{ table: 'tasks', op: 'update', pk: null, n: 1500 }]);
});

test('rows that owners lose by one statement are counted for each of them', async () => {
  const [hers, his] = await toldOf(
    `insert into tasks (user_id)
      select case when i % 3 = 0 then '${ada.id}'::uuid else '${bob.id}' end from generate_series(1, 1500) i;
    update tasks set user_id = '${bob.id}'`,
    asAda(),
    asBob(),
  );
  expect(hers!.slice(1)).toEqual([{ table: 'tasks', op: 'delete', pk: null, n: 500 }]);
  expect(his!.slice(1)).toEqual([{ table: 'tasks', op: 'update', pk: null, n: 1500 }]);
});

test('one statement on many owners’ many rows is one hint for each owner', async () => {
  const [hers] = await toldOf(
    `insert into tasks (user_id) select case when i % 2 = 0 then '${ada.id}'::uuid else '${bob.id}' end
      from generate_series(1, 3000) i`,
    asAda(),
  );
  expect(hers).toEqual([{ table: 'tasks', op: 'insert', pk: null, n: 1500 }]);
});

test.each(['text', 'char(40)'])('an owner in a column of %s is told of its rows', async (type) => {
  const name = `by_${type.replace(/\W/g, '')}`;
  await run(`create table ${name} (id int primary key, who ${type})`);
  const owned = { name, expose: true, live: true, policy: 'user_owns_rows', owner_column: 'who' };
  expect((await project.expose(notes, tasks, owned)).status).toBe(200);
  const events = await stream({ tables: name, bearer: ada.access_token });
  await events.next();
  await run(`insert into ${name} values (1, '${bob.id}'), (2, '${ada.id}')`);
  expect(said((await events.next())!)).toEqual({ table: name, op: 'insert', pk: [{ id: 2 }], n: 1 });
  events.close();
});

test('a user whose session is revoked in mid-stream is cut off, and nobody else', async () => {
  const carol = await project.signedIn();
  const [hers, his] = await Promise.all([stream({ tables: both, bearer: carol.access_token }), stream(asBob())]);
  for (const events of [hers, his]) await events.next();
  expect((await project.auth('POST', '/auth/v1/logout', { bearer: carol.access_token })).status).toBeLessThan(300);
  expect(await hers.next()).toMatchObject({ event: 'reconnect', data: { reason: 'session_ended' } });
  expect(await hers.next()).toBeUndefined();
  const again = await stream({ tables: both, bearer: carol.access_token, cursor: 'x' });
  expect(again.status).toBe(401);
  await run(`insert into notes (body) values ('still')`);
  expect(await his.next()).toMatchObject({ event: 'change' });
  his.close();
});

test('a stream ends with the token that opened it, though the session stands', async () => {
  const dora = await project.signedIn();
  const { services } = service.app;
  const keys = await signingKeys(services, await findProjectTarget(services, project.projectId));
  const short = await new SignJWT({ ...claimsOf(dora.access_token), exp: Math.floor(Date.now() / 1000) + 3 })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: keys.kid })
    .sign(keys.signing);
  const [brief, long] = [
    await stream({ tables: both, bearer: short }),
    await stream({ ...asBob(), bearer: dora.access_token }),
  ];
  for (const events of [brief, long]) expect(await events.next()).toMatchObject({ event: 'ready' });
  expect(await brief.next()).toMatchObject({ event: 'reconnect', data: { reason: 'token_expired' } });
  expect(await brief.next()).toBeUndefined();
  expect((await stream({ tables: both, bearer: short })).status).toBe(401);
  await run(`insert into notes (body) values ('still')`);
  expect(await long.next()).toMatchObject({ event: 'change' });
  long.close();
});

test('a table that gets owners ends anonymous streams, and none of its rows is told on the way', async () => {
  const anonymous = await stream({ tables: 'notes' });
  await anonymous.next();
  await run(`alter table notes add user_id uuid`);
  const owned = { name: 'notes', expose: true, live: true, policy: 'user_owns_rows', owner_column: 'user_id' };
  await project.expose(owned, tasks);
  await run(`insert into notes (user_id) values ('${ada.id}')`);
  expect(await anonymous.next()).toMatchObject({ event: 'reconnect', data: { reason: 'manifest_changed' } });
  expect(await anonymous.next()).toBeUndefined();
  expect((await stream({ tables: 'notes' })).status).toBe(401);
  await project.expose(notes, tasks);
});
