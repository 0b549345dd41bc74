import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from './data-project.ts';

/*
 * A constraint knows the tables on both of its sides, and a function or a view may reach any table. What is dark is
 * named by no refusal, and the service key is told everything.
 */

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
await project.sql(`
  create table dark (id int primary key, word text not null unique, constraint dark_word check (word <> 'no'));
  insert into dark values (1, 'one');
  create table near (id int primary key, dark_id int references dark);
  insert into near values (1, 1);
  alter table dark add near_id int references near default 1;
  update dark set near_id = 1;
  create table kept (id int primary key, near_id int references near);
  insert into near values (2, null);
  insert into kept values (1, 2);
  create table written (id int primary key, word text);
  create function write_dark() returns trigger language plpgsql security definer as
    $$ begin insert into dark (id, word, near_id) values (new.id, new.word, null); return new; end $$;
  create trigger write_dark before insert on written for each row execute function write_dark();
  create function read_dark() returns bigint language sql as 'select count(*) from dark';
  create function raise_own() returns int language plpgsql as
    $$ begin raise foreign_key_violation using message = 'dark and mine', detail = 'mine too'; end $$;`);
const open = { expose: true, policy: 'public_read_write_UNRESTRICTED', i_understand_this_is_unrestricted: true };
const rpcs = ['read_dark', 'raise_own'].map((name) => ({ name, signature: '()', grant_to: ['anon', 'authenticated'] }));
const tables = ['near', 'kept', 'written'].map((name) => ({ name, ...open }));
expect((await project.expose({ tables, rpcs })).status).toBe(200);

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly details: string | null;
}

const foreign = 'a change violates a foreign key constraint';
const insertNear = 'insert or update on table "near" violates foreign key constraint "near_dark_id_fkey"';

test.each<[string, string, string, object | undefined, string, string, string, string | null]>([
  [
    'a key that a dark table lacks',
    'POST',
    'near',
    { id: 3, dark_id: 9 },
    'mutation { insertNear(rows: [{ id: 3, darkId: 9 }]) { affectedCount } }',
    '23503',
    insertNear,
    'Key is not present in another table.',
  ],
  [
    'a row that a dark table refers to',
    'DELETE',
    'near?id=eq.1',
    undefined,
    'mutation { deleteNear(where: { id: { eq: 1 } }) { affectedCount } }',
    '23503',
    foreign,
    'Key is still referenced from another table.',
  ],
  [
    'a null in a dark table',
    'POST',
    'written',
    { id: 5, word: null },
    'mutation { insertWritten(rows: [{ id: 5, word: null }]) { affectedCount } }',
    '23502',
    'null value in a column violates a not-null constraint',
    null,
  ],
  [
    'a word that a dark table has',
    'POST',
    'written',
    { id: 5, word: 'one' },
    'mutation { insertWritten(rows: [{ id: 5, word: "one" }]) { affectedCount } }',
    '23505',
    'duplicate key value violates a unique constraint',
    null,
  ],
  [
    'a word that a dark table refuses',
    'POST',
    'written',
    { id: 5, word: 'no' },
    'mutation { insertWritten(rows: [{ id: 5, word: "no" }]) { affectedCount } }',
    '23514',
    'a new row violates a check constraint',
    null,
  ],
  ['a read of a dark table', 'GET', 'rpc/read_dark', undefined, '{ readDark }', '42501', 'permission denied', null],
])(
  '%s is refused without its name, at every door',
  async (_case, method, path, body, query, code, message, details) => {
    const options = body === undefined ? {} : { body };
    const { body: refused } = (await project.anon(method, path, options)) as { body: Refused };
    expect({ code: refused.code, message: refused.message, details: refused.details }).toEqual({
      code,
      message,
      details,
    });
    const anon = service.actors.apikey(project.anonKey);
    const path2 = `/projects/v1/${project.projectId}/graphql`;
    // A function that may change something is a mutation.
    const asked = query === '{ readDark }' ? `mutation ${query}` : query;
    const graph = await service.call<{ errors: { message: string }[] }>(anon, 'POST', path2, {
      body: { query: asked },
    });
    expect(graph.body.errors[0]).toMatchObject({
      message,
      extensions: { details: { sqlstate: code, detail: details } },
    });
    expect(graph.text).not.toMatch(/dark"|dark_word|dark_pkey|dark_near/);
  },
);

test('tables that are seen are named, and so are all of them to the service key', async () => {
  expect((await project.anon('POST', 'kept', { body: { id: 2, near_id: 9 } })).body).toMatchObject({
    message: 'insert or update on table "kept" violates foreign key constraint "kept_near_id_fkey"',
    details: 'Key is not present in table "near".',
  });
  expect((await project.anon('DELETE', 'near?id=eq.2')).body).toMatchObject({
    message: 'update or delete on table "near" violates foreign key constraint "kept_near_id_fkey" on table "kept"',
    details: 'Key is still referenced from table "kept".',
  });
  expect((await project.anon('POST', 'kept', { body: { id: 1 } })).body).toMatchObject({
    message: 'duplicate key value violates unique constraint "kept_pkey"',
  });
  expect((await project.admin('POST', 'near', { body: { id: 3, dark_id: 9 } })).body).toMatchObject({
    message: insertNear,
    details: 'Key (dark_id)=(9) is not present in table "dark".',
  });
  expect((await project.admin('DELETE', 'near?id=eq.1')).body).toMatchObject({
    message: expect.stringContaining('on table "dark"'),
  });
});

test('what a function says of its own is its own', async () => {
  expect((await project.anon('POST', 'rpc/raise_own', { body: {} })).body).toMatchObject({
    code: '23503',
    message: 'dark and mine',
    details: 'mine too',
  });
});
