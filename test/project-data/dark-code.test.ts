import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from '../rows/rows-project.ts';

/*
 * What a project's own functions, triggers and defaults get wrong is told by PostgreSQL with the names of what they
 * asked for. Who may not know of it is told what went wrong, and the service key is told everything.
 */

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table dark (id int primary key, word text);
  insert into dark values (1, 'one');
  create table seen (id int primary key, word text);
  insert into seen values (1, 'one'), (2, 'two');
  create table referring (id int primary key, seen_id int references seen);
  create table noted (id int primary key, seen_id int);
  create table pinned (id int primary key, seen_id int references seen on delete restrict);
  insert into pinned values (1, 2);
  create table dark_wide (word text primary key);
  create table wide (word text);
  create sequence dark_numbers;
  create table numbered (id int default nextval(('dark_' || 'numbers')::regclass), word text);
  create function note() returns trigger language plpgsql security definer as
    $$ begin insert into referring values (new.id, new.seen_id); return new; end $$;
  create trigger note before insert on noted for each row execute function note();
  create function widen() returns trigger language plpgsql security definer as
    $$ begin insert into dark_wide values (new.word); return new; end $$;
  create trigger widen before insert on wide for each row execute function widen();
  create function dark_column() returns int language plpgsql security definer as
    $$ begin perform dark.secret from dark; return 1; end $$;
  create function seen_column() returns int language plpgsql as
    $$ begin update seen set dark_column = 1; return 1; end $$;
  create function gone_table() returns int language plpgsql as
    $$ begin perform 1 from dark_that_was; return 1; end $$;
  create function gone_call() returns int language plpgsql as $$ begin return dark_helper(1); end $$;
  create function dark_call() returns int language plpgsql as $$ begin return dark_column(); end $$;
  create function dark_sequence() returns bigint language plpgsql as $$ begin return nextval('dark_numbers'); end $$;
  create function dark_lock() returns int language plpgsql security definer as
    $$ begin lock table dark in share mode nowait; return 1; end $$;
  create function seen_lock() returns int language plpgsql security definer as
    $$ begin lock table seen in share mode nowait; return 1; end $$;
  create function own_words() returns int language plpgsql as
    $$ begin raise undefined_table using message = 'dark is mine', detail = 'mine too', table = 'dark'; end $$;
  grant select, insert, update, delete on seen, noted, pinned, wide, numbered to anon;
  revoke execute on all functions in schema public from public;
  grant execute on function seen_column, gone_table, gone_call, dark_call, dark_sequence, dark_lock, seen_lock, own_words,
    note, widen to anon;
  grant execute on all functions in schema public to service_role;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const called = (name: string) => ['POST', `rpc/${name}`, {}] as const;

test.each<[string, readonly [string, string, object?], number, string, string]>([
  [
    'a key of a dark table, written by a trigger, that a seen table lacks',
    ['POST', 'noted', { id: 1, seen_id: 99 }],
    409,
    '23503',
    'a change violates a foreign key constraint',
  ],
  [
    'a row too large for an index of a dark table',
    ['POST', 'wide', { word: Array.from({ length: 700 }, (_, at) => (at * 7_919).toString(36)).join() }],
    500,
    '54000',
    'the SQL of the project was refused',
  ],
  [
    'a table that a function looks for',
    called('gone_table'),
    404,
    '42P01',
    'the SQL of the project asks for a relation that does not exist',
  ],
  [
    'a function that a function looks for',
    called('gone_call'),
    404,
    '42883',
    'the SQL of the project calls a function or operator that does not exist',
  ],
  ['a function that a function may not call', called('dark_call'), 401, '42501', 'permission denied'],
  ['a sequence that a function may not use', called('dark_sequence'), 401, '42501', 'permission denied'],
  ['a sequence that a default may not use', ['POST', 'numbered', { word: 'x' }], 401, '42501', 'permission denied'],
])('%s is not named', async (_case, [method, path, body], status, code, message) => {
  const refused = await project.open(method, path, { body });
  expect([refused.status, refused.body]).toEqual([status, { code, message, details: null, hint: null }]);
  const told = await project.admin<{ code: string; message: string }>(method, path, { body });
  // The service key may do more than that; where it is refused as well, it is told everything.
  if (told.status >= 400 && told.body.code !== '23503') expect(told.body.message).toMatch(/dark/);
});

test('a column that a function looks for in a dark table is not named, nor one that it has', async () => {
  await project.sql('grant execute on function dark_column to anon');
  onTestFinished(() => void project.sql('revoke execute on function dark_column from anon'));
  expect((await project.open('POST', 'rpc/dark_column', { body: {} })).body).toEqual({
    code: '42703',
    message: 'the SQL of the project asks for a column that does not exist',
    details: null,
    hint: null,
  });
  expect((await project.admin('POST', 'rpc/dark_column', { body: {} })).body).toMatchObject({
    message: 'column dark.secret does not exist',
  });
});

test('a dark table that a function cannot lock is not named, and a seen one is', async () => {
  const url = new URL(service.control.serverUrl);
  url.pathname = `/${project.databaseName}`;
  const other = new pg.Client({ connectionString: url.href });
  await other.connect();
  try {
    await other.query('begin; lock table dark, seen in row exclusive mode');
    const said = async (name: string) => (await project.open('POST', `rpc/${name}`, { body: {} })).body;
    expect(await said('dark_lock')).toMatchObject({ code: '55P03', message: 'could not obtain a lock' });
    expect(await said('seen_lock')).toMatchObject({
      code: '55P03',
      message: 'could not obtain lock on relation "seen"',
    });
  } finally {
    await other.end();
  }
});

test('what is said of a table that is seen, or by the request itself, is told as the dialect tells it', async () => {
  const said = async (method: string, path: string, body?: object) => {
    const answer = await project.open(method, path, body === undefined ? {} : { body });
    return [answer.status, answer.body];
  };
  expect(await said(...called('seen_column'))).toMatchObject([
    400,
    { code: '42703', message: 'column "dark_column" of relation "seen" does not exist' },
  ]);
  expect(await said('GET', 'seen?select=banana')).toMatchObject([
    400,
    { code: '42703', message: 'column seen.banana does not exist' },
  ]);
  expect(await said(...called('own_words'))).toMatchObject([
    404,
    { code: '42P01', message: 'dark is mine', details: 'mine too' },
  ]);
});

// PostgreSQL 18 has a state of its own for `on delete restrict`; it was 23503 before, which is a conflict.
test('a row that a restricting key holds is a conflict', async () => {
  const refused = await project.open<{ code: string; message: string }>('DELETE', 'seen?id=eq.2');
  expect(refused).toMatchObject({ status: 409, body: { code: expect.stringMatching(/^23(001|503)$/) } });
  expect(refused.body.message).toContain('"pinned"');
});
