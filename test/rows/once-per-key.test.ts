import { afterAll, expect, test } from 'vitest';
import { authProject } from '../auth/auth-project.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type GraphProject, graphProject } from '../project-graphql/graph-project.ts';

// A change of rows under an idempotency key is made once, and answered alike however often it is sent.

const service = await sharedService();
const project: GraphProject = await graphProject(
  service,
  `create table notes (id bigint generated always as identity primary key, body text not null check (body <> 'bad'));
   create function add_note(body text) returns bigint language sql volatile as
     'insert into public.notes (body) values (body) returning id';
   create function note_count() returns bigint language sql stable as 'select count(*) from public.notes';
   create function claims_done() returns void language plpgsql as
     $$ begin raise exception using errcode = 'SVC01', message = 'done, it says'; end $$;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const count = async (body: string) =>
  Number((await project.sql<{ count: string }>(`select count(*) from notes where body = '${body}'`))[0]!.count);

const keyed = (key: string, more: Record<string, string> = {}) => ({
  'idempotency-key': key,
  prefer: 'return=representation',
  ...more,
});

const shownOf = ({ status, text, headers }: { status: number; text: string; headers: Headers }) => ({
  status,
  text,
  location: headers.get('location'),
  range: headers.get('content-range'),
  preferred: headers.get('preference-applied'),
});

test.each([
  ['an insert', 'POST', 'notes', { body: 'an insert' }],
  ['an update', 'PATCH', 'notes?body=eq.before', { body: 'an update' }],
  ['a delete', 'DELETE', 'notes?body=eq.before', undefined],
  ['a call', 'POST', 'rpc/add_note', { body: 'a call' }],
])('%s is made once, and its answer is given again', async (name, method, path, body) => {
  await project.sql(`insert into notes (body) values ('before')`);
  const send = () =>
    project.admin(method, path, {
      body,
      headers: keyed(`once ${name}`, { prefer: 'return=representation, count=exact' }),
    });
  const first = await send();
  expect(first.status).toBeLessThan(300);
  // What was found would not be found again.
  const again = await send();
  expect(shownOf(again)).toEqual(shownOf(first));
  expect(again.text).not.toBe('[]');
  if (method === 'POST') expect(await count(name)).toBe(1);
});

test('of twenty that are sent at once one is made, and all are answered alike', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      project.admin('POST', 'notes', { body: { body: 'twenty' }, headers: keyed('twenty at once') }),
    ),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]!.status).toBe(201);
  expect(await count('twenty')).toBe(1);
});

test('a change that was refused leaves its key free', async () => {
  const send = () => project.admin('POST', 'notes', { body: { body: 'late' }, headers: keyed('refused first') });
  await project.sql(`alter table notes add constraint no_late check (body <> 'late')`);
  expect(await send()).toMatchObject({ status: 400, body: { code: '23514' } });
  await project.sql('alter table notes drop constraint no_late');
  expect((await send()).status).toBe(201);
  expect((await send()).status).toBe(201);
  expect(await count('late')).toBe(1);
});

test.each<[string, string, object, Record<string, string>]>([
  ['body', 'notes', { body: 'other' }, {}],
  ['address', 'notes?columns=body', { body: 'same' }, {}],
  ['preference', 'notes', { body: 'same' }, { prefer: 'return=minimal' }],
])('a key goes with one request: another %s is refused', async (name, path, body, headers) => {
  const key = `reused ${name}`;
  expect((await project.admin('POST', 'notes', { body: { body: 'same' }, headers: keyed(key) })).status).toBe(201);
  const other = await project.admin('POST', path, { body, headers: keyed(key, headers) });
  expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  expect(await count('other')).toBe(0);
});

test.each([
  ['none at all', ''],
  ['257 characters', 'x'.repeat(257)],
])('a key of %s is refused', async (_name, key) => {
  const answer = await project.admin('POST', 'notes', { body: { body: 'no key' }, headers: keyed(key) });
  expect(answer).toMatchObject({ status: 400, body: { code: 'IDEMPOTENCY_KEY_INVALID' } });
  expect(await count('no key')).toBe(0);
});

test('what only reads takes no key', async () => {
  const read = async () =>
    (await project.admin<number>('POST', 'rpc/note_count', { body: {}, headers: keyed('reading') })).body;
  const before = await read();
  await project.sql(`insert into notes (body) values ('one more')`);
  expect(await read()).toBe(before + 1);
});

test('an answer that is too large to be kept is not made again', async () => {
  const send = () => project.admin('POST', 'notes', { body: { body: 'x'.repeat(300_000) }, headers: keyed('much') });
  expect((await send()).status).toBe(201);
  expect(await send()).toMatchObject({
    status: 400,
    body: { code: 'RESULT_TOO_LARGE', mutation_state: 'committed', safe_to_retry: false },
  });
  const [{ count: made }] = (await project.sql<{ count: string }>(
    'select count(*) from notes where length(body) = 300000',
  )) as [{ count: string }];
  expect(Number(made)).toBe(1);
});

test('a word of the project’s own SQL is not taken for an outcome', async () => {
  const answer = await project.admin('POST', 'rpc/claims_done', { body: {}, headers: keyed('claims') });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.text).not.toContain('committed');
});

test('the key of one user or project says nothing to another', async () => {
  const { a, b, send } = await twoUsers();
  const [ofA, ofB, again] = [await send(a, 'shared'), await send(b, 'shared'), await send(a, 'shared')];
  expect([ofA.status, ofB.status]).toEqual([201, 201]);
  expect(ofB.text).not.toBe(ofA.text);
  expect(again.text).toBe(ofA.text);
  const elsewhere = await project.admin('POST', 'notes', { body: { body: 'elsewhere' }, headers: keyed('shared') });
  expect(elsewhere.status).toBe(201);
});

async function twoUsers() {
  const auth = await authProject(service);
  const run = (sql: string) =>
    service.call(service.actors.bearer(auth.serviceKey), 'POST', `/projects/v1/admin/${auth.projectId}/sql`, {
      body: { sql },
    });
  await run(
    'create table own (id bigint generated always as identity primary key, user_id uuid default auth.uid(), body text)',
  );
  const tables = [{ name: 'own', expose: true, policy: 'user_owns_rows', owner_column: 'user_id' }];
  const exposed = await service.call(
    service.actors.bearer(auth.serviceKey),
    'POST',
    `/projects/v1/admin/${auth.projectId}/expose`,
    { body: { version: 1, tables } },
  );
  expect(exposed.status).toBe(200);
  const [a, b] = [await auth.signedIn(), await auth.signedIn()];
  const send = (user: typeof a, key: string) =>
    service.call(service.actors.apikey(auth.anonKey), 'POST', '/rest/v1/own', {
      body: { body: 'mine' },
      headers: keyed(key, { authorization: `Bearer ${user.access_token}` }),
    });
  return { a, b, send };
}

const insert = 'mutation ($body: String!) { insertNotes(rows: [{ body: $body }]) { rows { id body } } }';

const ask = (key: string, body: string, query = insert) =>
  service.call(project.service, 'POST', project.path, {
    body: { query, variables: { body } },
    headers: { 'idempotency-key': key },
  });

test('a mutation of the project’s graph is made once, whatever else has been changed meanwhile', async () => {
  const first = await ask('graph', 'by graph');
  expect(first.body).toMatchObject({ data: { insertNotes: { rows: [{ body: 'by graph' }] } } });
  await project.sql(`update notes set body = 'changed' where body = 'by graph'`);
  expect((await ask('graph', 'by graph')).body).toEqual(first.body);
  expect(await count('by graph')).toBe(0);
  const other = await ask('graph', 'another');
  expect(other.body).toMatchObject({ errors: [{ extensions: { code: 'IDEMPOTENCY_KEY_REUSED' } }] });
  expect(await count('another')).toBe(0);
});

test('of twenty mutations at once one is made, and a refused one leaves its key free', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('graph twenty', 'graph twenty')));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await count('graph twenty')).toBe(1);
  expect((await ask('graph refused', 'bad')).body).toHaveProperty('errors');
  expect((await ask('graph refused', 'good')).body).not.toHaveProperty('errors');
});
