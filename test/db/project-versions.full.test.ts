import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { ProjectDatabases } from '../../db/project-databases.ts';
import { ProjectPools } from '../../db/project-pools.ts';
import { templateVersion, templateVersions } from '../../db/project-template.ts';
import { SchemaCaches } from '../../engines/rows/schema-caches.ts';
import { makeOlder } from '../helpers/older-database.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { until } from '../helpers/until.ts';

const server = await startOwnPostgres();
const control = await server.database();
const databases = new ProjectDatabases({
  servers: { main: control.url },
  keys: new KeyRing(randomBytes(32)),
  warn: () => undefined,
});
await databases.bootstrap();
const open = () => {
  const pools = new ProjectPools({ databases, warn: () => undefined });
  onTestFinished(() => pools.close());
  return pools;
};

afterAll(async () => {
  await databases.close();
  await server.stop();
});

const statement = (text: string) => ({ name: undefined, text, values: [] });

const clientOf = (name: string) => {
  const url = new URL(control.url);
  url.pathname = `/${name}`;
  return new pg.Client({ connectionString: url.href });
};

async function inside<Result>(name: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = clientOf(name);
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

async function connect(name: string): Promise<pg.Client> {
  const client = clientOf(name);
  onTestFinished(() => client.end());
  await client.connect();
  return client;
}

/** A project whose database was made by an older version of the template, with something of the tenant's in it. */
async function oldProject(version: number) {
  const database = databases.assign();
  await databases.provision(database);
  await makeOlder(control.url, database, version);
  await inside(database.databaseName, (client) =>
    client.query('create table kept (id int); insert into kept values (7)'),
  );
  return database;
}

const shapeOf = (name: string) =>
  inside(name, async (client) => {
    const catalog =
      await client.query(`select n.nspname, c.relname, c.relacl::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('_svc', 'auth') union all
        select c.relpersistence::text, c.relname, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
          where n.nspname in ('_svc', 'auth') and a.attnum > 0 and not a.attisdropped union all
        select n.nspname, p.proname, p.proacl::text || p.prosrc from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('_svc', 'auth') union all
        select '', nspname, nspacl::text from pg_namespace where nspname in ('public', 'auth', '_svc') union all
        select '', evtname, evtenabled::text from pg_event_trigger union all
        select '', defaclobjtype::text, defaclacl::text from pg_default_acl order by 1, 2, 3`);
    const version = await client.query('select version from _svc.schema_version');
    return { catalog: catalog.rows, version: version.rows };
  });

test.each(templateVersions.slice(0, -1).map(({ version }) => version))(
  'a database of version %i is brought to the newest when it is first entered, by many at once',
  async (version) => {
    const [old, fresh] = [await oldProject(version), databases.assign()];
    await databases.provision(fresh);
    const nodes = [open(), open(), open()];
    const asked = nodes.flatMap((pools) =>
      Array.from({ length: 5 }, () => pools.run(old, [statement('select version from _svc.schema_version')])),
    );
    for (const rows of await Promise.all(asked)) expect(rows).toEqual([[[String(templateVersion)]]]);
    expect(await shapeOf(old.databaseName)).toEqual(await shapeOf(fresh.databaseName));
    expect(await inside(old.databaseName, async (client) => (await client.query('select * from kept')).rows)).toEqual([
      { id: 7 },
    ]);
  },
);

test.each([8, templateVersion])(
  'tables that went live under version %i tell of keys that are not too long',
  async (version) => {
    const database = await oldProject(version);
    // In JSON each of these names is six times as long: of a row alone they are more than a hint may hold.
    const wide = Array.from({ length: 32 }, (_one, at) => `"${'\u0001'.repeat(60)}${at}"`);
    const hints = await inside(database.databaseName, async (client) => {
      await client.query(`set role service_role;
      create table numbers (id bigint primary key);
      create table texts (id text primary key);
      create table wides (${wide.map((name) => `${name} int`).join(', ')}, primary key (${wide.join(', ')}));
      create table keyless (id int);
      create table pairs ("key's" uuid, """" smallint, at int, b bigint, primary key ("key's", """", b));
      create table notes (id uuid primary key, user_id uuid)`);
      const wanted = ['numbers', 'texts', 'wides', 'keyless', 'pairs'].map((table): object => ({ table }));
      wanted.push({ table: 'notes', owner: 'user_id' });
      await client.query('select _svc.keep_live($1)', [JSON.stringify(wanted)]);
      await client.query('reset role');
      await databases.upgrade(database);
      const id = '6f9619ff-8b86-4d01-b42d-00c04fc964ff';
      await client.query(`insert into numbers values (-9007199254740991); delete from numbers;
      insert into texts values (repeat('x', 8000)); insert into texts values (repeat('x', 9000));
      insert into texts values ('short');
      insert into wides values (${wide.map((_name, at) => at).join(', ')});
      insert into keyless values (1);
      insert into pairs values ('${id}', -1, 0, 9007199254740993); update pairs set at = 1; delete from pairs;
      insert into pairs values ('${id}', 1, 0, 2), ('${id}', 2, 0, 2);
      insert into notes values ('${id}', '${id}')`);
      const told = await client.query(
        `select tab, op, owner, case when length(pk) < 200 then pk end as pk, length(pk) > 7999 as long,
          pk = pk::jsonb::text as as_written
        from _svc.live_hints order by at`,
      );
      return told.rows;
    });
    const id = '6f9619ff-8b86-4d01-b42d-00c04fc964ff';
    const nothing = { owner: null, pk: null, long: null, as_written: null };
    const short = { owner: null, long: false, as_written: true };
    const pair = (nth: number, b = '2') => `{"\\"": ${nth}, "b": ${b}, "key's": "${id}"}`;
    expect(hints).toEqual([
      { tab: 'numbers', op: 'insert', ...short, pk: '[{"id": -9007199254740991}]' },
      { tab: 'numbers', op: 'delete', ...short, pk: '[{"id": -9007199254740991}]' },
      { tab: 'texts', op: 'insert', ...nothing, long: true, as_written: true },
      { tab: 'texts', op: 'insert', ...nothing },
      { tab: 'texts', op: 'insert', ...short, pk: '[{"id": "short"}]' },
      { tab: 'wides', op: 'insert', ...nothing },
      { tab: 'keyless', op: 'insert', ...nothing },
      ...['insert', 'update', 'delete'].map((op) => ({
        tab: 'pairs',
        op,
        ...short,
        pk: `[${pair(-1, '9007199254740993')}]`,
      })),
      { tab: 'pairs', op: 'insert', ...short, pk: `[${pair(1)}, ${pair(2)}]` },
      { tab: 'notes', op: 'insert', ...short, owner: id, pk: `[{"id": "${id}"}]` },
    ]);
  },
);

test('while a transaction that wrote into a live table is open, the upgrade waits for it, and holds up no other writer for long', async () => {
  const database = await oldProject(13);
  const [slow, other] = await Promise.all([connect(database.databaseName), connect(database.databaseName)]);
  // As triggers of before wrote it, in a session that keeps its plan.
  await slow.query(`create function hint() returns void language plpgsql as $$ begin
    insert into _svc.live_hints (tab, op, audience, pk, n)
      values ('notes', 'insert', 0, jsonb_build_array(jsonb_build_object('id', 1)), 1);
  end $$`);
  const hint = 'select hint()';
  await slow.query(`begin; ${hint}`);
  const upgrade = databases.upgrade(database);
  const tries = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name = 'svc-gateway' and state = 'active'`;
  await until(async () => expect((await other.query(tries)).rows).toEqual([{ n: 1 }]));
  for (let nth = 1; nth <= 20; nth++) {
    await other.query(hint);
    await setTimeout(50);
  }
  expect((await other.query('select version from _svc.schema_version')).rows).toEqual([{ version: 13 }]);
  await slow.query('commit');
  await upgrade;
  expect((await other.query('select version from _svc.schema_version')).rows).toEqual([{ version: templateVersion }]);
  await other.query(hint);
  expect((await other.query('select pk, count(*)::int as n from _svc.live_hints group by 1')).rows).toEqual([
    { pk: '[{"id": 1}]', n: 22 },
  ]);
});

test('a newer version than this gateway’s stays', async () => {
  const database = databases.assign();
  await databases.provision(database);
  await inside(database.databaseName, (client) => client.query('update _svc.schema_version set version = 99'));
  expect(await open().run(database, [statement('select version from _svc.schema_version')])).toEqual([[['99']]]);
  await databases.upgrade(database);
  expect((await shapeOf(database.databaseName)).version).toEqual([{ version: 99 }]);
});

test('a committed change of the schema counts once, and one that is rolled back does not', async () => {
  const database = databases.assign();
  await databases.provision(database);
  await inside(database.databaseName, async (client) => {
    const version = async () => Number((await client.query('select version from _svc.ddl_version')).rows[0].version);
    const before = await version();
    await client.query('begin; create table a (id int); create table b (id int); alter table a add x int; commit');
    expect(await version()).toBe(before + 1);
    await client.query('begin; create table c (id int); rollback');
    await client.query('insert into a values (1, 2)');
    expect(await version()).toBe(before + 1);
    await client.query('drop table a');
    expect(await version()).toBe(before + 2);
    expect((await client.query('select * from _svc.ddl_changes')).rows).toEqual([]);
  });
});

test('a schema is looked at again after a second, and at once when its node is told', async () => {
  const database = databases.assign();
  await databases.provision(database);
  let now = 0;
  const caches = new SchemaCaches(open(), () => now);
  const seen = async () => [...(await caches.get(database)).tables.keys()];
  const make = (name: string) =>
    inside(database.databaseName, (client) => client.query(`create table ${name} (id int)`));
  expect(await seen()).toEqual([]);
  await make('first');
  now = 999;
  expect(await seen()).toEqual([]);
  now = 1_000;
  expect(await seen()).toEqual(['first']);
  const known = await caches.get(database);
  now = 5_000;
  expect(await caches.get(database)).toBe(known);
  await make('second');
  caches.changed(database);
  expect(await seen()).toEqual(['first', 'second']);
});
