import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { ResponseBackpressure } from '../../core/response-backpressure.ts';
import { startService } from '../helpers/service.ts';
import { prefer, rowsProject } from './rows-project.ts';

/*
 * A list has a thousand rows unless more are asked for, ten thousand at most, and 16 MiB at most; more bytes are
 * refused by name. PostgreSQL stops with the row that is too much, so it never holds what nobody is given.
 */

const service = await startService();
// However long a test takes, it is not cut off for reading nothing.
for (const { services } of service.nodes)
  Object.assign(services, { responseBackpressure: new ResponseBackpressure({ stallMs: 3_600_000 }) });
const project = await rowsProject(
  service,
  `create table many (id int primary key, parent_id int not null, text text not null);
   insert into many select n, 1, rpad('', 100, 'many rows ') from generate_series(1, 100000) n;
   create table parents (id int primary key);
   insert into parents values (1);
   alter table many add foreign key (parent_id) references parents;
   create index on many (parent_id);
   -- A hundred megabytes as text, next to nothing where it lies: nothing but its text tells how large it is.
   create table wide (id int primary key, parent_id int references parents, text text not null);
   insert into wide select n, 1, repeat('x', 100000) from generate_series(1, 1000) n;
   create function all_of_many() returns setof many language sql stable as 'select * from many';
   create function all_texts() returns setof text language sql stable as 'select text from many';
   create function all_of_wide() returns setof wide language sql stable as 'select * from wide';
   create function one_large() returns text language sql stable as 'select repeat(''x'', 20000000)';
   create table read_once as select id, text from wide;
   grant execute on all functions in schema public to service_role;
   grant select on many, wide to anon;`,
);
const other = await rowsProject(
  service,
  `create table wide as select n as id, repeat('x', 100000) as text from generate_series(1, 150) n`,
);
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});

const { admin, open } = project;
const csv = { headers: { accept: 'text/csv' } };
const range = (answer: { headers: Headers }) => answer.headers.get('content-range');
const refusal = {
  status: 413,
  body: { code: '54000', message: expect.stringContaining('16777216'), hint: expect.any(String), details: null },
};

test.each([
  ['a table', () => open('GET', 'many?limit=100000'), '0-9999/*'],
  ['a table, by the service key', () => admin('GET', 'many?limit=100000'), '0-9999/*'],
  ['a table, by its range', () => admin('GET', 'many', { headers: { range: '0-99999' } }), '0-9999/*'],
  ['a table, counted', () => admin('GET', 'many?limit=100000', prefer('count=exact')), '0-9999/100000'],
  ['a table, unless asked for more', () => admin('GET', 'many'), '0-999/*'],
  ['a table as CSV', () => admin('GET', 'many?limit=100000', csv), '0-9999/*'],
  ['the rows of a function', () => admin('POST', 'rpc/all_of_many?limit=100000', { body: {} }), '0-9999/*'],
  ['the values of a function', () => admin('GET', 'rpc/all_texts?limit=100000'), '0-9999/*'],
  ['the values of a function, unless asked for more', () => admin('GET', 'rpc/all_texts'), '0-999/*'],
  ['the values of a function, by their page', () => admin('GET', 'rpc/all_texts?limit=2&offset=5'), '5-6/*'],
])('of a hundred thousand rows %s gives ten thousand at most', async (_case, run, expected) => {
  const answer = await run();
  expect([200, 206]).toContain(answer.status);
  expect(range(answer)).toBe(expected);
});

test('a list that is embedded has a thousand rows, and ten thousand at most', async () => {
  const embedded = async (search: string) =>
    (await admin<{ many: unknown[] }[]>('GET', `parents?select=id,many(id)${search}`)).body[0]!.many.length;
  expect(await embedded('')).toBe(1_000);
  expect(await embedded('&many.limit=100000')).toBe(10_000);
});

test.each([
  ['a table', () => admin('GET', 'wide')],
  ['a table under row security', () => open('GET', 'wide')],
  ['a table as CSV', () => admin('GET', 'wide', csv)],
  [
    'rows without their nulls',
    () => admin('GET', 'wide', { headers: { accept: 'application/vnd.pgrst.array+json;nulls=stripped' } }),
  ],
  ['an embedded list', () => admin('GET', 'parents?select=id,wide(text)')],
  ['an embedded list of all columns', () => admin('GET', 'parents?select=id,wide(*)')],
  ['a spread list', () => admin('GET', 'parents?select=id,...wide(text)')],
  ['what is made of a column', () => admin('GET', 'wide?select=text::bytea')],
  ['the rows of a function', () => admin('POST', 'rpc/all_of_wide', { body: {} })],
  ['one value of a function', () => admin('POST', 'rpc/one_large', { body: {} })],
  [
    'rows that were changed',
    () => admin('PATCH', 'wide', { body: { parent_id: null }, ...prefer('return=representation') }),
  ],
  ['rows that were deleted', () => admin('DELETE', 'wide', prefer('return=representation'))],
])('more bytes than are given at once are refused by name: %s', async (_case, run) => {
  expect(await run()).toMatchObject(refusal);
  const [row] = await project.sql<{ rows: number }>('select count(*)::int as rows from wide where parent_id = 1');
  expect(row!.rows).toBe(1_000);
});

test('a change of as many rows is made when nobody asks to see them', async () => {
  expect((await admin('PATCH', 'wide', { body: { parent_id: 1 } })).status).toBe(204);
  const counted = await admin('PATCH', 'many?id=gt.0', { body: { parent_id: 1 }, ...prefer('count=exact') });
  expect([counted.status, range(counted)]).toEqual([204, '0-99999/100000']);
});

test('the database stops with the row that is too much', async () => {
  expect(await admin('GET', 'read_once')).toMatchObject(refusal);
  const read = async () => {
    const [row] = await project.sql<{ rows: number }>(
      "select seq_tup_read::int as rows from pg_stat_user_tables where relname = 'read_once'",
    );
    return row!.rows;
  };
  // Sixteen mebibytes of rows of a hundred kilobytes; the server tells its statistics a moment later.
  await expect.poll(read).toBeGreaterThan(160);
  expect(await read()).toBeLessThan(180);
});

test('an interval that cannot be is the tenant’s own, and told as such', async () => {
  await project.sql(`create view endless as select make_interval(days => 2147483647) * 2 as time;
    grant select on endless to service_role`);
  await expect.poll(async () => (await admin('GET', 'endless')).body).toMatchObject({ code: '22008' });
});

test('who does not read an answer holds no connection of the project, and only so much memory', async () => {
  const { hostname, port } = new URL(service.url);
  const path = '/admin/v1/rest/wide?limit=150';
  const sockets: Socket[] = [];
  /** Asks, and reads no more than the status. */
  const unread = async () => {
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    const begun = new Promise<string>((resolve) => socket.once('readable', () => resolve(String(socket.read(12)))));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\napikey: ${project.serviceKey}\r\n\r\n`);
    return Number((await begun).slice(-3));
  };
  try {
    const statuses: number[] = [];
    for (let times = 0; times < 5; times++) statuses.push(await unread());
    // Three of fifteen megabytes each, of forty-eight mebibytes.
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const text = `select 1 from pg_stat_activity where usename = '${project.roleName}' and state <> 'idle'`;
    await expect.poll(async () => (await project.sql(text)).length).toBe(0);
    expect(await admin('GET', 'wide?limit=150')).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED', retry_after: 1, details: { limit_bytes: 48 * 1024 * 1024 } },
    });
    // Neither small answers nor those of others wait for them, and what was changed is told.
    expect((await open('GET', 'many?id=eq.1')).status).toBe(200);
    expect((await other.admin('GET', 'wide')).status).toBe(200);
    const changed = await admin('PATCH', 'wide?id=lte.150', {
      body: { parent_id: 1 },
      ...prefer('return=representation'),
    });
    expect(changed.status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await expect.poll(async () => (await admin('GET', 'wide?limit=150')).status).toBe(200);
});
