import { afterAll, describe, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { dataOf, graphProject } from './graph-project.ts';

const service = await startService();
const project = await graphProject(
  service,
  `create table people (id int primary key, email text);
   insert into people values (1, null), (2, 'b'), (3, null), (4, 'd');
   alter table people add constraint nn not null email not valid;
   create domain word as text not null;
   create table words (id int primary key, word word);
   insert into words values (1, 'one'), (2, (select word from words where false));
   create view outer_words as select p.id, w.word from people p left join words w on w.id = p.id and w.id = 1;
   create materialized view kept_words as select * from outer_words;
   create table parents (id int primary key, name text constraint own not null no inherit);
   create table kids (age int) inherits (parents);
   insert into parents values (1, 'a');
   insert into kids values (2, null, 7), (1, 'again', 8);
   create table parts (id int not null, name text not null, primary key (id)) partition by range (id);
   create table parts_low partition of parts for values from (0) to (100);
   insert into parts values (1, 'a');
   create table certain (id int primary key, name text not null);
   insert into certain values (1, 'a');
   create function hidden() returns setof certain language sql stable as 'select 1, null::text';
   create function hide() returns setof certain language sql as $$ insert into certain values (9, 'x') returning id, null::text $$;
   create type mood as enum ('sad');
   create function relabel() returns mood language plpgsql security definer as $$ begin
     insert into certain values (10, 'y');
     alter type mood rename value 'sad' to 'glad';
     return 'glad'::mood;
   end $$`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});
const { all } = project;

const typeOf = async (table: string, field: string): Promise<unknown> => {
  const { __type } = dataOf(await all(`{ __type(name: "${table}") { fields { name type { kind } } } }`));
  return __type.fields.find(({ name }: { name: string }) => name === field).type.kind;
};

describe('a column may be null', () => {
  test.each([
    ['by a constraint that is not valid', 'People', 'email', 'people', 4],
    ['by a domain', 'Words', 'word', 'words', 2],
    ['of a view over an outer join', 'OuterWords', 'word', 'outerWords', 4],
    ['of a materialized view', 'KeptWords', 'word', 'keptWords', 4],
    ['by a constraint that is not inherited', 'Parents', 'name', 'parents', 3],
  ])('%s', async (_why, type, column, list, count) => {
    expect(await typeOf(type, column)).not.toBe('NON_NULL');
    for (const way of ['ASC', 'DESC', 'ASC_NULLS_FIRST', 'DESC_NULLS_LAST']) {
      const seen: unknown[] = [];
      for (let after: string | null = null; ; ) {
        const args = `first: 1, orderBy: [{ ${column}: ${way} }]${after === null ? '' : `, after: "${after}"`}`;
        const { page } = dataOf(
          await all(`{ page: ${list}(${args}) { nodes { id ${column} } pageInfo { endCursor hasNextPage } } }`),
        );
        seen.push(...page.nodes);
        if (!page.pageInfo.hasNextPage) break;
        after = page.pageInfo.endCursor;
      }
      expect(seen).toHaveLength(count);
    }
  });
});

test('a constraint that is checked for every row makes a field that is never null', async () => {
  for (const type of ['People', 'Parts', 'Certain']) expect(await typeOf(type, 'id')).toBe('NON_NULL');
  for (const type of ['Parts', 'Certain']) expect(await typeOf(type, 'name')).toBe('NON_NULL');
});

test('a list of a table with heirs shows every row, whatever keys they share', async () => {
  const first = dataOf(await all('{ parents(first: 2) { nodes { id } pageInfo { endCursor } } }')).parents;
  const rest = dataOf(
    await all(`{ parents(first: 2, after: "${first.pageInfo.endCursor}") { nodes { id } } }`),
  ).parents;
  expect([...first.nodes, ...rest.nodes].map(({ id }: { id: number }) => id).sort()).toEqual([1, 1, 2]);
});

test('a row of a function that its table forbids is refused by the name of its column', async () => {
  const { errors } = await all('{ hidden { nodes { id name } } }');
  expect(errors).toMatchObject([{ extensions: { code: 'SQL_ERROR', mutation_state: 'none' } }]);
  expect(errors![0]!.message).toContain('name');
  expect(dataOf(await all('{ hidden { nodes { id } } }'))).toEqual({ hidden: { nodes: [{ id: 1 }] } });
});

test('a change that is made is told as made, though its answer cannot be shown', async () => {
  const made = { code: 'SQL_ERROR', mutation_state: 'committed', retryable: false, safe_to_retry: false };
  expect((await all('mutation { hide { nodes { id name } } }')).errors).toMatchObject([{ extensions: made }]);
  expect(await project.sql('select from certain where id = 9')).toHaveLength(1);
  // A label that the schema of the request does not know.
  expect((await all('mutation { relabel }')).errors).toMatchObject([{ extensions: made }]);
  expect(await project.sql('select from certain where id = 10')).toHaveLength(1);
});
