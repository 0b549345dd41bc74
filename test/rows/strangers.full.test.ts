import { afterAll, expect, test } from 'vitest';
import { authProject } from '../auth/auth-project.ts';
import { giveRateBack } from '../helpers/project-rate.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
const project = await authProject(
  service,
  `create table notes (id int primary key, body text, tags text[], of_note int references notes);
   insert into notes values (1, 'a-1', '{a}', 1), (2, 'bb', '{b}', 1);
   create view held as select 1 as id from (select pg_advisory_xact_lock_shared(71)) as locked;
   create function hold() returns int language sql volatile as 'select 1 from (select pg_advisory_xact_lock_shared(71)) as locked';
   grant select on notes, held to anon, authenticated;
   grant update on notes to anon;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { actors, call } = service;
const anon = actors.apikey(project.anonKey);
const back = '(.)\\1';
const word = encodeURIComponent;
const long = 'a'.repeat(201);

test.each([
  ['a filter', `body=match.${word(back)}`],
  ['one without case', `body=imatch.${word(back)}`],
  ['one that is negated', `body=not.match.${word(back)}`],
  ['one of several', `body=match(any).${word('{"x","(.)\\\\1"}')}`],
  ['one whose backslash is quoted apart', `body=match(any).${word('{(.)\\\\"1"}')}`],
  ['a tree', `or=(id.eq.1,body.match.${word('"(.)\\\\1"')})`],
  ['a tree inside a tree', `and=(id.eq.1,or(id.eq.2,not.and(body.imatch.${word('"(.)\\\\1"')})))`],
  ['embedded rows', `select=id,of:notes!of_note(id)&of.body=match.${word(back)}`],
  ['a tree of embedded rows', `select=id,of:notes!of_note(id)&of.or=(id.eq.1,body.match.${word('"(.)\\\\1"')})`],
  ['a long pattern', `body=match.${long}`],
  ['many repeats beside each other', `body=match.${word('(a?){100}(a?){100}')}`],
  ['many repeats inside each other', `body=match.${word('((a?){10}){10}')}`],
  ['many repeats of another dialect', `body=match.${word('(?b)\\(a*\\)\\{300\\}')}`],
])('a costly pattern of strangers is refused in %s, and the service may ask it', async (_where, search) => {
  const asked = await call<{ code: string }>(anon, 'GET', `/rest/v1/notes?${search}`);
  expect([asked.status, asked.body.code]).toEqual([400, 'PGRST127']);
  const changed = await call<{ code: string }>(anon, 'PATCH', `/rest/v1/notes?id=lt.0&${search}`, {
    body: { body: 'x' },
  });
  expect([changed.status, changed.body.code]).toEqual([400, 'PGRST127']);
  const csv = await call<{ code: string }>(
    { headers: async () => ({ apikey: project.anonKey, accept: 'text/csv' }) },
    'GET',
    `/rest/v1/notes?${search}`,
  );
  expect([csv.status, csv.body.code]).toEqual([400, 'PGRST127']);
  const own = await call<{ code?: string }>(actors.apikey(project.serviceKey), 'GET', `/admin/v1/rest/notes?${search}`);
  expect(own.body.code).not.toBe('PGRST127');
});

test('a costly pattern is refused in the graph, of related rows too', async () => {
  const ask = (query: string, key = project.anonKey) =>
    call<{ data?: unknown; errors?: { message: string; extensions: { details: { sqlstate: string } } }[] }>(
      actors.apikey(key),
      'POST',
      `/projects/v1/${project.projectId}/graphql`,
      { body: { query } },
    );
  const pattern = JSON.stringify(back);
  for (const where of [`{ body: { match: ${pattern} } }`, `{ not: { or: [{ body: { imatch: ${pattern} } }] } }`]) {
    const query = `{ notes(where: ${where}) { nodes { id } } }`;
    const { body } = await ask(query);
    expect(body.errors?.[0]?.extensions.details.sqlstate).toBe('PGRST127');
    expect((await ask(query, project.serviceKey)).body.errors).toBeUndefined();
  }
});

test.each([
  ['a date', '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'],
  ['an address', '^[a-z0-9]{2,64}@[a-z0-9]{2,64}$'],
  ['a network', '^([0-9]{1,3}[.]){3}[0-9]{1,3}$'],
  ['a choice', '^(a|b)-[0-9]+$'],
])('patterns of %s are for everybody', async (_what, pattern) => {
  const { status } = await call(anon, 'GET', `/rest/v1/notes?body=match.${word(pattern)}`);
  expect(status).toBe(200);
});

const waiting = async () => {
  const [row] = await project.sql<{ waiting: number }>(
    "select count(*)::int as waiting from pg_locks where locktype = 'advisory' and objid = 71 and not granted",
  );
  return row!.waiting;
};

test.each([
  ['reads', 'held'],
  ['calls', 'rpc/hold'],
])(
  '%s of the public key leave connections to users, and fewer of these to the service',
  async (_what, path) => {
    await project.sql('select pg_advisory_lock(71)');
    try {
      giveRateBack(service, project.projectId);
      const stuck = Array.from({ length: 16 }, () => call<{ code: string }>(anon, 'GET', `/rest/v1/${path}`));
      await expect.poll(waiting).toBe(5);
      const { access_token: accessToken } = await project.signedIn();
      const user = { headers: async () => ({ apikey: project.anonKey, authorization: `Bearer ${accessToken}` }) };
      expect((await call(user, 'GET', '/rest/v1/notes?select=id')).status).toBe(200);
      const stuckToo = Array.from({ length: 8 }, () => call<{ code: string }>(user, 'GET', `/rest/v1/${path}`));
      await expect.poll(waiting).toBe(7);
      const own = await call(actors.apikey(project.serviceKey), 'GET', '/admin/v1/rest/notes?select=id');
      expect(own.status).toBe(200);
      // Nothing but its own limit ends what waits for a lock.
      for (const { body } of await Promise.all([...stuck, ...stuckToo]))
        expect(['57014', 'PGRST003']).toContain(body.code);
    } finally {
      await project.sql('select pg_advisory_unlock(71)');
    }
  },
  60_000,
);
