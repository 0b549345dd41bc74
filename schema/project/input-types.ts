import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  getNamedType,
} from 'graphql';
import type { GraphColumn, GraphRoutine, GraphTable } from '../../engines/rows/graph/graph-model.ts';
import { isOrdered } from '../../engines/rows/graph/model.ts';
import { orders } from '../../engines/rows/graph/paging.ts';
import type { ValueType } from '../../engines/rows/graph/value-types.ts';
import { ValueFilters } from './filters.ts';
import { GatheredInputObjectType, type Joining } from './gathered-types.ts';

type Leaf = (value: ValueType) => GraphQLEnumType | GraphQLList<GraphQLEnumType>;

const orderDirection = new GraphQLEnumType({
  name: 'OrderDirection',
  description: 'Which way a column runs. Without a word of nulls they count as larger than anything.',
  values: Object.fromEntries(Object.keys(orders).map((name) => [name, {}])),
});

/** The types of arguments, each made when it is first needed. */
export class InputTypes {
  readonly #joining: Joining;
  readonly #leaf: Leaf;
  readonly #filters = new ValueFilters();
  readonly #made = new Map<string, GraphQLInputObjectType>();
  readonly #columns = new Map<string, GraphQLEnumType>();

  constructor(joining: Joining, leaf: Leaf) {
    this.#joining = joining;
    this.#leaf = leaf;
  }

  #type(
    name: string,
    description: string,
    fields: () => GraphQLInputFieldConfigMap,
    isOneOf = false,
  ): GraphQLInputObjectType {
    let made = this.#made.get(name);
    if (made === undefined) {
      made = new GatheredInputObjectType(this.#joining, { name, description, fields, isOneOf });
      this.#made.set(name, made);
    }
    return made;
  }

  /** Arguments of a connection. */
  page(table: GraphTable): GraphQLFieldConfigArgumentMap {
    const isSorted = table.readable.some(isOrdered);
    return {
      where: { type: this.filter(table), description: 'Only rows of which this holds.' },
      ...(isSorted
        ? {
            orderBy: {
              type: new GraphQLList(new GraphQLNonNull(this.#order(table))),
              description: 'Columns to order by, the first first.',
            },
          }
        : {}),
      first: { type: GraphQLInt, description: 'Rows on the page: 50 unless told, at most 200.' },
      after: { type: GraphQLString, description: 'Only what comes after this cursor.' },
      last: { type: GraphQLInt, description: 'Rows on a page that is read backwards: the last ones.' },
      before: { type: GraphQLString, description: 'Only what comes before this cursor.' },
    };
  }

  filter(table: GraphTable): GraphQLInputObjectType {
    return this.#type(`${table.typeName}Filter`, 'Conditions on a row; all of them hold.', () => {
      const several = { type: new GraphQLList(new GraphQLNonNull(this.filter(table))) };
      return {
        ...Object.fromEntries(table.readable.map((column) => [column.name, { type: this.#valueFilter(column) }])),
        ...Object.fromEntries(
          table.relations.map(({ name, target }) => [name, { type: this.#relationFilter(target) }]),
        ),
        and: { ...several, description: 'All of these hold.' },
        or: { ...several, description: 'At least one of these holds.' },
        not: { type: this.filter(table), description: 'This does not hold.' },
      };
    });
  }

  #valueFilter({ value }: GraphColumn): GraphQLInputObjectType {
    return this.#filters.of(value, getNamedType(this.#leaf(value)) as GraphQLEnumType);
  }

  #relationFilter(target: GraphTable): GraphQLInputObjectType {
    return this.#type(`${target.typeName}RelationFilter`, 'Conditions on related rows.', () => ({
      some: { type: this.filter(target), description: 'There is a related row of which this holds.' },
      none: { type: this.filter(target), description: 'There is no related row of which this holds.' },
    }));
  }

  #order(table: GraphTable): GraphQLInputObjectType {
    return this.#type(
      `${table.typeName}Order`,
      'A column to order by.',
      () => Object.fromEntries(table.readable.filter(isOrdered).map(({ name }) => [name, { type: orderDirection }])),
      true,
    );
  }

  insert = (table: GraphTable): GraphQLInputObjectType =>
    this.#type(`${table.typeName}Insert`, 'A new row.', () =>
      this.#values(table.columns.filter(({ insertable }) => insertable)),
    );

  update = (table: GraphTable): GraphQLInputObjectType =>
    this.#type(`${table.typeName}Update`, 'New values of a row.', () =>
      this.#values(table.columns.filter(({ updatable }) => updatable)),
    );

  #values(columns: readonly GraphColumn[]): GraphQLInputFieldConfigMap {
    return Object.fromEntries(columns.map(({ name, value }) => [name, { type: this.#leaf(value) }]));
  }

  column(table: GraphTable): GraphQLEnumType {
    let made = this.#columns.get(table.typeName);
    if (made === undefined) {
      made = new GraphQLEnumType({
        name: `${table.typeName}Column`,
        description: 'A column.',
        values: Object.fromEntries(table.columns.map(({ name, column }) => [name, { value: column.name }])),
      });
      this.#columns.set(table.typeName, made);
    }
    return made;
  }

  args({ typeName, arguments: args }: GraphRoutine): GraphQLInputType {
    const type = this.#type(`${typeName}Args`, 'Arguments of a function.', () =>
      Object.fromEntries(
        args.map(({ name, argument, value }) => {
          // Given as null is given, so the type cannot say that it has to be.
          const description = argument.required ? 'Required.' : 'May be left out.';
          return [name, { type: this.#leaf(value), description }];
        }),
      ),
    );
    return args.some(({ argument }) => argument.required) ? new GraphQLNonNull(type) : type;
  }
}
