import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { ContentStore } from '../../engines/copies/content-store.ts';
import { saveDatabase } from '../../engines/copies/save-database.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

const postgres = await startOwnPostgres();
const home = await mkdtemp(join(tmpdir(), 'svc-hostile-copy-'));
afterAll(async () => {
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
});

const setup = `
  create type trap_value as (n int);
  create function ran_as(x trap_value) returns text language plpgsql as $$ begin
    raise exception 'ran as %', session_user; end $$;
  create cast (trap_value as text) with function ran_as(trap_value);
  create sequence first_one;
  do $$ begin for n in 1..300 loop execute format('create sequence middle_%s', n); end loop; end $$;
  create sequence prey;
  create materialized view trap as select row(1)::trap_value as last_value, true as is_called`;

/** Waits until the backup has read one sequence, and puts the view into the place of another before that is read. */
const swap = `do $$ declare held boolean := false; begin
  perform set_config('lock_timeout', '1', true);
  for tries in 1..20000 loop
    begin
      alter sequence first_one rename to first_tried;
      raise exception 'free' using errcode = 'P0001';
    exception when lock_not_available then held := true; when sqlstate 'P0001' then null; end;
    exit when held;
    perform pg_sleep(0.001);
  end loop;
  perform set_config('lock_timeout', '0', true);
  alter sequence prey rename to prey_old;
  alter materialized view trap rename to prey;
  perform pg_sleep(0.5);
end $$`;

test('a tenant that puts a view in the place of a sequence while it is read runs nothing as the administrator', async () => {
  await postgres.admin.query("create role tenant login password 'tenant'");
  const { name, url } = await postgres.database();
  await postgres.admin.query(`grant all on database ${name} to tenant`);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query('grant all on schema public to tenant');
  await admin.end();
  const login = new URL(url);
  [login.username, login.password] = ['tenant', 'tenant'];
  const tenant = new pg.Client({ connectionString: login.href });
  await tenant.connect();
  await tenant.query(setup);

  const attack = tenant.query(swap);
  const { database } = await saveDatabase({ url, store: new ContentStore(home), definitionsOf: 'public' });
  await attack;
  // The cast refuses whoever calls it: it was never called, and what is saved is of the moment before or after.
  expect(database.sequences.map((one) => one.name)).toHaveLength(302);
  await tenant.end();
});
