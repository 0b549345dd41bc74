import { afterAll, expect, test } from 'vitest';
import { templateVersion } from '../../db/project-template.ts';
import { upgradeDatabasesTask } from '../../resolvers/projects/upgrade-databases.ts';
import { startService } from '../helpers/service.ts';
import { asAdministrator } from '../project-data/as-user.ts';
import { hostileWorld } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbourIsWell } = await hostileWorld(service);
const own = ['anon', 'authenticated', 'project_admin', 'service_role', hostile.roleName];

// Every place where code of a tenant's runs because somebody else does something. Each notes who it runs as.
await hostile.sql(`
  create table sprung (by text, as_session text);
  create function spring() returns text language plpgsql as $$ begin
    if not current_user = any (array['${own.join("','")}']) then
      insert into public.sprung values (current_user, session_user);
    end if;
    return 'x'; end $$;
  create function pure(text) returns text language plpgsql immutable as $$ begin perform public.spring(); return $1; end $$;
  create function spring_row() returns trigger language plpgsql as $$ begin perform public.spring(); return new; end $$;
  create domain word as text check (public.pure(value) is not null);
  create table bait (id serial primary key, text text default public.spring(), word word, made text generated always as (public.pure('a')) stored,
    check (public.pure(text) is not null));
  create index on bait (public.pure(text));
  create statistics on (public.pure(text)), id from bait;
  create trigger before_row before insert or update on bait for each row execute function spring_row();
  create constraint trigger late after insert on bait deferrable initially deferred for each row execute function spring_row();
  create view looking as select *, public.spring() as sprung from bait;
  create materialized view kept as select public.pure(text) as text from bait;
  create table ruled (id int);
  create rule also as on insert to ruled do also select public.spring();
  create policy trap on bait for select to anon using (public.spring() is not null);
  insert into bait (text, word) select 'x' || n, 'w' from generate_series(1, 500) n;
  insert into ruled values (1)`);

const sprung = () => hostile.sql('select distinct by, as_session from sprung');

test('code of a tenant runs as nobody but the project, whoever sets it off', async () => {
  const bait = { name: 'bait', expose: true, policy: 'public_read_append_only' };
  const views = [{ name: 'shown', base: 'looking', select: ['*'], expose: true }];
  const rpcs = [
    { name: 'spring', signature: '()', grant_to: ['anon', 'authenticated'] },
    { name: 'pure', signature: '(text)', grant_to: ['anon', 'authenticated'] },
  ];
  expect((await hostile.expose({ tables: [bait], views, rpcs })).status).toBe(200);
  expect((await hostile.anon('GET', 'bait?select=id,text&limit=5')).body).toHaveLength(5);
  const added = await hostile.anon('POST', 'bait', { body: { text: 'more', word: 'w' } });
  expect(added.body).toBeUndefined();
  expect(added.status).toBe(201);
  expect((await hostile.admin('GET', 'looking?limit=1', { headers: { prefer: 'count=exact' } })).status).toBeLessThan(
    300,
  );
  expect((await service.call(hostile.key, 'GET', `${hostile.base}/schema`)).status).toBe(200);
  expect((await service.call(hostile.key, 'GET', `${hostile.base}/usage`)).status).toBe(200);
  const apikey = service.actors.apikey(hostile.anonKey);
  const credentials = { body: { email: 'ada@example.com', password: 'correct horse battery' } };
  await service.call(apikey, 'POST', '/auth/v1/signup', credentials);
  expect((await service.call(apikey, 'POST', '/auth/v1/token?grant_type=password', credentials)).status).toBe(200);
  expect(await sprung()).toEqual([]);
});

/** Takes back what versions 10 and 15 to 17 of the template made, so that they and all between are brought again. */
const older = `update _svc.schema_version set version = 9; drop function _svc.sweep_runs; drop table _svc.migrations;
  drop index auth.users_bcrypt_idx, auth.users_created_idx, auth.users_admins_idx, auth.users_email_prefix_idx;
  drop function auth.jwt(), auth.email();
  alter table auth.settings drop column allowed_redirect_urls`;

test('nor when the server puts itself in order, or the gateway brings the database to another version', async () => {
  // What autovacuum does, and an operator may.
  await asAdministrator(service, hostile, [
    'analyze public.bait',
    'vacuum (full) public.bait',
    'reindex table public.bait',
    'cluster public.bait using bait_pkey',
    'refresh materialized view public.kept',
    older,
  ]);
  await service.control.sql(
    'update projects set template_version = 0, template_tried_at = null where database_name = $1',
    [hostile.databaseName],
  );
  await service.control.sql('select graphile_worker.add_job($1, job_key => $1)', [upgradeDatabasesTask]);
  await expect
    .poll(() => hostile.sql('select version from _svc.schema_version'))
    .toEqual([{ version: templateVersion }]);
  expect(await sprung()).toEqual([]);
  await neighbourIsWell();
});

test('the trap springs for a superuser who walks into it, so it was one', async () => {
  await asAdministrator(service, hostile, ['select public.spring()']);
  expect(await sprung()).toHaveLength(1);
});
