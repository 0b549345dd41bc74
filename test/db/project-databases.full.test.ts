import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { createPool } from '../../db/pool.ts';
import { type ProjectDatabase, ProjectDatabases } from '../../db/project-databases.ts';
import { commonRoles, templateName, templateVersion } from '../../db/project-template.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

const server = await startOwnPostgres();
const control = await server.database();
const warnings: unknown[] = [];
const keys = new KeyRing(randomBytes(32));

const open = (url = control.url) =>
  new ProjectDatabases({
    servers: { main: url },
    keys,
    warn: (message, facts) => void warnings.push([message, facts]),
  });
const databases = open();
await databases.bootstrap();

const sizeOf = async (database: ProjectDatabase, on = databases) => (await on.sizesBytes([database]))[0];

afterAll(async () => {
  await databases.close();
  await server.stop();
});

async function provisioned(): Promise<ProjectDatabase> {
  const database = databases.assign();
  await databases.provision(database);
  return database;
}

function urlOf(database: ProjectDatabase, datname = database.databaseName): string {
  const url = new URL(control.url);
  url.username = database.roleName;
  url.password = databases.password(database);
  url.pathname = `/${datname}`;
  return url.href;
}

async function asTenant<Result>(
  database: ProjectDatabase,
  run: (client: pg.Client) => Promise<Result>,
  datname?: string,
) {
  const client = new pg.Client({ connectionString: urlOf(database, datname) });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

const refused = (run: Promise<unknown>) => expect(run).rejects.toMatchObject({ code: '42501' });

test('a project database holds the schemas and the version it was made from', async () => {
  const database = await provisioned();
  const inside = new URL(control.url);
  inside.pathname = `/${database.databaseName}`;
  const admin = new pg.Client({ connectionString: inside.href });
  await admin.connect();
  const { rows } = await admin.query(
    `select nspname from pg_namespace where nspname !~ '^(pg_|information_schema)' order by 1`,
  );
  const version = await admin.query('select version from _svc.schema_version');
  await admin.end();
  expect(rows.map(({ nspname }) => nspname)).toEqual(['_svc', 'auth', 'public']);
  expect(version.rows).toEqual([{ version: templateVersion }]);
});

test('the login role enters its own database and no other of the server', async () => {
  const database = await provisioned();
  await provisioned();
  const all = await server.admin.query<{ datname: string }>('select datname from pg_database');
  const names = all.rows.map(({ datname }) => datname);
  expect(names).toEqual(expect.arrayContaining(['postgres', 'template0', 'template1', templateName, control.name]));
  const entered: string[] = [];
  for (const name of names) {
    await asTenant(database, async () => void entered.push(name), name).catch((error: { code?: string }) =>
      // No right to connect, or a database that lets nobody in.
      expect(['42501', '55000']).toContain(error.code),
    );
  }
  expect(entered).toEqual([database.databaseName]);
});

test('the login role may become each common role there, and has no right of theirs before', async () => {
  const database = await provisioned();
  await asTenant(database, async (client) => {
    for (const role of commonRoles) {
      await client.query(`set role ${role}`);
      expect((await client.query('select current_user as role')).rows).toEqual([{ role }]);
      await client.query('reset role');
    }
    await refused(client.query('create table public.t (id int)'));
    await client.query('set role service_role');
    await client.query('create table public.t (id int)');
    await client.query('reset role');
    await refused(client.query('select * from public.t'));
    await refused(client.query('update _svc.schema_version set version = 0'));
    await refused(client.query('select * from _svc.ddl_changes'));
    await refused(client.query(`create role evil`));
    await refused(client.query(`create database evil`));
    await refused(client.query('create temporary table t2 (id int)'));
    await refused(client.query(`grant service_role to pg_monitor`));
  });
});

test('the login role is bounded and owns nothing', async () => {
  const { roleName } = await provisioned();
  const { rows } = await server.admin.query(
    `select rolcanlogin, rolinherit, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
       rolconnlimit between 1 and 50 as bounded,
       (select count(*)::int from pg_shdepend where refobjid = r.oid and deptype = 'o') as owned,
       (select count(*)::int from pg_auth_members where member = r.oid and (inherit_option or admin_option)) as inherits,
       (select count(*)::int from pg_auth_members where member = r.oid and set_option) as becomes
     from pg_roles r where rolname = $1`,
    [roleName],
  );
  expect(rows).toEqual([
    {
      rolcanlogin: true,
      rolinherit: false,
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      bounded: true,
      owned: 0,
      inherits: 0,
      becomes: commonRoles.length,
    },
  ]);
});

test('common roles cannot log in and hold nothing that all databases share', async () => {
  const { rows } = await server.admin.query(
    `select rolname, rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolbypassrls,
       (select count(*)::int from pg_auth_members where member = r.oid) as member_of,
       (select count(*)::int from pg_shdepend where refobjid = r.oid and dbid = 0) as shared
     from pg_roles r where rolname = any($1) order by rolname`,
    [commonRoles],
  );
  const none = {
    rolcanlogin: false,
    rolsuper: false,
    rolcreatedb: false,
    rolcreaterole: false,
    member_of: 0,
    shared: 0,
  };
  expect(rows).toEqual(
    [...commonRoles].sort().map((rolname) => ({ rolname, ...none, rolbypassrls: rolname === 'service_role' })),
  );
});

test('claims reach policies through the helpers, and an anonymous request has none', async () => {
  const database = await provisioned();
  const sub = '0198c5a2-0000-7000-8000-000000000001';
  await asTenant(database, async (client) => {
    await client.query('begin');
    await client.query('set local role authenticated');
    await client.query(`select set_config('request.jwt.claims', $1, true)`, [
      JSON.stringify({ sub, role: 'authenticated' }),
    ]);
    const seen = 'select auth.uid() as uid, auth.role() as role';
    expect((await client.query(seen)).rows).toEqual([{ uid: sub, role: 'authenticated' }]);
    await client.query('commit');
    await client.query('set role anon');
    expect((await client.query(seen)).rows).toEqual([{ uid: null, role: null }]);
  });
});

test('making a database again keeps what is in it, and finishes one that was left half made', async () => {
  const database = await provisioned();
  await asTenant(database, async (client) => {
    await client.query('set role service_role');
    await client.query('create table public.kept (id int)');
  });
  await Promise.all([databases.provision(database), databases.provision(database)]);
  await asTenant(database, async (client) => {
    await client.query('set role service_role');
    await client.query('select * from public.kept');
  });

  const half = databases.assign();
  await server.admin.query(`create database "${half.databaseName}" template ${templateName} allow_connections false`);
  await databases.provision(half);
  expect(await asTenant(half, async () => 'in')).toBe('in');
});

test('dropping removes database and role, also while somebody is inside, and again', async () => {
  const database = await provisioned();
  const inside = new pg.Client({ connectionString: urlOf(database) });
  inside.on('error', () => undefined);
  await inside.connect();
  expect(await sizeOf(database)).toBeGreaterThan(0);
  await databases.drop(database);
  await databases.drop(database);
  const left = await server.admin.query(
    'select 1 from pg_database where datname = $1 union all select 1 from pg_roles where rolname = $2',
    [database.databaseName, database.roleName],
  );
  expect(left.rowCount).toBe(0);
  expect(await sizeOf(database)).toBe(0);
  await inside.end().catch(() => undefined);
});

test('the sizes of many databases are told in their order, over all servers, those that are gone with nothing', async () => {
  const [one, two, gone] = [await provisioned(), await provisioned(), await provisioned()];
  await databases.drop(gone);
  const spread = new ProjectDatabases({
    servers: { [one.server]: control.url, other: control.url },
    keys,
    warn: () => undefined,
  });
  try {
    const elsewhere = { ...two, server: 'other' };
    const [ofOne] = await spread.sizesBytes([one]);
    const [ofTwo] = await spread.sizesBytes([elsewhere]);
    expect([ofOne, ofTwo].every((bytes) => bytes! > 0)).toBe(true);
    expect(await spread.sizesBytes([elsewhere, gone, one])).toEqual([ofTwo, 0, ofOne]);
    expect(await spread.sizesBytes([])).toEqual([]);
  } finally {
    await spread.close();
  }
});

test('however many databases are being made, sizes are told, and none of them is refused for waiting', async () => {
  const measured = await provisioned();
  // A database is made under this lock.
  await server.admin.query('begin');
  await server.admin.query('lock table pg_database in share mode');
  const making = Promise.allSettled(Array.from({ length: 8 }, provisioned));
  try {
    for (let look = 0; look < 10; look++) expect(await sizeOf(measured)).toBeGreaterThan(0);
    // As long as anybody waits for a connection, and no longer.
    const full = createPool({ url: control.url, max: 1 });
    const only = await full.connect();
    await expect(full.connect()).rejects.toThrow(/timeout exceeded/);
    only.release();
    await full.end();
  } finally {
    await server.admin.query('commit');
  }
  expect((await making).map(({ status }) => status)).toEqual(Array(8).fill('fulfilled'));
});

test('a database that cannot be made in time is given up, and whoever waits for its turn gets it', async () => {
  const seen: string[] = [];
  const hasty = new ProjectDatabases({
    servers: { main: control.url },
    keys,
    statementMs: 1_500,
    onStatement: (text) => seen.push(text),
    warn: () => undefined,
  });
  await server.admin.query('begin');
  await server.admin.query('lock table pg_database in share mode');
  const making = await Promise.allSettled(Array.from({ length: 5 }, () => hasty.provision(hasty.assign())));
  await server.admin.query('rollback');
  expect(making).toEqual(
    making.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: '57014' }) })),
  );
  const made = hasty.assign();
  await hasty.provision(made);
  expect(await sizeOf(made, hasty)).toBeGreaterThan(0);
  expect(seen.filter((text) => text.startsWith('create database'))).toHaveLength(6);
  await hasty.close();
});

test('at start-up databases that others made are closed to everybody without a right of their own', async () => {
  const database = await provisioned();
  const stranger = await server.database();
  expect(await asTenant(database, async () => 'in', stranger.name)).toBe('in');
  const later = open();
  await later.bootstrap();
  await later.close();
  await refused(asTenant(database, async () => 'in', stranger.name));
  expect(warnings).toEqual([]);
});

test('gateways of several installations can prepare one server at once', async () => {
  const fresh = await startOwnPostgres();
  const urls = await Promise.all([fresh.database(), fresh.database(), fresh.database()]);
  const nodes = [...urls, ...urls].map(({ url }) => open(url));
  try {
    await Promise.all(nodes.map((node) => node.bootstrap()));
    const { rows } = await fresh.admin.query(
      `select datname, datallowconn from pg_database where datname ~ '^svc_template'`,
    );
    expect(rows).toEqual([{ datname: templateName, datallowconn: false }]);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await fresh.stop();
  }
});

test('a draft of the template that a crash left behind is made anew', async () => {
  const fresh = await startOwnPostgres();
  const node = open((await fresh.database()).url);
  try {
    await fresh.admin.query(`create database ${templateName}_draft`);
    await node.bootstrap();
    const database = node.assign();
    await node.provision(database);
    expect(await sizeOf(database, node)).toBeGreaterThan(0);
  } finally {
    await node.close();
    await fresh.stop();
  }
});

test('new projects are spread over the servers in turn, and an unknown server is named', async () => {
  const spread = new ProjectDatabases({ servers: { a: control.url, b: control.url }, keys, warn: () => undefined });
  const assigned = Array.from({ length: 4 }, () => spread.assign());
  expect(assigned.map((one) => one.server)).toEqual(['a', 'b', 'a', 'b']);
  expect(new Set(assigned.map(({ databaseName }) => databaseName)).size).toBe(4);
  await expect(spread.provision({ ...assigned[0]!, server: 'c' })).rejects.toThrow(/named c; PROJECT_DATABASE_URLS/);
  await spread.close();
});
