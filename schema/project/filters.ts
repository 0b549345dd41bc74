import {
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
} from 'graphql';
import type { Comparable, ValueType } from '../../engines/rows/graph/value-types.ts';

const words = {
  eq: 'Equal.',
  neq: 'Not equal; what is null is neither.',
  gt: 'Greater.',
  gte: 'Greater or equal.',
  lt: 'Less.',
  lte: 'Less or equal.',
  in: 'One of these.',
  like: 'Matches a pattern of SQL: `%` is any text, `_` any character.',
  ilike: 'The same, whatever the case.',
  match: 'Matches a regular expression of PostgreSQL.',
  imatch: 'The same, whatever the case.',
  contains: 'Contains all of this.',
  containedBy: 'Has nothing that is not in this.',
  overlaps: 'Has something in common with this.',
  isNull: 'Whether it is null.',
} as const;

type Operator = keyof typeof words;

const equality = ['eq', 'neq', 'in'] as const;
const order = [...equality, 'gt', 'gte', 'lt', 'lte'] as const;
const operators: Readonly<Record<Comparable, readonly Operator[]>> = {
  presence: [],
  equality,
  order,
  text: [...order, 'like', 'ilike', 'match', 'imatch'],
  document: ['eq', 'neq', 'contains', 'containedBy'],
};
const listOperators: readonly Operator[] = ['eq', 'neq', 'contains', 'containedBy', 'overlaps'];

/** Filters by what can be asked: one type for all columns of which the same can be. */
export class ValueFilters {
  readonly #made = new Map<string, GraphQLInputObjectType>();

  of({ isList, comparable }: ValueType, type: GraphQLScalarType | GraphQLEnumType): GraphQLInputObjectType {
    const name = nameOf(type.name, isList, comparable);
    let made = this.#made.get(name);
    if (made === undefined) {
      made = filterType(name, isList ? listed(comparable) : operators[comparable], (operator) =>
        isList || operator === 'in' ? new GraphQLList(new GraphQLNonNull(type)) : type,
      );
      this.#made.set(name, made);
    }
    return made;
  }
}

/** Lists of what cannot be compared cannot be either. */
const listed = (comparable: Comparable) => (comparable === 'presence' ? [] : listOperators);

function nameOf(type: string, isList: boolean, comparable: Comparable): string {
  if (comparable === 'presence') return 'NullFilter';
  if (isList) return `${type}ListFilter`;
  return type === 'String' && comparable !== 'text' ? 'PlainTextFilter' : `${type}Filter`;
}

const filterType = (name: string, offered: readonly Operator[], typeFor: (operator: Operator) => GraphQLInputType) =>
  new GraphQLInputObjectType({
    name,
    description: 'Conditions on a value; all of them hold.',
    fields: Object.fromEntries([
      ...offered.map((operator) => [operator, { type: typeFor(operator), description: words[operator] }] as const),
      ['isNull', { type: GraphQLBoolean, description: words.isNull }],
    ]),
  });
