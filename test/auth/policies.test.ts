import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from '../project-data/data-project.ts';
import { newEmail } from './auth-project.ts';

/**
 * Every cell of section 2.11 by users who signed up: policies are applied by manifest, users sign in by their paths, and
 * rows are asked for by REST. Nothing is put into a database behind the gateway.
 */

const service = await sharedService();
const project = await dataProject(service);
afterAll(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;
interface Caller {
  readonly id: string | null;
  readonly key: string;
  readonly bearer: string | undefined;
  readonly door: string;
}
const auth = (path: string, body: object, bearer?: string) =>
  service.call<Any>(service.actors.nobody, 'POST', `/auth/v1/${path}`, {
    headers: { apikey: project.anonKey, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    body,
  });

/** A user who has signed up and in. */
async function signUp() {
  const email = newEmail();
  const password = 'correct horse';
  const { body: made } = await auth('signup', { email, password });
  const signIn = async () => (await auth('token?grant_type=password', { email, password })).body;
  const session = await signIn();
  const as = (bearer: string): Caller => ({ id: made.id, key: project.anonKey, bearer, door: '/rest/v1' });
  return { ...as(session.access_token), email, session, signIn, as };
}

const change = (to: 'promote' | 'demote', email: string) =>
  service.call<Any>(project.key, 'POST', `${project.base}/${to}-user`, { body: { email } });

const rest = ({ key, bearer, door }: Caller, method: string, path: string, body?: unknown) =>
  service.call<Any>(service.actors.nobody, method, `${door}/${path}`, {
    headers: {
      apikey: key,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      prefer: 'return=representation',
    },
    ...(body === undefined ? {} : { body }),
  });

const anon: Caller = { id: null, key: project.anonKey, bearer: undefined, door: '/rest/v1' };
const admin: Caller = { id: null, key: project.serviceKey, bearer: undefined, door: '/admin/v1/rest' };
const ada = await signUp();
const bob = await signUp();
const eve = await signUp();
await change('promote', eve.email);
/** An admin of the project, by her own token. */
const boss = eve.as((await eve.signIn()).access_token);
const callers = { anon, ada, bob, boss, service: admin };

const tables = ['owned', 'texts', 'forced', 'shared', 'open', 'log', 'drafts'] as const;
const manifest = {
  tables: [
    { name: 'owned', expose: true, policy: 'user_owns_rows', owner_column: 'owner' },
    { name: 'texts', expose: true, policy: 'user_owns_rows', owner_column: 'owner' },
    { name: 'forced', expose: true, policy: 'user_owns_rows', owner_column: 'owner', force_owner_on_insert: true },
    { name: 'shared', expose: true, policy: 'public_read_authenticated_write' },
    { name: 'open', expose: true, policy: 'public_read_write_UNRESTRICTED', i_understand_this_is_unrestricted: true },
    { name: 'log', expose: true, policy: 'public_read_append_only' },
    {
      name: 'drafts',
      expose: true,
      policy: 'custom',
      custom_sql: `create policy seen on drafts for select using (published or owner = auth.uid());
        create policy made on drafts for insert to authenticated with check (owner = auth.uid());
        create policy changed on drafts for update to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
        create policy managed on drafts for delete to project_admin using (true);`,
    },
    { name: 'dark', expose: false },
  ],
};

beforeAll(async () => {
  await project.sql(
    [...tables, 'dark']
      .map(
        (name) =>
          `create table ${name} (id serial primary key, owner ${name === 'texts' ? 'text' : 'uuid'}, body text, published boolean default false)`,
      )
      .join(';'),
  );
  expect((await project.expose(manifest)).status).toBe(200);
});

/** Of ada's and of bob's, one row in each table, and one of ada's that is published. */
beforeEach(async () => {
  await project.sql(
    [...tables, 'dark']
      .map(
        (name) =>
          `truncate ${name} restart identity; insert into ${name} (owner, body, published)
            values ('${ada.id}', 'ada', false), ('${bob.id}', 'bob', false), ('${ada.id}', 'published', true)`,
      )
      .join(';'),
  );
});

/** What a caller sees of a table, or why it sees nothing. */
async function seen(caller: Caller, table: string) {
  const { status, body } = await rest(caller, 'GET', `${table}?select=body&order=id`);
  return status === 200 ? body.map(({ body: text }: { body: string }) => text) : body.code;
}
const everything = ['ada', 'bob', 'published'];
const hers = ['ada', 'published'];

/** What a write did: the rows that it wrote, or the code of its refusal. */
async function wrote(caller: Caller, method: string, path: string, body?: unknown) {
  const answer = await rest(caller, method, path, body);
  if (answer.status >= 300) {
    // Who is nobody is asked to sign in, and who is somebody told that it may not.
    expect([401, 403]).toContain(answer.status);
    return answer.body.code === '42501' || answer.body.code === 'TABLE_NOT_EXPOSED' ? 'refused' : answer.body.code;
  }
  return answer.body.length;
}

test.each<[string, Record<keyof typeof callers, unknown>]>([
  ['owned', { anon: [], ada: hers, bob: ['bob'], boss: [], service: everything }],
  ['texts', { anon: [], ada: hers, bob: ['bob'], boss: [], service: everything }],
  ['forced', { anon: [], ada: hers, bob: ['bob'], boss: [], service: everything }],
  ['shared', { anon: everything, ada: everything, bob: everything, boss: everything, service: everything }],
  ['open', { anon: everything, ada: everything, bob: everything, boss: everything, service: everything }],
  ['log', { anon: everything, ada: everything, bob: everything, boss: everything, service: everything }],
  ['drafts', { anon: ['published'], ada: hers, bob: ['bob', 'published'], boss: ['published'], service: everything }],
  ['dark', { anon: 'TABLE_NOT_EXPOSED', ada: '42501', bob: '42501', boss: '42501', service: everything }],
])('who sees what of %s', async (table, expected) => {
  const found: Record<string, unknown> = {};
  for (const [name, caller] of Object.entries(callers)) found[name] = await seen(caller, table);
  expect(found).toEqual(expected);
});

/** Of each kind of write, by anon, ada, bob, the admin and the service key: rows written, or `-` for a refusal. */
test.each<[string, string, string, string, string]>([
  // table, insert of a row of ada's, insert of a row without owner, update of ada's rows, delete of ada's rows
  ['owned', '- 1 - - 1', '- - - - 1', '- 2 0 0 2', '- 2 0 0 2'],
  ['texts', '- 1 - - 1', '- - - - 1', '- 2 0 0 2', '- 2 0 0 2'],
  ['forced', '- 1 - - 1', '- 1 1 1 1', '- 2 0 0 2', '- 2 0 0 2'],
  ['shared', '- 1 1 1 1', '- 1 1 1 1', '- 2 2 2 2', '- 2 2 2 2'],
  ['open', '1 1 1 1 1', '1 1 1 1 1', '2 2 2 2 2', '2 2 2 2 2'],
  ['log', '1 1 1 1 1', '1 1 1 1 1', '- - - - 2', '- - - - 2'],
  ['drafts', '- 1 - - 1', '- - - - 1', '- 2 0 - 2', '- - - 1 2'],
  ['dark', '- - - - 1', '- - - - 1', '- - - - 2', '- - - - 2'],
])('who writes what of %s', async (table, insertHers, insertNobodys, update, remove) => {
  const filter = `owner=eq.${ada.id}`;
  const row = (cells: readonly unknown[]) => cells.map((cell) => (cell === 'refused' ? '-' : cell)).join(' ');
  const each = async (run: (caller: Caller) => Promise<unknown>, undo: string) => {
    const cells: unknown[] = [];
    for (const caller of Object.values(callers)) {
      cells.push(await run(caller));
      await project.sql(undo);
    }
    return row(cells);
  };
  const reset = `truncate ${table} restart identity; insert into ${table} (owner, body, published)
    values ('${ada.id}', 'ada', false), ('${bob.id}', 'bob', false), ('${ada.id}', 'published', true)`;
  const did = {
    insertHers: await each((one) => wrote(one, 'POST', table, { owner: ada.id, body: 'new', published: true }), reset),
    insertNobodys: await each((one) => wrote(one, 'POST', table, { body: 'new', published: true }), reset),
    update: await each((one) => wrote(one, 'PATCH', `${table}?${filter}`, { body: 'changed' }), reset),
    remove: await each((one) => wrote(one, 'DELETE', `${table}?${filter}`), reset),
  };
  expect(did).toEqual({ insertHers, insertNobodys, update, remove });
});

test('a forced owner is the user who inserts, and none under the service key', async () => {
  const [row] = (await rest(bob, 'POST', 'forced', { body: 'mine' })).body;
  expect(row.owner).toBe(bob.id);
  const [nobodys] = (await rest(admin, 'POST', 'forced', { body: 'nobody’s' })).body;
  expect(nobodys.owner).toBeNull();
  expect(await wrote(bob, 'POST', 'forced', { owner: ada.id, body: 'forged' })).toBe('refused');
  // An owner cannot be given away either, in one row or among many.
  expect(await wrote(bob, 'PATCH', `forced?id=eq.${row.id}`, { owner: ada.id })).toBe('refused');
  expect(
    await wrote(bob, 'POST', 'forced', [
      { owner: bob.id, body: 'a' },
      { owner: ada.id, body: 'b' },
    ]),
  ).toBe('refused');
  expect(await seen(bob, 'forced')).toEqual(['bob', 'mine']);
});

test('no filter, order, count, embedding or upsert shows a user a row of somebody else', async () => {
  for (const query of [
    'select=body,owner&order=owner.desc',
    `or=(owner.eq.${ada.id},owner.neq.${bob.id},owner.is.null)`,
    'body=like.*a*&limit=1000',
    'select=count()',
  ]) {
    const { body } = await rest(bob, 'GET', `owned?${query}`);
    expect(JSON.stringify(body)).not.toContain(ada.id);
    expect(JSON.stringify(body)).not.toContain('published"');
  }
  const counted = await service.call(service.actors.bearer(bob.bearer!), 'HEAD', '/rest/v1/owned', {
    headers: { prefer: 'count=exact' },
  });
  expect(counted.headers.get('content-range')).toBe('0-0/1');
  const taken = await service.call<Any>(service.actors.bearer(bob.bearer!), 'POST', '/rest/v1/owned', {
    headers: { prefer: 'resolution=merge-duplicates' },
    body: { id: 1, owner: bob.id, body: 'taken over' },
  });
  expect([taken.status, taken.body.code]).toEqual([403, '42501']);
  expect(await seen(ada, 'owned')).toEqual(hers);
});

test('the token of a promoted user stays what it was, and that of a demoted one is an admin’s no more', async () => {
  const user = await signUp();
  const remove = async (caller: Caller) => wrote(caller, 'DELETE', `drafts?owner=eq.${ada.id}`);
  expect(await remove(user)).toBe('refused');
  await change('promote', user.email);
  expect(await remove(user)).toBe('refused');
  const refreshed = (await auth('token?grant_type=refresh_token', { refresh_token: user.session.refresh_token })).body;
  const promoted = user.as(refreshed.access_token);
  expect(await remove(promoted)).toBe(1);
  await change('demote', user.email);
  // At once, with the token that is good for an hour.
  expect(await remove(promoted)).toBe('refused');
  expect((await rest(promoted, 'POST', 'forced', { body: 'still a user' })).status).toBe(201);
  // And it does not come back with the next promotion: that token is of before.
  await change('promote', user.email);
  expect(await remove(promoted)).toBe('refused');
});

test('a user whose session has ended, or who is gone, is nobody: not even anonymous', async () => {
  const user = await signUp();
  expect((await rest(user, 'POST', 'forced', { body: 'mine' })).status).toBe(201);
  await auth('logout', {}, user.bearer);
  for (const table of ['forced', 'open'])
    expect(await rest(user, 'GET', table)).toMatchObject({ status: 401, body: { code: 'INVALID_AUTH' } });
  // The row stays its owner's, who comes back for it.
  const again = user.as((await user.signIn()).access_token);
  expect(await seen(again, 'forced')).toEqual(['mine']);
});

test('the service key goes by its own door alone, and a user by no other', async () => {
  const misplaced = await rest({ ...admin, door: '/rest/v1' }, 'GET', 'open');
  expect(misplaced).toMatchObject({ status: 403, body: { error: 'role_forbidden' } });
  for (const caller of [anon, ada, boss])
    expect((await rest({ ...caller, door: '/admin/v1/rest' }, 'GET', 'open')).status).toBe(403);
});
