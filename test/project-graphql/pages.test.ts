import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { dataOf, graphProject } from './graph-project.ts';

const service = await startService();
const project = await graphProject(
  service,
  `create table parents (id int primary key);
   create table items (id int primary key, parent_id int references parents, rank int, name text not null, score float8);
   create table heap (word text, rank int);
   insert into parents select generate_series(1, 3);
   insert into items select n, n % 3 + 1, nullif(n % 5, 0), 'name ' || n % 4, nullif(n % 7, 3) / 3.0 from generate_series(1, 43) n;
   insert into heap select 'word ' || n % 3, n % 2 from generate_series(1, 11) n;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { all } = project;

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: Record<string, unknown> }[];
  readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor', unknown>>;
}
const page = 'edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

async function walk(order: string, size: number, forward: boolean): Promise<unknown[]> {
  const ids: unknown[] = [];
  let cursor: string | undefined;
  for (let round = 0; round < 60; round++) {
    const args = forward
      ? `first: ${size}${cursor === undefined ? '' : `, after: "${cursor}"`}`
      : `last: ${size}${cursor === undefined ? '' : `, before: "${cursor}"`}`;
    const { items } = dataOf(await all(`{ items(${order} ${args}) { ${page} } }`)) as { items: Connection };
    const found = items.edges.map(({ node }) => node.id);
    if (forward) ids.push(...found);
    else ids.unshift(...found);
    const { pageInfo } = items;
    expect(pageInfo.startCursor).toBe(items.edges[0]?.cursor ?? null);
    expect(pageInfo.endCursor).toBe(items.edges.at(-1)?.cursor ?? null);
    expect(forward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage).toBe(round > 0);
    if ((forward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage) === false) return ids;
    cursor = forward ? items.edges.at(-1)!.cursor : items.edges[0]!.cursor;
  }
  throw new Error('There is no end.');
}

const ways = ['ASC', 'ASC_NULLS_FIRST', 'ASC_NULLS_LAST', 'DESC', 'DESC_NULLS_FIRST', 'DESC_NULLS_LAST'];
const inSql: Record<string, string> = Object.fromEntries(ways.map((way) => [way, way.replaceAll('_', ' ')]));

test('pages forward and backward show each row once, whatever is null or equal', async () => {
  const term = fc.tuple(fc.constantFrom('rank', 'name', 'score', 'id'), fc.constantFrom(...ways));
  const terms = fc.uniqueArray(term, { maxLength: 3, selector: ([name]) => name });
  await fc.assert(
    fc.asyncProperty(terms, fc.integer({ min: 1, max: 50 }), fc.boolean(), async (chosen, size, forward) => {
      const order = `orderBy: [${chosen.map(([name, way]) => `{ ${name}: ${way} }`).join(', ')}]`;
      const last = chosen.at(-1)?.[1].startsWith('DESC') === true ? 'desc' : 'asc';
      const sql = [...chosen.map(([name, way]) => `${name} ${inSql[way]}`), `id ${last}`].join(', ');
      const expected = (await project.sql<{ id: number }>(`select id from items order by ${sql}`)).map(({ id }) => id);
      // Few enough requests for a test.
      const pages = Math.max(size, 8);
      expect(await walk(order, pages, forward)).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

test('rows that come and go between pages move no other', async () => {
  const first = dataOf(await all(`{ items(first: 3) { ${page} } }`)).items as Connection;
  await project.sql('insert into items (id, name) values (0, $$new$$)');
  const second = dataOf(await all(`{ items(first: 3, after: "${first.pageInfo.endCursor}") { ${page} } }`)).items;
  expect((second as Connection).edges.map(({ node }) => node.id)).toEqual([4, 5, 6]);
  await project.sql('delete from items where id = 0');
});

test('related rows are paged within each parent', async () => {
  const query = (after: string) =>
    `{ parents { nodes { id items(first: 2, orderBy: [{ rank: DESC }]${after}) { totalCount edges { cursor node { id } } pageInfo { hasNextPage } } } } }`;
  const { parents } = dataOf(await all(query('')));
  const [first] = parents.nodes;
  expect(first.items).toMatchObject({ totalCount: 14, pageInfo: { hasNextPage: true } });
  const next = dataOf(await all(query(`, after: "${first.items.edges[1].cursor}"`))).parents.nodes[0].items;
  const expected = await project.sql<{ id: number }>(
    'select id from items where parent_id = 1 order by rank desc, id desc limit 4',
  );
  expect([...first.items.edges, ...next.edges].map(({ node }) => node.id)).toEqual(expected.map(({ id }) => id));
  expect(next.totalCount).toBe(14);
});

test('rows that nothing tells apart are paged by their number', async () => {
  const words: string[] = [];
  let after = '';
  for (let round = 0; round < 3; round++) {
    const { heap } = dataOf(
      await all(
        `{ heap(first: 4, orderBy: [{ rank: DESC }]${after}) { edges { cursor node { word rank } } pageInfo { hasNextPage hasPreviousPage } } }`,
      ),
    );
    words.push(...heap.edges.map((edge: Connection['edges'][number]) => `${edge.node.rank} ${edge.node.word}`));
    expect(heap.pageInfo).toEqual({ hasNextPage: round < 2, hasPreviousPage: round > 0 });
    after = `, after: "${heap.edges.at(-1).cursor}"`;
  }
  const rows = await project.sql<{ rank: number; word: string }>('select * from heap order by rank desc, word');
  expect(words).toEqual(rows.map(({ rank, word }) => `${rank} ${word}`));
  const back = await all('{ heap(last: 2) { nodes { word } } }');
  expect(back.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'last' } });
});

test('a list is 50 rows unless told, and 200 at most', async () => {
  await project.sql("insert into items select n, null, n, 'x', null from generate_series(1000, 1299) n");
  const count = async (args: string) => dataOf(await all(`{ items${args} { nodes { id } } }`)).items.nodes.length;
  expect(await count('')).toBe(50);
  expect(await count('(first: 500)')).toBe(200);
  expect(await count('(last: 7)')).toBe(7);
  await project.sql('delete from items where id >= 1000');
});

test.each([
  ['first: 0', 'first'],
  ['last: -1', 'last'],
  ['first: 1, last: 1', 'last'],
])('%s is refused', async (args, field) => {
  const { errors } = await all(`{ items(${args}) { nodes { id } } }`);
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details: { field } });
});

test('a cursor of another order, another list or nobody’s making is refused', async () => {
  const { items } = dataOf(await all('{ items(first: 1) { pageInfo { endCursor } } }'));
  const cursor = items.pageInfo.endCursor as string;
  for (const query of [
    `{ items(after: "${cursor}", orderBy: [{ rank: ASC }]) { nodes { id } } }`,
    `{ parents(after: "${cursor}") { nodes { id } } }`,
    `{ items(before: "${cursor.slice(0, -2)}aa") { nodes { id } } }`,
    '{ items(after: "") { nodes { id } } }',
  ]) {
    expect((await all(query)).errors?.[0]?.extensions.code).toBe('INVALID_CURSOR');
  }
});
