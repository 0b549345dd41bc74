import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { giveRateBack } from '../helpers/project-rate.ts';
import { sample, wholeWalks } from '../helpers/sample.ts';
import { startService } from '../helpers/service.ts';
import { rowsProject } from './rows-project.ts';

/*
 * Requests that succeed, fail, are cut off, are cancelled or lose their connection, in any order and at once: none of
 * them may leave a role, a claim, a setting, a lock or half a prepared statement to whoever has the connection next.
 */

const service = await startService();
const project = await rowsProject(
  service,
  `create table notes (id int primary key, kind text);
   insert into notes values (1, 'open'), (2, 'secret');
   alter table notes enable row level security;
   create policy open on notes to anon using (kind = 'open') with check (kind = 'open');
   grant select, insert, update on notes to anon;
   create function whoami() returns jsonb language sql stable as $$ select jsonb_build_object('role', current_user,
     'sub', current_setting('request.jwt.claims', true)::jsonb ->> 'role', 'mine', nullif(current_setting('my.setting', true), '')) $$;
   create function leave(fails bool) returns text language plpgsql as $$ begin
     perform set_config('role', 'service_role', false);
     perform set_config('request.jwt.claims', '{"role":"service_role"}', false);
     perform set_config('my.setting', 'left', false);
     perform set_config('statement_timeout', '1', false);
     perform set_config('search_path', 'auth', false);
     perform pg_advisory_lock_shared(7);
     if fails then raise exception 'no'; end if;
     return 'left'; end $$;
   create function sleep() returns text language sql volatile as $$ select pg_sleep(600)::text $$;
   create function doze() returns int language sql stable as $$ select 1 from pg_sleep(600) $$;
   create view slow as select doze() as id;
   create function nap() returns text language sql volatile as $$ select pg_sleep(600)::text $$;
   create view leaving as select leave(false) as left;
   create view setting as select set_config('my.setting', 'set', false) as set;
   create function fullname(notes) returns text language sql stable as $$ select set_config('my.setting', 'computed', false) $$;
   grant select on slow, leaving, setting to anon;
   grant execute on all functions in schema public to anon, service_role;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

/** One after the other: there is one connection past the gateway. */
let asked: Promise<unknown> = Promise.resolve();
const sql = (text: string): Promise<object[]> => {
  const now = asked.then(() => project.sql(text));
  asked = now;
  return now;
};

/** Sends a request; with `abort`, goes away once the database is at it. */
const ask = (key: string, method: string, path: string, body?: unknown, abort = false) =>
  new Promise<{ status: number; body: string }>((resolve) => {
    // More is asked than a project may in a second.
    giveRateBack(service, project.projectId);
    const { hostname, port } = new URL(service.url);
    const headers = { apikey: key, 'content-type': 'application/json', prefer: 'return=representation' };
    const sent = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode!, body: text }));
    });
    sent.on('error', () => resolve({ status: 0, body: '' }));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    if (abort) void underWay().then(() => sent.destroy());
  });

/** Until some request of the project sleeps in the database. */
async function underWay(): Promise<void> {
  const text = `select 1 from pg_stat_activity where usename = '${project.roleName}' and wait_event = 'PgSleep'`;
  for (;;) {
    if ((await sql(text)).length > 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const anon = (method: string, path: string, body?: unknown, abort?: boolean) =>
  ask(project.anonKey, method, `/rest/v1/${path}`, body, abort);
const admin = (method: string, path: string, body?: unknown, abort?: boolean) =>
  ask(project.serviceKey, method, `/admin/v1/rest/${path}`, body, abort);

/** What is asked, and what its answer has to be, whatever else is under way. */
const kinds = {
  'read as anon': async () =>
    expect(await anon('GET', 'notes?select=id&order=id')).toEqual({ status: 200, body: '[{"id":1}]' }),
  'read as service': async () =>
    expect(await admin('GET', 'notes?select=id&id=lt.10&order=id')).toEqual({
      status: 200,
      body: '[{"id":1}, \n {"id":2}]',
    }),
  'read in a zone': async () => expect((await admin('GET', 'notes?select=id&id=eq.1')).status).toBe(200),
  'who am I, anon': async () =>
    expect(JSON.parse((await anon('GET', 'rpc/whoami')).body)).toEqual({ role: 'anon', sub: 'anon', mine: null }),
  'who am I, service': async () =>
    expect(JSON.parse((await admin('GET', 'rpc/whoami')).body)).toEqual({
      role: 'service_role',
      sub: 'service_role',
      mine: null,
    }),
  'a read that fails': async () => expect((await anon('GET', 'notes?id=eq.x')).status).toBe(400),
  'a read that fails late': async () =>
    expect((await admin('GET', 'notes?select=id&kind=not.is.null&kind=match.(')).status).toBe(400),
  'a write that is refused': async () =>
    expect((await anon('POST', 'notes', { id: 3, kind: 'secret' })).status).toBe(401),
  'a write that fails': async () => expect((await admin('POST', 'notes', { id: 1, kind: 'x' })).status).toBe(409),
  'a write': async () => expect((await anon('PATCH', 'notes?id=eq.1', { kind: 'open' })).status).toBe(200),
  'a function that leaves things': async () =>
    expect((await anon('POST', 'rpc/leave', { fails: false })).status).toBe(200),
  'a function that leaves things and fails': async () =>
    expect((await anon('POST', 'rpc/leave', { fails: true })).status).toBe(400),
  'a view that leaves things': async () => expect((await anon('GET', 'leaving')).status).toBe(200),
  'a view that sets something': async () => expect((await anon('GET', 'setting')).status).toBe(200),
  'a computed column that sets something': async () =>
    expect((await anon('GET', 'notes?select=id,fullname')).status).toBe(200),
  'a function that nobody waits for': async () => expect((await anon('POST', 'rpc/sleep', {}, true)).status).toBe(0),
  'a read that nobody waits for': async () => expect((await anon('GET', 'slow', undefined, true)).status).toBe(0),
  'a function whose connection is cut': async () => {
    let answer: { readonly status: number } | undefined;
    void admin('POST', 'rpc/nap', {}).then((given) => (answer = given));
    while (answer === undefined) {
      await sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where usename = '${project.roleName}' and wait_event = 'PgSleep' and query like '%"nap"(%'`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(answer.status).toBe(503);
  },
} as const satisfies Record<string, () => Promise<void>>;

type Kind = keyof typeof kinds;
const settings = `select current_user, coalesce(current_setting('request.jwt.claims', true), ''),
  coalesce(current_setting('my.setting', true), ''), current_setting('transaction_read_only'), current_setting('statement_timeout')`;
const locks = `select pid from pg_locks l join pg_database d on d.oid = l.database
  where l.locktype = 'advisory' and d.datname = current_database()`;

/** What the connections of a project say of themselves when nobody has asked for a role. */
async function sessions({ databaseName, roleName }: typeof project): Promise<Set<string>> {
  const database = { server: 'main', databaseName, roleName };
  const one = () => service.app.services.projectPools.run(database, [{ name: undefined, text: settings, values: [] }]);
  return new Set((await Promise.all(Array.from({ length: 8 }, one))).map(([rows]) => JSON.stringify(rows![0])));
}

async function expectClean(of: typeof project): Promise<void> {
  expect(await sessions(of)).toEqual(new Set([JSON.stringify([of.roleName, '', '', 'off', '0'])]));
  // A session is emptied behind the answer.
  await expect.poll(() => of.sql(locks)).toEqual([]);
}

test('whatever is asked in whatever order, nobody is left anything by anybody', async () => {
  const some = fc.array(fc.constantFrom(...(Object.keys(kinds) as Kind[])), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 4 }), async (waves) => {
      // Those of a wave are under way at once, on connections that the waves before have used.
      for (const wave of waves) await Promise.all(wave.map((kind) => kinds[kind]()));
      await expectClean(project);
    }),
    { numRuns: wholeWalks ? 25 : 6, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
});

const setting = (sql: string) => `'select set_config(''my.setting'', ''left'', false)${sql}'`;
const leave = `create function leave(text) returns text language plpgsql as
  $$ begin return set_config('my.setting', 'left', false); end $$;`;

const leaving: readonly (readonly [string, string])[] = [
  ['a function', `${leave} create view shown as select leave('') as id`],
  [
    'an aggregate over a function',
    `create function leave(text, text) returns text language plpgsql as
       $$ begin return set_config('my.setting', 'left', false); end $$;
     create aggregate leaving(text) (sfunc = leave, stype = text);
     create view shown as select leaving(name) as id from (values ('a')) as _(name)`,
  ],
  ['SQL in a text', `create view shown as select query_to_xml(${setting('')}, true, false, '')::text as id`],
  [
    'SQL in a text whose answer gets a schema',
    `create view shown as select query_to_xml_and_xmlschema(${setting('')}, true, false, '')::text as id`,
  ],
  ['SQL in a text of a search', `create view shown as select word as id from ts_stat(${setting('::tsvector')})`],
  [
    'SQL in a text that rewrites a search',
    `create view shown as select ts_rewrite('a & b', ${setting('::tsquery, null::tsquery')})::text as id`,
  ],
  ['a lock', 'create view shown as select pg_try_advisory_lock(7) as id'],
];
test.each(sample(leaving, 3))(
  'what %s behind a view leaves on a session is gone for whoever has it next',
  async (_kind, schema) => {
    const plain = await rowsProject(service, `${schema}; grant select on shown to anon`);
    for (let round = 0; round < 3; round++) {
      expect(await ask(plain.anonKey, 'GET', '/rest/v1/shown')).toMatchObject({ status: 200 });
      await expectClean(plain);
    }
    await plain.end();
  },
);

test.each([
  ['a function', `${leave} create domain kept as text default leave('')`],
  ['a setting', `create domain kept as text default set_config('my.setting', 'left', false)`],
])('what the default of a domain leaves on a session by %s is gone for whoever has it next', async (_kind, schema) => {
  const plain = await rowsProject(
    service,
    `${schema}; create table shown (id int, kept kept); grant insert, select on shown to anon`,
  );
  expect((await ask(plain.anonKey, 'POST', '/rest/v1/shown', { id: 1 })).body).toBe('[{"id":1,"kept":"left"}]');
  await expectClean(plain);
  await plain.end();
});

test('tables that call nothing of the project’s own are read on shared connections', async () => {
  const plain = await rowsProject(
    service,
    `create table owned (id serial primary key, owner uuid default auth.uid(), size int check (size > 0),
       twice int generated always as (size * 2) stored, at timestamptz default now());
     alter table owned enable row level security;
     create policy own on owned using (owner = auth.uid() and current_setting('request.jwt.claims', true) <> '');
     create view shown as select id, upper(owner::text) as owner from owned;
     create function unused() returns int language sql as 'select 1';`,
  );
  const callsCode = async ({ databaseName, roleName }: typeof plain) =>
    (await service.app.services.schemaCaches.get({ server: 'main', databaseName, roleName })).callsCode;
  expect([await callsCode(plain), await callsCode(project)]).toEqual([false, true]);
  await plain.end();
});
