import { afterAll, expect, test } from 'vitest';
import { patiently } from '../helpers/patiently.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from './rows-project.ts';

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table notes (id int primary key, kind text);
   insert into notes values (1, 'open'), (2, 'secret');
   alter table notes enable row level security;
   create policy open on notes for select to anon using (kind = 'open');
   grant select on notes to anon;
   create function _svc.held() returns bigint language sql security definer as
     $$ select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() $$;
   grant execute on function _svc.held() to public;
   create function whoami() returns jsonb language sql stable as $$ select jsonb_build_object('role', current_user,
     'claims', nullif(current_setting('request.jwt.claims', true), ''), 'mine', nullif(current_setting('my.setting', true), ''),
     'path', current_setting('search_path'), 'locks', _svc.held()) $$;
   create function leave() returns text language plpgsql as $$ begin
     perform set_config('role', 'service_role', false);
     perform set_config('request.jwt.claims', '{"sub":"00000000-0000-0000-0000-000000000000"}', false);
     perform set_config('my.setting', 'left', false);
     perform set_config('search_path', 'auth', false);
     perform pg_advisory_lock(7);
     return 'left'; end $$;
   create function fail() returns text language plpgsql as $$ begin perform leave(); raise exception 'no'; end $$;
   create function sleep() returns text language sql as $$ select pg_sleep(600)::text $$;
   create table watched (id int primary key);
   create function leave_by_trigger() returns trigger language plpgsql as $$ begin perform leave(); return new; end $$;
   create trigger leaving before insert on watched for each row execute function leave_by_trigger();
   create function rise() returns boolean language plpgsql as $$ begin
     perform set_config('role', 'service_role', true);
     return true; end $$;
   create table risen (id int primary key, kind text);
   insert into risen values (1, 'open'), (2, 'secret');
   alter table risen enable row level security;
   create policy rising on risen for select to anon using (kind = 'open' and rise());
   grant select on risen to anon;
   grant execute on all functions in schema public to anon;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

/** What the connections of the project say of themselves when nobody has asked for a role. */
const sessions = async () => {
  const pools = service.app.services.projectPools;
  const database = { server: 'main', databaseName: project.databaseName, roleName: project.roleName };
  const text = `select current_user, coalesce(current_setting('request.jwt.claims', true), ''),
    coalesce(current_setting('my.setting', true), ''), current_setting('transaction_read_only'),
    _svc.held()`;
  const asked = Array.from({ length: 8 }, () => pools.run(database, [{ name: undefined, text, values: [] }]));
  return new Set((await Promise.all(asked)).map(([rows]) => JSON.stringify(rows![0])));
};
const clean = () => new Set([JSON.stringify([project.roleName, '', '', 'off', '0'])]);

test('anonymous callers see what policies let them, whatever was asked before on the same connection', async () => {
  for (let round = 0; round < 20; round++) {
    expect((await project.admin('GET', 'notes?select=id&order=id')).body).toEqual([{ id: 1 }, { id: 2 }]);
    expect((await project.open('GET', 'notes?select=id&order=id')).body).toEqual([{ id: 1 }]);
  }
  expect(await sessions()).toEqual(clean());
});

test.each([
  ['an answer', () => project.open('GET', 'notes')],
  ['a change', () => project.admin('PATCH', 'notes?id=eq.2', { body: { kind: 'secret' } })],
  ['a refusal by the statement', () => project.open('GET', 'notes?id=eq.x')],
  ['a refusal by a policy', () => project.open('POST', 'notes', { body: { id: 3 } })],
  [
    'a guard that undoes the change',
    () =>
      project.admin('PATCH', 'notes?id=gt.0', {
        body: { kind: 'x' },
        headers: { accept: 'application/vnd.pgrst.object+json' },
      }),
  ],
  ['a function that fails', () => project.open('POST', 'rpc/fail', { body: {} })],
  ['a function that leaves settings, a role and a lock behind', () => project.open('POST', 'rpc/leave', { body: {} })],
  [
    'a trigger that leaves them',
    () => project.admin('POST', 'watched', { body: { id: Math.trunc(Math.random() * 1e9) } }),
  ],
  ['a time zone that is none', () => project.open('GET', 'notes', { headers: { prefer: 'timezone=Nowhere' } })],
])('%s leaves no role, claim, setting or lock on a connection', async (_case, run) => {
  await Promise.all(Array.from({ length: 8 }, run));
  expect(await sessions()).toEqual(clean());
});

test('a request that nobody waits for any more is stopped, and leaves nothing behind', async () => {
  const gone = new AbortController();
  const asked = fetch(`${service.url}/rest/v1/rpc/sleep`, {
    method: 'POST',
    headers: { apikey: project.anonKey, 'content-type': 'application/json' },
    body: '{}',
    signal: gone.signal,
  }).catch(() => undefined);
  const sleeping = async () =>
    (
      await project.sql(
        "select 1 from pg_stat_activity where query like '%sleep%' and state = 'active' and pid <> pg_backend_pid()",
      )
    ).length;
  await expect.poll(sleeping).toBe(1);
  gone.abort();
  await asked;
  await expect.poll(sleeping).toBe(0);
  expect(await sessions()).toEqual(clean());
});

test('callers at the same time never see each other’s role', async () => {
  const asked = Array.from({ length: 60 }, (_, index) =>
    patiently(() => (index % 2 === 0 ? project.open : project.admin)('GET', 'rpc/whoami')),
  );
  const roles = (await Promise.all(asked)).map(({ body }) => (body as { role: string }).role);
  expect(roles).toEqual(Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 'anon' : 'service_role')));
});

test('a policy that takes another role gives it to nobody who asks the same at the same time', async () => {
  const ask = async () => (await patiently(() => project.open('GET', 'risen?select=id&order=id'))).body;
  for (let before = 0; before < 3; before++) expect(await ask()).toEqual([{ id: 1 }]);
  const answers = await Promise.all(Array.from({ length: 40 }, ask));
  expect(answers).toEqual(Array.from({ length: 40 }, () => [{ id: 1 }]));
  expect(await sessions()).toEqual(clean());
});

test('a role whose password was changed is let in again', async () => {
  await service.app.services.projectPools.forget({ databaseName: project.databaseName });
  await project.sql(`alter role ${project.roleName} password 'changed'`);
  expect((await project.open('GET', 'notes')).status).toBe(200);
});

test('connections that were cut are replaced', async () => {
  await project.open('GET', 'notes');
  await project.sql(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${project.roleName}'`);
  await expect.poll(async () => (await project.open('GET', 'notes')).status).toBe(200);
});
