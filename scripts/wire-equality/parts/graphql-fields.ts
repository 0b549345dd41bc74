import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  type IntrospectionQuery,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { isGivenAlways, namedSample } from '../samples.ts';
import type { Side } from '../side.ts';

/** How deep objects are selected below a field. Connections take two of them. */
const depthUsual = 3;

/** The schema that a build shows. */
export async function schemaOf(side: Side): Promise<GraphQLSchema> {
  const response = await fetch(`${side.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  return buildClientSchema(((await response.json()) as { data: IntrospectionQuery }).data);
}

/** A value for an argument or a field of an input. @param all whether optional members are given, too */
export function inputSample(type: GraphQLInputType, name: string, where: string, all: boolean): unknown {
  const named = getNamedType(type);
  const one = getNullableType(type);
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter(
      (field) => all || isRequiredInputField(field) || isGivenAlways(field.name, where),
    );
    const value = named.isOneOf
      ? oneMember(Object.values(named.getFields()), where)
      : Object.fromEntries(fields.map((field) => [field.name, inputSample(field.type, field.name, where, all)]));
    return isListType(one) ? [value] : value;
  }
  const sample = namedSample(name, where);
  const given = isEnumType(named) ? choice(named, sample) : (sample ?? plainValue(named));
  return isListType(one) && !Array.isArray(given) ? [given] : given;
}

function choice(type: GraphQLEnumType, wanted: unknown): string {
  const names = type.getValues().map(({ name }) => name);
  return names.find((name) => name === String(wanted).toUpperCase()) ?? names[0]!;
}

const oneMember = (fields: readonly GraphQLInputField[], where: string) =>
  Object.fromEntries(
    fields.slice(0, 1).map((field) => [field.name, inputSample(field.type, field.name, where, false)]),
  );

function plainValue({ name }: GraphQLNamedType): unknown {
  if (name === 'Int' || name === 'Float') return 1;
  if (name === 'Boolean') return true;
  if (name.startsWith('DateTime')) return '2026-01-02T03:04:05Z';
  if (name.startsWith('JSON')) return { wire: true };
  return 'text';
}

export const argumentsOf = (field: GraphQLField<unknown, unknown>, all: boolean): readonly GraphQLArgument[] =>
  field.args.filter(
    (argument) =>
      all ||
      isRequiredArgument(argument) ||
      ['first', 'url'].includes(argument.name) ||
      isGivenAlways(argument.name, field.name),
  );

/** What is selected of a type; undefined for a leaf. */
export function selectionOf(type: GraphQLNamedType, schema: GraphQLSchema, depth = depthUsual): string | undefined {
  if (isLeafType(type)) return undefined;
  if (isAbstractType(type)) {
    const each = schema.getPossibleTypes(type).map((one) => `... on ${one.name} ${leavesOf(one)}`);
    return `{ __typename ${each.join(' ')} }`;
  }
  if (!isObjectType(type)) return undefined;
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some((argument) => isRequiredArgument(argument))) return [];
    const named = getNamedType(field.type);
    const inner = depth > 0 || isLeafType(named) ? selectionOf(named, schema, depth - 1) : '';
    if (inner === '') return [];
    const first = field.args.some(({ name }) => name === 'first') ? '(first: 2)' : '';
    return [`${field.name}${first}${inner === undefined ? '' : ` ${inner}`}`];
  });
  return fields.length === 0 ? '{ __typename }' : `{ ${fields.join(' ')} }`;
}

function leavesOf(type: GraphQLNamedType): string {
  if (!isObjectType(type)) return '{ __typename }';
  const leaves = Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && !field.args.some((one) => isRequiredArgument(one)))
    .map(({ name }) => name)
    // A document has no more than sixty aliases.
    .slice(0, 4)
    // Fields of the same name may have other types on another object.
    .map((name) => `${type.name}_${name}: ${name}`);
  return `{ ${['__typename', ...leaves].join(' ')} }`;
}

/** One field in a document of its own, with variables for its arguments. */
export interface FieldDocument {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

/** @param around what the field is written into, such as `organization(id: "…") { * }` */
export function documentOf(
  kind: 'query' | 'mutation' | 'subscription',
  field: GraphQLField<unknown, unknown>,
  schema: GraphQLSchema,
  { all = false, depth = depthUsual, around = '*' }: { all?: boolean; depth?: number; around?: string } = {},
): FieldDocument {
  const given = argumentsOf(field, all);
  const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  const inner = selectionOf(getNamedType(field.type), schema, depth);
  const call = `${field.name}${passed === '' ? '' : `(${passed})`}${inner === undefined ? '' : ` ${inner}`}`;
  return {
    query: `${kind} Wire${declared === '' ? '' : `(${declared})`} { ${around.replace('*', () => call)} }`,
    variables: Object.fromEntries(
      given.map(({ name, type }) => [name, inputSample(type, name, `${field.name}/`, all)]),
    ),
  };
}
