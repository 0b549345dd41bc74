import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { rowsProject } from './rows-project.ts';

const service = await startService();
const project = await rowsProject(
  service,
  `create table first (id int primary key); create table given (id int primary key);
   create function counted() returns int language sql as 'select 1';
   revoke execute on function counted() from public`,
);
// With an allowance of its own: how often a schema is read again over what was missed is bounded for each project.
const changing = await rowsProject(
  service,
  `create table turned (id int primary key, a text); insert into turned values (1, '2');
   create function twice(n int) returns text language sql as 'select repeat(n::text, 2)'`,
);
afterAll(async () => {
  await Promise.all([project.end(), changing.end()]);
  await service.stop();
});

const { admin, sql } = project;

test('what SQL makes is there for the next request', async () => {
  expect((await admin('GET', 'first')).status).toBe(200);
  expect((await admin('GET', 'second')).status).toBe(404);
  await sql('create table second (id int primary key, first_id int); grant all on second to service_role');
  expect((await admin('GET', 'second')).status).toBe(200);
  expect((await admin('POST', 'second', { body: { id: 1, name: 'x' } })).status).toBe(400);
  await sql('alter table second add name text');
  expect((await admin('POST', 'second', { body: { id: 1, name: 'x' } })).status).toBe(201);
  expect((await admin('GET', 'second?select=first(id)')).status).toBe(400);
  await sql('alter table second add foreign key (first_id) references first');
  expect((await admin('GET', 'second?select=first(id)')).body).toEqual([{ first: null }]);
  expect((await admin('POST', 'rpc/made', { body: {} })).status).toBe(404);
  await sql("create function made() returns text language sql as 'select $$yes$$'");
  expect((await admin('POST', 'rpc/made', { body: {} })).body).toBe('yes');
});

test('a shape of request survives a change of the table it reads', async () => {
  await sql(
    'create table wide (id int primary key, a int); insert into wide values (1, 2); grant all on wide to service_role',
  );
  for (let round = 0; round < 4; round++) expect((await admin('GET', 'wide')).body).toEqual([{ id: 1, a: 2 }]);
  await sql('alter table wide add b text; alter table wide alter a type text');
  for (let round = 0; round < 4; round++)
    expect((await admin('GET', 'wide')).body).toEqual([{ id: 1, a: '2', b: null }]);
  await sql('drop table wide');
  expect(await admin('GET', 'wide')).toMatchObject({ status: 404, body: { code: 'PGRST205' } });
});

test('values are written as what their column, their argument and its function are by now', async () => {
  const { admin, sql } = changing;
  const body = { a: 3 };
  expect((await admin('PATCH', 'turned?id=eq.1', { body })).status).toBe(204);
  expect((await admin('POST', 'rpc/twice', { body: { n: 1 } })).body).toBe('11');
  await sql(`alter table turned alter a type int using a::int; drop function twice;
    create function twice(n text) returns text language sql as 'select n || n'`);
  expect((await admin('PATCH', 'turned?id=eq.1', { body })).status).toBe(204);
  expect((await admin('POST', 'rpc/twice', { body: { n: 'a' } })).body).toBe('aa');
  expect((await admin('GET', 'turned')).body).toEqual([{ id: 1, a: 3 }]);
});

test('names that are tried at random do not make the schema read again and again', async () => {
  const sent = await service.statements(async () => {
    for (let round = 0; round < 60; round++) await admin('GET', `guess_${round}`);
  });
  expect(sent.filter((text) => text.includes('pg_constraint')).length).toBeLessThan(20);
});

test('a right that was given past the gateway holds at once, and so does one that was taken', async () => {
  expect(await project.open('GET', 'given')).toMatchObject({ status: 403, body: { code: 'TABLE_NOT_EXPOSED' } });
  expect(await project.open('POST', 'rpc/counted', { body: {} })).toMatchObject({ status: 403 });
  await project.sql('grant select on given to anon; grant execute on function counted() to anon');
  expect(await project.open('GET', 'given')).toMatchObject({ status: 200, body: [] });
  expect(await project.open('POST', 'rpc/counted', { body: {} })).toMatchObject({ status: 200, body: 1 });
  await project.sql('revoke all on given from anon; revoke execute on function counted() from anon');
  expect(await project.open('GET', 'given')).toMatchObject({ status: 403, body: { code: 'TABLE_NOT_EXPOSED' } });
  expect(await project.open('POST', 'rpc/counted', { body: {} })).toMatchObject({ status: 403 });
});
