import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { ProjectDatabases } from '../../db/project-databases.ts';
import { ProjectPools } from '../../db/project-pools.ts';
import { templateVersion, templateVersions } from '../../db/project-template.ts';
import { SchemaCaches } from '../../engines/rows/schema-caches.ts';
import { makeOlder } from '../helpers/older-database.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

const server = await startOwnPostgres();
const control = await server.database();
const databases = new ProjectDatabases({
  servers: { main: control.url },
  keys: new KeyRing(randomBytes(32)),
  warn: () => undefined,
});
await databases.bootstrap();
const opened: ProjectPools[] = [];
const open = () => {
  const pools = new ProjectPools({ databases, warn: () => undefined });
  opened.push(pools);
  return pools;
};

afterAll(async () => {
  await Promise.all(opened.map((pools) => pools.close()));
  await databases.close();
  await server.stop();
});

const statement = (text: string) => ({ name: undefined, text, values: [] });

async function inside<Result>(name: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const url = new URL(control.url);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
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
      create table notes (id uuid primary key, user_id uuid)`);
      const wanted = ['numbers', 'texts', 'wides', 'keyless'].map((table): object => ({ table }));
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
      insert into notes values ('${id}', '${id}')`);
      const told = await client.query(
        `select tab, op, owner, case when length(pk::text) < 100 then pk end as pk, length(pk::text) > 7999 as long
        from _svc.live_hints order by at`,
      );
      return told.rows;
    });
    const nothing = { owner: null, pk: null, long: null };
    const id = '6f9619ff-8b86-4d01-b42d-00c04fc964ff';
    expect(hints).toEqual([
      { tab: 'numbers', op: 'insert', owner: null, pk: [{ id: -9007199254740991 }], long: false },
      { tab: 'numbers', op: 'delete', owner: null, pk: [{ id: -9007199254740991 }], long: false },
      { tab: 'texts', op: 'insert', owner: null, pk: null, long: true },
      { tab: 'texts', op: 'insert', ...nothing },
      { tab: 'texts', op: 'insert', owner: null, pk: [{ id: 'short' }], long: false },
      { tab: 'wides', op: 'insert', ...nothing },
      { tab: 'keyless', op: 'insert', ...nothing },
      { tab: 'notes', op: 'insert', owner: id, pk: [{ id }], long: false },
    ]);
  },
);

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
