import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../../schema/schema.ts';

/** Values that arguments are filled with: ids that mean something, and ids that do not. */
export interface Pool {
  readonly ids: readonly string[];
  readonly texts: readonly string[];
}

/** Random queries over the whole schema: most fit it, some do not, some are no GraphQL at all. */
export function randomDocument({ ids, texts }: Pool): fc.Arbitrary<string> {
  const value = (type: GraphQLInputType): fc.Arbitrary<string> => {
    if (isNonNullType(type)) return value(type.ofType);
    if (isListType(type)) return fc.array(value(type.ofType), { maxLength: 2 }).map((items) => `[${items.join(', ')}]`);
    if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
    if (isInputObjectType(type)) return fc.constant('{}');
    switch (getNamedType(type).name) {
      case 'Int':
        return fc.constantFrom('1', '2', '5', '50', '0', '-1', '999999');
      case 'Float':
        return fc.constantFrom('1', '0.5');
      case 'Boolean':
        return fc.constantFrom('true', 'false');
      case 'ID':
        return fc.constantFrom(...ids).map((id) => JSON.stringify(id));
      default:
        return fc.constantFrom(...texts).map((text) => JSON.stringify(text));
    }
  };

  const argumentList = (args: readonly GraphQLArgument[]): fc.Arbitrary<string> =>
    fc
      .tuple(
        ...args
          // A held read would hold the test.
          .filter(({ name }) => name !== 'wait')
          .map((arg) =>
            fc.tuple(fc.integer({ min: 0, max: 9 }), value(arg.type)).map(([chance, given]) => {
              const needed = isNonNullType(arg.type);
              return chance < (needed ? 10 : 1) ? `${arg.name}: ${given}` : '';
            }),
          ),
      )
      .map((list) => list.filter((one) => one !== '').join(', '))
      .map((list) => (list === '' ? '' : `(${list})`));

  // To build an arbitrary takes longer than to draw from it: each is built once.
  const built = new Map<string, fc.Arbitrary<string>>();
  const once = (name: string, build: () => fc.Arbitrary<string>): fc.Arbitrary<string> => {
    const known = built.get(name) ?? build();
    built.set(name, known);
    return known;
  };

  const selection = (type: GraphQLObjectType, depth: number): fc.Arbitrary<string> =>
    once(`${type.name} ${depth}`, () => buildSelection(type, depth));

  const buildSelection = (type: GraphQLObjectType, depth: number): fc.Arbitrary<string> => {
    const fields = Object.values(type.getFields()).filter(({ type: of }) => depth > 0 || isLeafType(getNamedType(of)));
    if (fields.length === 0) return fc.constant('{ __typename }');
    const one = fc.constantFrom(...fields).chain((field) =>
      once(`${type.name}.${field.name} ${depth}`, () => {
        const named = getNamedType(field.type);
        const below = isObjectType(named)
          ? selection(named, depth - 1)
          : fc.constant(isLeafType(named) ? '' : '{ __typename ... on Node { id } }');
        return fc
          .tuple(argumentList(field.args), below, fc.integer({ min: 0, max: 19 }))
          .map(([args, inner, chance]) => `${chance === 0 ? 'other: ' : ''}${field.name}${args} ${inner}`);
      }),
    );
    // Fragments merge with what stands beside them; some carry directives, a few belong to another type.
    const wrapped = fc.tuple(one, fc.integer({ min: 0, max: 39 })).map(([field, chance]) => {
      if (chance === 0) return `... @include(if: true) { ${field} }`;
      if (chance === 1) return `... on Node { id __typename }`;
      if (chance < 5) return `... on ${type.name} { ${field} }`;
      return chance < 8 ? `... { ${field} ${field} }` : chance === 8 ? `${field} __typename` : field;
    });
    return fc.array(wrapped, { minLength: 1, maxLength: 3 }).map((list) => `{ ${list.join(' ')} }`);
  };

  const query = selection(schema.getQueryType()!, 4);
  const broken = fc
    .tuple(query, fc.nat(), fc.constantFrom('', '{', '}', ' $', 'nope', '"', '@skip(if: 1) '))
    .map(([text, at, junk]) => `${text.slice(0, at % text.length)}${junk}${text.slice((at % text.length) + 1)}`);
  return fc.oneof({ arbitrary: query, weight: 9 }, { arbitrary: broken, weight: 1 });
}
