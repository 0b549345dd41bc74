import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { dataOf, graphProject } from './graph-project.ts';

/*
 * What one request is answered is bounded as a whole, however many fields it asks for and whatever it calls them; and a
 * change that was made is never told as none.
 */

const service = await startService();
const project = await graphProject(
  service,
  `create table wide (id int primary key, seen int not null default 0, text text not null);
   insert into wide (id, text) select n, repeat('x', 100000) from generate_series(1, 100) n;
   create table many (id int primary key);
   insert into many select generate_series(1, 1000);
   create table measures (id int primary key, ratio float8 not null);
   insert into measures values (1, 'NaN');`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { all } = project;
const tooLarge = [expect.objectContaining({ extensions: expect.objectContaining({ sqlstate: '54000' }) })];

test('the fields of one request share what one answer may have', async () => {
  const one = dataOf(await all('{ a: wide(first: 100) { nodes { text } } }'));
  expect(one.a.nodes).toHaveLength(100);
  const several = await all('{ a: wide(first: 100) { nodes { text } } b: wide(first: 100) { nodes { text } } }');
  expect(several).toMatchObject({ data: null, errors: tooLarge });
  const small = dataOf(await all('{ a: wide(first: 80) { nodes { text } } b: wide(first: 80) { nodes { text } } }'));
  expect(small.b.nodes).toHaveLength(80);
});

test('of changes whose answers are too large together none is made', async () => {
  const change = 'updateWide(set: { seen: 1 }, where: { id: { gt: 0 } }) { rows { text } }';
  expect(await all(`mutation { a: ${change} b: ${change} }`)).toMatchObject({ data: null, errors: tooLarge });
  expect(await project.sql('select from wide where seen = 1')).toHaveLength(0);
});

test('a column counts as often as it is shown', async () => {
  const twice = '{ wide(first: 100) { nodes { text again: text } } }';
  expect(await all(twice)).toMatchObject({ data: null, errors: tooLarge });
  const both = '{ wide(first: 100) { nodes { text } edges { node { text } } } }';
  expect(await all(both)).toMatchObject({ data: null, errors: tooLarge });
});

test('names count as well, however little they hold', async () => {
  const answer = await all(`{ many(first: 1000) { nodes { ${'n'.repeat(200_000)}: id } } }`);
  expect(answer).toMatchObject({ data: null, errors: [{ extensions: { code: 'RESULT_TOO_LARGE' } }] });
});

test('a change whose values cannot be shown is told as made', async () => {
  const [error] = (
    await all('mutation { updateMeasures(set: { id: 2 }, where: { id: { eq: 1 } }) { rows { ratio } } }')
  ).errors!;
  expect(error!.extensions).toMatchObject({
    code: 'SQL_ERROR',
    sqlstate: '0A000',
    mutation_state: 'committed',
    safe_to_retry: false,
  });
  expect(await project.sql('select from measures where id = 2')).toHaveLength(1);
  const [read] = (await all('{ measures { nodes { ratio } } }')).errors!;
  expect(read!.extensions).toMatchObject({ sqlstate: '0A000', mutation_state: 'none' });
});
