import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { dataOf, graphProject } from './graph-project.ts';

const service = await startService();
const project = await graphProject(
  service,
  `create table authors (id int primary key, name text);
   create table books (id int primary key, author_id int references authors, title text);
   create table pages (id int primary key, book_id int references books);
   insert into authors select n, 'a' || n from generate_series(1, 20) n;
   insert into books select n, n % 20 + 1, 'b' || n from generate_series(1, 100) n;
   insert into pages select n, n % 100 + 1 from generate_series(1, 300) n;
   create function one() returns int language sql stable as 'select 1';`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

/** What is sent to the project: batches begin with the statement that sets role and claims. */
async function sent(query: string): Promise<{ batches: number; statements: number }> {
  const texts = await service.statements(async () => void dataOf(await project.all(query)));
  const batches = texts.filter((text) => text.startsWith('select pg_catalog.num_nulls')).length;
  const others = texts.filter((text) => /svc_answer/.test(text)).length;
  return { batches, statements: others };
}

const deep = `authors(first: 5) { totalCount nodes { name books(first: 5) { totalCount nodes { title author { name }
  pages(first: 5) { edges { cursor node { id book { id } } } pageInfo { hasNextPage } } } } } }`;

test('a field at the root is one statement however deep it goes, and all of a request is one round trip', async () => {
  await sent('{ one }');
  expect(await sent(`{ ${deep} }`)).toEqual({ batches: 1, statements: 1 });
  expect(await sent(`{ a: ${deep} b: ${deep} one books { totalCount } }`)).toEqual({ batches: 1, statements: 4 });
});

test('changes of a request are one round trip as well', async () => {
  expect(
    await sent(`mutation { insertAuthors(rows: [{ id: 100 }]) { rows { books { totalCount } } }
      updateAuthors(set: { name: "x" }, where: { id: { eq: 100 } }) { affectedCount }
      deleteAuthors(where: { id: { eq: 100 } }) { rows { name } } }`),
  ).toEqual({ batches: 1, statements: 3 });
});

test('what asks for the schema alone asks nothing of the database', async () => {
  expect(await sent('{ __typename __schema { queryType { name } } }')).toEqual({ batches: 0, statements: 0 });
});

test('rows are counted only where the count is asked for, and read only where a row is', async () => {
  const textsOf = (query: string) => service.statements(async () => void dataOf(await project.all(query)));
  const [without] = (await textsOf('{ books { nodes { id } } }')).filter((text) => text.includes('svc_answer'));
  expect(without).not.toContain('svc_counted');
  const [only] = (await textsOf('{ books { totalCount } }')).filter((text) => text.includes('svc_answer'));
  expect(only).toContain('svc_counted');
  expect(only).toContain('select 1 limit 0');
});
