import fc from 'fast-check';
import { type GraphQLSchema, getOperationAST, getVariableValues, parse, validate, validateSchema } from 'graphql';
import { expect, test } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { RowError } from '../../engines/rows/errors.ts';
import { graphModelOf } from '../../engines/rows/graph/model.ts';
import { planRoot } from '../../engines/rows/graph/plan-root.ts';
import type { Catalog, CatalogColumn } from '../../engines/rows/schema/catalog.ts';
import { schemaCacheOf } from '../../engines/rows/schema/load.ts';
import { buildSchema } from '../../schema/project/build-schema.ts';
import { askedOf, fragmentsOf } from '../../schema/project/collect.ts';
import { wholly } from '../helpers/wholly.ts';
import { tokens } from '../rows/injection.ts';

/*
 * No text of a client's, and no name of a tenant's, may become SQL. Statements are taken apart as PostgreSQL would, and
 * must be the same but for what is a name in quotes or a placeholder.
 */

const rights = { service_role: 'rawd', anon: 'rawd' };
const column = (number: number, name: string, type: string): CatalogColumn => ({
  number,
  name,
  type,
  not_null: false,
  default_sql: null,
  generated: false,
  identity: '',
});

interface Named {
  readonly table: string;
  readonly other: string;
  readonly text: string;
  readonly link: string;
  readonly fn: string;
  readonly argument: string;
}

const plain: Named = { table: 'items', other: 'parents', text: 'name', link: 'parent_id', fn: 'fn', argument: 'a' };

const catalogOf = ({ table, other, text, link, fn, argument }: Named): Catalog => ({
  tables: [table, other].map((name, index) => ({
    oid: index + 1,
    name,
    kind: 'r' as const,
    columns: [
      column(1, 'id', 'integer'),
      column(2, text, 'text'),
      column(3, link, 'integer'),
      column(4, 'data', 'jsonb'),
    ],
    access: rights,
    column_access: null,
    writable: 'awd',
  })),
  keys: [
    {
      name: 'a',
      kind: 'p',
      table: 1,
      columns: [1],
      column_names: ['id'],
      other: 0,
      other_columns: null,
      other_names: null,
    },
    {
      name: 'b',
      kind: 'p',
      table: 2,
      columns: [1],
      column_names: ['id'],
      other: 0,
      other_columns: null,
      other_names: null,
    },
    {
      name: 'c',
      kind: 'f',
      table: 1,
      columns: [3],
      column_names: [link],
      other: 2,
      other_columns: [1],
      other_names: ['id'],
    },
  ],
  views: [],
  routines: [
    {
      oid: 9,
      name: fn,
      args: [{ name: argument, type: 'text', mode: 'i' }],
      defaults: 0,
      returns_set: true,
      returns_rows: true,
      returns_table: table,
      returns_void: false,
      volatility: 's',
      returns: 'text',
      callers: ['service_role'],
    },
  ],
  computed: [],
  triggers: false,
  code: false,
});

interface Made {
  readonly schema: GraphQLSchema;
  readonly statements: (query: string, variables: object) => { texts: string[]; values: unknown[] } | undefined;
}

function made(named: Named): Made {
  const cache = schemaCacheOf(catalogOf(named));
  const subscribe = () => {
    throw new Error('Nothing is followed here.');
  };
  const schema = wholly(buildSchema(wholly(graphModelOf(cache, 'service_role')), subscribe));
  const cursors = { seal: () => 'c', open: (_view: string, cursor: string) => cursor };
  return {
    schema,
    statements(query, variables) {
      const document = parse(query);
      expect(validate(schema, document)).toEqual([]);
      const operation = getOperationAST(document)!;
      const given = getVariableValues(schema, operation.variableDefinitions ?? [], variables as never);
      if (given.errors !== undefined) return undefined;
      const collecting = { schema, fragments: fragmentsOf(document.definitions), variables: given.variableValues };
      try {
        const plans = askedOf(collecting, operation).map((asked) =>
          planRoot(
            { cache, role: 'service_role', cursors, whole: { several: false, changes: false, nameBytes: 0 } },
            asked,
          ),
        );
        return {
          texts: plans.map(({ statement }) => statement.text),
          values: plans.flatMap(({ statement }) => statement.values),
        };
      } catch (error) {
        if (error instanceof RowError || error instanceof ServiceError) return undefined;
        throw error;
      }
    },
  };
}

const nasty = fc.oneof(
  fc.constantFrom(
    "'; drop table items; --",
    '"; drop table items; --',
    '\\',
    "\\'",
    '$1',
    '$$',
    '/*',
    '--',
    ';',
    '{"a"}',
    '%',
    '*',
    '',
    '\u0000',
    '__proto__',
    'constructor',
    '数',
    '💥',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);
const harmless = made(plain);

const everything = `query ($t: String!, $l: [String!]!, $j: JSON!, $c: String!) {
  items(where: { or: [{ name: { eq: $t, like: $t, in: $l, match: $t } }, { not: { parent: { some: { name: { gt: $t } } } } }],
    data: { contains: $j } }, orderBy: [{ name: DESC_NULLS_LAST }], after: $c) { totalCount nodes { name parent { items(where: { name: { ilike: $t } }) { totalCount edges { cursor node { id } } } } } }
  fn(args: { a: $t }, where: { name: { eq: $t } }) { nodes { id } }
}`;
const changes = `mutation ($t: String!, $j: JSON!) {
  insertItems(rows: [{ name: $t, data: $j }, { id: 1 }]) { affectedCount rows { id name } }
  upsertItems(rows: [{ id: 1, name: $t }], onConflict: [id]) { affectedCount }
  updateItems(set: { name: $t, data: $j }, where: { name: { eq: $t } }) { rows { parent { name } } }
  deleteItems(where: { parent: { none: { name: { lt: $t } } } }) { affectedCount }
}`;

const variablesOf = (t: string) => ({ t, l: [t, ''], j: { [t]: t }, c: JSON.stringify([t, '1']) });

test('values never change a statement, and arrive as they were', () => {
  fc.assert(
    fc.property(nasty, (value) => {
      for (const query of [everything, changes]) {
        const found = harmless.statements(query, variablesOf(value));
        if (value.includes('\0')) {
          expect(found).toBeUndefined();
          continue;
        }
        expect(found!.texts).toEqual(harmless.statements(query, variablesOf('harmless'))!.texts);
        expect(found!.values).toContain(value);
      }
    }),
    { numRuns: 120 },
  );
});

const names = fc.uniqueArray(
  nasty.filter((name) => name !== '' && name !== '*' && !name.includes('\0')),
  { minLength: 6, maxLength: 6 },
);

test('whatever tables, columns and functions are called, there is a schema, and names stay inside their quotes', () => {
  fc.assert(
    fc.property(names, ([table, other, text, link, fn, argument]) => {
      fc.pre(![text, link].includes('id') && ![text, link].includes('data'));
      const named = { table: table!, other: other!, text: text!, link: link!, fn: fn!, argument: argument! };
      const one = made(named);
      // Built without being checked: so it is checked here.
      expect(validateSchema(one.schema)).toEqual([]);
      const model = wholly(graphModelOf(schemaCacheOf(catalogOf(named)), 'service_role'));
      const first = model.tables.find((each) => each.table.name === table)!;
      const shown = first.columns.map(({ name }) => name);
      const relation = first.relations[0]!;
      const query = `{ ${first.fieldName}(orderBy: [{ ${shown[1]}: ASC }], where: { ${shown[1]}: { eq: "x" }, ${relation.name}: { some: {} } }) {
        totalCount edges { cursor node { ${shown.join(' ')} ${relation.name} { __typename } } } } }`;
      const same = harmless.statements(
        '{ items(orderBy: [{ name: ASC }], where: { name: { eq: "x" }, parent: { some: {} } }) { totalCount edges { cursor node { id name parentId data parent { __typename } } } } }',
        {},
      )!;
      expect(one.statements(query, {})!.texts.map(tokens)).toEqual(same.texts.map(tokens));
      const call = model.queries[0]!;
      const called = one.statements(
        `{ ${call.name}(args: { ${call.arguments[0]!.name}: "x" }) { nodes { __typename } } }`,
        {},
      )!;
      const plainly = harmless.statements('{ fn(args: { a: "x" }) { nodes { __typename } } }', {})!;
      expect(called.texts.map(tokens)).toEqual(plainly.texts.map(tokens));
    }),
    { numRuns: 80 },
  );
});
