import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowPlan } from '../../engines/rows/answer/row-plan.ts';
import { planRows } from '../../engines/rows/plan-rows.ts';
import { rememberedPlan } from '../../engines/rows/remembered-plans.ts';
import type { RowRequest } from '../../engines/rows/request/row-request.ts';
import type { CatalogTable } from '../../engines/rows/schema/catalog.ts';
import { schemaCacheOf } from '../../engines/rows/schema/load.ts';

const tableOf = (oid: number, name: string): CatalogTable => ({
  oid,
  name,
  kind: 'r',
  access: { anon: 'r' },
  columns: ['id', 'name', 'data', 'parent_id'].map((column, index) => ({
    number: index + 1,
    name: column,
    type: column === 'data' ? 'jsonb' : 'text',
    not_null: false,
    default_sql: null,
    generated: false,
    identity: '',
  })),
});
const key = { columns: [4], column_names: ['parent_id'], other: 2, other_columns: [1], other_names: ['id'] };
const cache = schemaCacheOf({
  tables: [tableOf(1, 'items'), tableOf(2, 'parents')],
  keys: [{ ...key, name: 'items_parent', kind: 'f', table: 1 }],
  views: [],
  routines: [],
  computed: [],
  triggers: false,
  code: false,
});

/** Values that look like what stands around them, and like what a shape is remembered by. */
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    ' x ',
    '+',
    '%',
    '%25',
    'a&b',
    'eq.1',
    '(any).1',
    '{a,b}',
    '"q"',
    'null',
    '*',
    '\0',
    "'; drop",
    'svcvalue',
  ),
);
const name = fc.constantFrom(
  'id',
  'name',
  'data->a',
  'data->>b',
  'parents.name',
  'missing',
  'order',
  'limit',
  'select',
  'or',
  'ID',
);
const operator = fc.constantFrom(
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'not.eq',
  'like',
  'in',
  'is',
  'eq(any)',
  'fts',
  'bad',
);
const comparison = fc
  .tuple(name, operator, value, fc.boolean())
  .map(([column, op, text, escaped]) => `${column}=${op}.${escaped ? encodeURIComponent(text.toWellFormed()) : text}`);
const other = fc.constantFrom(
  'select=id,parents(name)',
  'select=*',
  'limit=5',
  'offset=2',
  'order=id',
  'or=(id.eq.1,name.eq.2)',
  '',
);
const search = fc
  .array(fc.oneof({ weight: 3, arbitrary: comparison }, other), { maxLength: 5 })
  .map((parts) => parts.join('&'));
const headers = fc.record({
  accept: fc.constantFrom(undefined, 'text/csv', 'application/vnd.pgrst.object+json', 'image/png'),
  prefer: fc.constantFrom(
    undefined,
    'count=exact',
    'count=planned',
    'count=estimated, handling=strict',
    'timezone=UTC',
  ),
  range: fc.constantFrom(undefined, '0-4', '5-2'),
});

/** All that a plan comes to, or its refusal. */
function told(plan: () => RowPlan) {
  try {
    const { toAnswer, refusalOf: _refusalOf, ...told } = plan();
    return { told, answer: answered(() => toAnswer(['3', '2', '[1,2]', null, null, null, null], 9)) };
  } catch (error) {
    return { refusal: error };
  }
}
const answered = (answer: () => unknown) => {
  try {
    return answer();
  } catch (error) {
    return error;
  }
};

test('a remembered plan is the plan that would have been made, whatever was asked before', () => {
  fc.assert(
    fc.property(fc.constantFrom('GET', 'HEAD'), search, headers, (method, asked, given) => {
      const request: RowRequest = {
        method: method as 'GET',
        target: { kind: 'table', name: 'items' },
        search: asked,
        header: (wanted) => given[wanted as keyof typeof given],
        body: new Uint8Array(),
      };
      const expected = told(() => planRows(request, cache, 'anon'));
      expect(told(() => rememberedPlan(request, cache, 'anon'))).toEqual(expected);
      // Now from memory, where it could be remembered.
      expect(told(() => rememberedPlan(request, cache, 'anon'))).toEqual(expected);
    }),
    { numRuns: 3_000 },
  );
});

test('requests that differ in values alone have one plan, with the values of each', () => {
  const planOf = (asked: string) =>
    rememberedPlan(
      {
        method: 'GET',
        target: { kind: 'table', name: 'items' },
        search: asked,
        header: () => undefined,
        body: new Uint8Array(),
      },
      cache,
      'anon',
    );
  const [first, second] = [planOf('name=eq.a%20b&id=gt.1'), planOf('name=eq.c&id=gt.2')];
  expect(second.toAnswer).toBe(first.toAnswer);
  expect(second.statement.text).toBe(first.statement.text);
  expect(first.statement.values).toEqual(expect.arrayContaining(['a b', '1']));
  expect(second.statement.values).toEqual(expect.arrayContaining(['c', '2']));
});

test('a plan that is remembered for one role is none for another, who may not read the table', () => {
  const request: RowRequest = {
    method: 'GET',
    target: { kind: 'table', name: 'items' },
    search: 'id=eq.7',
    header: () => undefined,
    body: new Uint8Array(),
  };
  expect(rememberedPlan(request, cache, 'anon').statement.values).toContain('7');
  expect(() => rememberedPlan(request, cache, 'authenticated')).toThrow('permission denied for table items');
});
