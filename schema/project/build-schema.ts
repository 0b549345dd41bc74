import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
} from 'graphql';
import type { SlicedWork } from '../../core/slices.ts';
import type { GraphColumn, GraphModel, GraphRoutine, GraphTable } from '../../engines/rows/graph/graph-model.ts';
import type { FieldMeaning, PartName } from '../../engines/rows/graph/selected-field.ts';
import type { GraphEnum, ValueType } from '../../engines/rows/graph/value-types.ts';
import { GatheredObjectType, Joining, joinedSchema } from './gathered-types.ts';
import { InputTypes } from './input-types.ts';
import { liveEventType, type SubscribeTo } from './live-types.ts';
import { scalars } from './scalars.ts';

type Field = GraphQLFieldConfig<unknown, unknown>;
type Fields = GraphQLFieldConfigMap<unknown, unknown>;
type NamedField = readonly [name: string, Field];

const nonNull = (type: GraphQLOutputType) => new GraphQLNonNull(type as GraphQLObjectType);

/**
 * The schema of what one role sees, a table or a type at a time. Names were made to be names; data, not code, is what
 * differs from project to project.
 */
export function* buildSchema(model: GraphModel, subscribe: SubscribeTo): SlicedWork<GraphQLSchema> {
  const joining = new Joining();
  const types = new OutputTypes(joining);
  const queries: NamedField[] = [];
  const mutations: NamedField[] = [];
  const subscriptions: NamedField[] = [];
  for (const table of model.tables) {
    mutations.push(...changesOf(table, types));
    if (table.readable.length > 0) {
      queries.push([table.fieldName, types.list(table, { kind: 'list', table })]);
      const { primaryKey } = table;
      if (primaryKey !== undefined) queries.push([`${table.fieldName}ByPk`, byKey(table, primaryKey, types)]);
      if (table.isLive) subscriptions.push([`${table.fieldName}Hints`, hintsOf(table, subscribe)]);
    }
    yield;
  }
  for (const routine of model.queries) {
    queries.push([routine.name, types.call(routine)]);
    yield;
  }
  for (const routine of model.mutations) {
    mutations.push([routine.name, types.call(routine)]);
    yield;
  }
  // A project may show nothing at all, and a type has a field.
  if (queries.length === 0) queries.push(['_empty', emptyField]);
  const rootType = (name: string, description: string, fields: readonly NamedField[]) =>
    fields.length === 0
      ? null
      : new GatheredObjectType(joining, { name, description, fields: Object.fromEntries(fields) });
  return yield* joinedSchema(joining, {
    query: rootType('Query', 'Everything that can be read.', queries)!,
    mutation: rootType('Mutation', changesWords, mutations),
    subscription: rootType('Subscription', 'Changes of live tables.', subscriptions),
  });
}

const changesWords =
  'Everything that can be changed. The fields of one request are run in order and in one transaction: all or nothing.';

const emptyField: Field = { type: GraphQLBoolean, description: 'Nothing is shown here.', resolve: () => null };

const quoted = ({ table }: GraphTable) => `\`${table.name.replaceAll('`', "'")}\``;

function byKey(table: GraphTable, key: readonly GraphColumn[], types: OutputTypes): Field {
  return {
    type: types.object(table),
    description: `The row of ${quoted(table)} with this primary key; null when it is not there or not to be seen.`,
    args: Object.fromEntries(
      key.map(({ name, value }) => [name, { type: new GraphQLNonNull(types.leaf(value) as GraphQLEnumType) }]),
    ),
    extensions: { meaning: { kind: 'one', table } satisfies FieldMeaning },
  };
}

const hintsOf = (table: GraphTable, subscribe: SubscribeTo): Field => ({
  type: nonNull(liveEventType),
  description: `Tells of changes of ${quoted(table)} as they are committed: what changed, not the rows.`,
  args: { after: { type: GraphQLString, description: 'Cursor to resume after; without one, from now on.' } },
  subscribe: (_root, { after }: { after?: string | null }, request) =>
    subscribe(request, table.table.name, after ?? undefined),
  resolve: (event) => event,
});

function changesOf(table: GraphTable, types: OutputTypes): NamedField[] {
  const { typeName, can } = table;
  const { inputs } = types;
  const field = (
    kind: 'insert' | 'upsert' | 'update' | 'delete',
    description: string,
    args: GraphQLFieldConfigArgumentMap,
  ): NamedField => [
    `${kind}${typeName}`,
    {
      type: nonNull(types.changes(table)),
      description,
      args,
      extensions: { meaning: { kind, table } satisfies FieldMeaning },
    },
  ];
  const required = (type: GraphQLInputType) => new GraphQLNonNull(type as GraphQLInputObjectType);
  const where = () => ({
    type: required(inputs.filter(table)),
    description: 'The rows to change. Only the service key may leave it empty, and means every row.',
  });
  const rows = () => ({
    type: required(new GraphQLList(required(inputs.insert(table)))),
    description: 'The rows. What a row does not name takes its default.',
  });
  const fields: NamedField[] = [];
  if (can.insert) fields.push(field('insert', `Adds rows to ${quoted(table)}.`, { rows: rows() }));
  const { primaryKey, uniques } = table.table;
  if (can.insert && can.update && (primaryKey.length > 0 || uniques.length > 0))
    fields.push(
      field('upsert', `Adds rows to ${quoted(table)}, or changes those that are there.`, {
        rows: rows(),
        onConflict: {
          type: new GraphQLList(required(inputs.column(table))),
          description: 'Columns of a unique key by which a row is found; the primary key unless told.',
        },
        ignoreDuplicates: {
          type: GraphQLBoolean,
          description: 'Leaves rows as they are that are there already. Otherwise they are changed.',
        },
      }),
    );
  if (can.update)
    fields.push(
      field('update', `Changes rows of ${quoted(table)}.`, {
        set: { type: required(inputs.update(table)), description: 'New values by column.' },
        where: where(),
      }),
    );
  if (can.delete && table.readable.length > 0)
    fields.push(field('delete', `Deletes rows of ${quoted(table)}.`, { where: where() }));
  return fields.filter(([name]) => !name.startsWith('update') || table.readable.length > 0);
}

/** The types of answers, each made when it is first needed. */
class OutputTypes {
  readonly inputs: InputTypes;
  readonly #joining: Joining;
  readonly #made = new Map<string, GraphQLObjectType>();
  readonly #enums = new Map<string, GraphQLEnumType>();

  constructor(joining: Joining) {
    this.#joining = joining;
    this.inputs = new InputTypes(joining, (value) => this.leaf(value));
  }

  leaf({ scalar, isList }: ValueType): GraphQLEnumType | GraphQLList<GraphQLEnumType> {
    const type = typeof scalar === 'string' ? scalars[scalar] : this.#enum(scalar);
    return (isList ? new GraphQLList(type) : type) as GraphQLEnumType;
  }

  #enum({ typeName, labels }: GraphEnum): GraphQLEnumType {
    let made = this.#enums.get(typeName);
    if (made === undefined) {
      made = new GraphQLEnumType({
        name: typeName,
        values: Object.fromEntries(labels.map(({ name, label }) => [name, { value: label }])),
      });
      this.#enums.set(typeName, made);
    }
    return made;
  }

  #type(name: string, description: string, fields: () => Fields): GraphQLObjectType {
    let made = this.#made.get(name);
    if (made === undefined) {
      made = new GatheredObjectType(this.#joining, { name, description, fields });
      this.#made.set(name, made);
    }
    return made;
  }

  object(table: GraphTable): GraphQLObjectType {
    return this.#type(table.typeName, `A row of ${quoted(table)}.`, () =>
      Object.fromEntries([
        ...table.readable.map((column) => [column.name, this.#column(column)] as const),
        ...table.relations.map((relation) => {
          const meaning = { kind: 'relation', relation } as const;
          return relation.isToOne
            ? ([
                relation.name,
                {
                  type: this.object(relation.target),
                  description: `The row of ${quoted(relation.target)} that belongs to it.`,
                  extensions: { meaning },
                },
              ] as const)
            : ([relation.name, this.list(relation.target, meaning)] as const);
        }),
      ]),
    );
  }

  #column(column: GraphColumn): Field {
    const type = this.leaf(column.value);
    return {
      type: column.column.nullable ? type : nonNull(type),
      extensions: { meaning: { kind: 'column', column } satisfies FieldMeaning },
    };
  }

  list(table: GraphTable, meaning: FieldMeaning, args: GraphQLFieldConfigArgumentMap = {}): Field {
    return {
      type: nonNull(this.#connection(table)),
      description: `Rows of ${quoted(table)}, a page at a time.`,
      args: { ...args, ...this.inputs.page(table) },
      extensions: { meaning },
    };
  }

  #connection(table: GraphTable): GraphQLObjectType {
    return this.#type(`${table.typeName}Connection`, 'A page of a list.', () => ({
      edges: part('edges', listOf(this.#edge(table)), 'The rows of the page, each with its cursor.'),
      nodes: part('nodes', listOf(this.object(table)), 'The rows of the page.'),
      pageInfo: part('pageInfo', nonNull(pageInfo), 'Where the page ends, and whether there is more.'),
      totalCount: part(
        'totalCount',
        nonNull(GraphQLInt),
        'How many rows there are on all pages; counted when asked for.',
      ),
    }));
  }

  #edge(table: GraphTable): GraphQLObjectType {
    return this.#type(`${table.typeName}Edge`, 'A row of a page.', () => ({
      cursor: part('cursor', nonNull(GraphQLString), 'Where the row stands: for `after` and `before`.'),
      node: part('node', nonNull(this.object(table)), 'The row itself.'),
    }));
  }

  changes(table: GraphTable): GraphQLObjectType {
    return this.#type(`${table.typeName}Changes`, 'What a change came to.', () => ({
      affectedCount: part('affectedCount', nonNull(GraphQLInt), 'How many rows were added, changed or deleted.'),
      ...(table.readable.length === 0
        ? {}
        : {
            rows: part(
              'rows',
              listOf(this.object(table)),
              'These rows, as they are now or were last, in the order of their key.',
            ),
          }),
    }));
  }

  call(routine: GraphRoutine): Field {
    const args: GraphQLFieldConfigArgumentMap =
      routine.arguments.length === 0
        ? {}
        : { args: { type: this.inputs.args(routine), description: 'Arguments of the function.' } };
    const meaning: FieldMeaning = { kind: 'call', routine };
    const { result } = routine;
    const isSet = routine.routine.returnsSet;
    if (result.kind === 'rows' && isSet) return this.list(result.table, meaning, args);
    const one = this.#resultType(routine);
    return {
      type: isSet ? new GraphQLList(one) : one,
      description: `Calls the function \`${routine.routine.name.replaceAll('`', "'")}\`.`,
      args,
      extensions: { meaning },
    };
  }

  #resultType({ result }: GraphRoutine): GraphQLOutputType {
    if (result.kind === 'nothing') return GraphQLBoolean;
    if (result.kind === 'records') return scalars.JSON;
    return result.kind === 'value' ? this.leaf(result.value) : this.object(result.table);
  }
}

const listOf = (type: GraphQLObjectType) => nonNull(new GraphQLList(nonNull(type)));

const part = (kind: PartName, type: GraphQLOutputType, description: string): Field => ({
  type,
  description,
  extensions: { meaning: { kind } satisfies FieldMeaning },
});

const pageInfo = new GraphQLObjectType({
  name: 'PageInfo',
  description: 'Where a page of a connection ends, and whether there is more.',
  fields: {
    hasNextPage: part('hasNextPage', nonNull(GraphQLBoolean), 'Whether rows follow the page.'),
    hasPreviousPage: part('hasPreviousPage', nonNull(GraphQLBoolean), 'Whether rows come before the page.'),
    startCursor: part('startCursor', GraphQLString, 'Cursor of the first row; null for an empty page.'),
    endCursor: part('endCursor', GraphQLString, 'Cursor of the last row; null for an empty page.'),
  },
});
