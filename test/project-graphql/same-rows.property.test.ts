import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { prefer } from '../rows/rows-project.ts';
import { dataOf, graphProject } from './graph-project.ts';

/* One question, asked in both languages: filters of every type, groups of them, orders, related rows and their number. */

const service = await startService();
const project = await graphProject(
  service,
  `create type mood as enum ('sad', 'ok', 'happy');
   create table items (id int primary key, rank int, name text, ok bool, price numeric, score float8, made timestamptz,
     day date, mood mood, big bigint, code uuid, span interval, at time, parent_id int references items);
   create table parts (a int, b text, item_id int references items, primary key (a, b));
   insert into items select n, nullif(n % 5, 0), (array['a', 'B', 'é', 'z%', '_x', 'a*b', '', ' ', 'q"\\,)', null])[n % 10 + 1],
     (array[true, false, null])[n % 3 + 1], n % 7 / 2.0, (array[0.1, -1e300, 1e15, 0.30000000000000004, null])[n % 5 + 1],
     timestamptz '2026-01-01Z' + n % 4 * interval '1 day 0.123456 s', (array[date '2026-01-01', '2026-06-01', null])[n % 3 + 1],
     (array['sad', 'ok', 'happy', null])[n % 4 + 1]::mood, (array[9007199254740993, 1, null])[n % 3 + 1],
     (array['00000000-0000-0000-0000-000000000001', '10000000-0000-0000-0000-000000000001', null])[n % 3 + 1]::uuid,
     (array['1 mon', '30 days', '1 day', null])[n % 4 + 1]::interval, (array['10:00', '11:00:00.5', null])[n % 3 + 1]::time,
     case when n > 5 then n % 5 + 1 end from generate_series(1, 60) n;
   insert into parts select n % 7, 'part ' || n, n % 59 + 1 from generate_series(1, 90) n;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

/** By column how its values are written in GraphQL, and some. */
const columns: Readonly<Record<string, readonly [quoted: boolean, values: readonly string[]]>> = {
  id: [false, ['1', '7', '60']],
  rank: [false, ['0', '2', '4']],
  name: [true, ['a', 'B', 'é', '', ' ', 'z%', 'a*b', 'q"\\,)']],
  price: [true, ['0.5', '2.0', '3']],
  score: [false, ['0.1', '0.30000000000000004', '1e15']],
  made: [true, ['2026-01-02T00:00:00.123456Z', '2026-01-01T00:00:00Z']],
  day: [true, ['2026-01-01', '2026-03-01']],
  mood: [false, ['sad', 'ok', 'happy']],
  big: [true, ['9007199254740993', '1']],
  code: [true, ['00000000-0000-0000-0000-000000000001']],
  span: [true, ['1 mon', '1 day']],
  at: [true, ['10:00:00', '11:00:00']],
};

/** A condition in GraphQL and, as a member of a list of conditions, in the dialect. */
type Both = readonly [graph: string, rest: string];

const inList = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const ofColumn = fc.constantFrom(...Object.keys(columns)).chain((name): fc.Arbitrary<Both> => {
  const [quoted, values] = columns[name]!;
  const graph = (value: string) => (quoted ? JSON.stringify(value) : value);
  const value = fc.constantFrom(...values);
  return fc.oneof(
    fc
      .tuple(fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte'), value)
      .map(([word, one]): Both => [`{ ${name}: { ${word}: ${graph(one)} } }`, `${name}.${word}.${inList(one)}`]),
    fc
      .array(value, { minLength: 1, maxLength: 3 })
      .map((all): Both => [`{ ${name}: { in: [${all.map(graph)}] } }`, `${name}.in.(${all.map(inList)})`]),
    fc.boolean().map((is): Both => [`{ ${name}: { isNull: ${is} } }`, `${name}.${is ? '' : 'not.'}is.null`]),
  );
});
const ofText = fc
  .tuple(fc.constantFrom('like', 'ilike'), fc.constantFrom('a%', '%B', '_', '%"%'))
  .map(([word, text]): Both => [`{ name: { ${word}: ${JSON.stringify(text)} } }`, `name.${word}.${inList(text)}`]);
const ofFlag = fc
  .tuple(fc.constantFrom('eq', 'neq'), fc.boolean())
  .map(([word, is]): Both => [`{ ok: { ${word}: ${is} } }`, `ok.${word}.${is}`]);

const { condition } = fc.letrec<{ condition: Both; group: Both }>((tie) => ({
  condition: fc.oneof({ maxDepth: 2 }, ofColumn, ofText, ofFlag, tie('group')),
  group: fc
    .tuple(fc.constantFrom('and', 'or'), fc.boolean(), fc.array(tie('condition'), { minLength: 1, maxLength: 3 }))
    .map(([kind, negated, members]): Both => {
      const graph = `{ ${kind}: [${members.map(([one]) => one)}] }`;
      const rest = `${kind}(${members.map(([, one]) => one)})`;
      return negated ? [`{ not: ${graph} }`, `not.${rest}`] : [graph, rest];
    }),
}));

const ways = fc.constantFrom('ASC', 'DESC', 'ASC_NULLS_FIRST', 'ASC_NULLS_LAST', 'DESC_NULLS_FIRST', 'DESC_NULLS_LAST');
const order = fc.uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(columns)), ways), {
  maxLength: 3,
  selector: ([name]) => name,
});
const wayInRest = (way: string) =>
  way.toLowerCase().replace('_nulls_first', '.nullsfirst').replace('_nulls_last', '.nullslast');

interface Item {
  readonly id: number;
  readonly parent: { readonly id: number } | null;
  readonly parts: { readonly nodes: readonly unknown[] };
}

test('REST and GraphQL answer the same rows, in the same order, with the same related rows and the same number', () =>
  fc.assert(
    fc.asyncProperty(condition, fc.option(condition), order, async (own, ofParent, terms) => {
      const last = terms.at(-1)?.[1].startsWith('DESC') === true ? 'desc' : 'asc';
      const search = new URLSearchParams({
        select: `id,parent:parent_id${ofParent === null ? '' : '!inner'}(id),parts(a,b)`,
        and: `(${own[1]})`,
        ...(ofParent !== null && { 'parent.and': `(${ofParent[1]})` }),
        order: [...terms.map(([name, way]) => `${name}.${wayInRest(way)}`), `id.${last}`].join(','),
        'parts.order': 'b.desc,a.desc',
        'parts.limit': '2',
      });
      const rest = await project.admin('GET', `items?${search}`, prefer('count=exact'));
      expect(rest.body).toBeInstanceOf(Array);
      const related = ofParent === null ? '' : `, parent: { some: ${ofParent[0]} }`;
      const { items } = dataOf(
        await project.all(`{ items(where: { and: [${own[0]}]${related} }, first: 200,
          orderBy: [${terms.map(([name, way]) => `{ ${name}: ${way} }`)}]) {
          totalCount nodes { id parent { id } parts(orderBy: [{ b: DESC }], first: 2) { nodes { a b } } } } }`),
      );
      const nodes = (items.nodes as readonly Item[]).map((item) => ({ ...item, parts: item.parts.nodes }));
      expect(nodes).toEqual(rest.body);
      expect(rest.headers.get('content-range')).toMatch(new RegExp(`/${items.totalCount}$`));
    }),
    { numRuns: 40 },
  ));
