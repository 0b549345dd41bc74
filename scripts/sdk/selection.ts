import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { docOf } from './print-type.ts';

/** A selected field, with what is selected below it. */
export interface Selected {
  readonly field: GraphQLField<unknown, unknown>;
  readonly below: readonly Selected[];
}

/** What only the answer to a change says. */
const ofAnswers = ['sending', 'arrival', 'alreadyReleased'];

/**
 * What is told of an event: all plain fields, but no lists that are paged and, below the first level, nothing that has an
 * identity of its own and is fetched by it.
 */
export function selectionOf(type: GraphQLOutputType, depth = 0): readonly Selected[] {
  const named = getNamedType(type);
  if (!isObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) => {
    if (field.args.length > 0 || ofAnswers.includes(field.name)) return [];
    const of = getNamedType(field.type);
    if (isScalarType(of) || isEnumType(of)) return [{ field, below: [] }];
    if (!isObjectType(of) || of.name.endsWith('Connection')) return [];
    if (depth > 0 && of.getInterfaces().some(({ name }) => name === 'Node')) return [];
    const below = selectionOf(of, depth + 1);
    return below.length === 0 ? [] : [{ field, below }];
  });
}

/** The text of a selection. */
export const selectionText = (selected: readonly Selected[]): string =>
  selected.map(({ field, below }) => field.name + (below.length === 0 ? '' : `{${selectionText(below)}}`)).join(' ');

/** Whether a word of an enum is the gateway's own word in capitals. */
export function isLoud(type: GraphQLEnumType): boolean {
  for (const { name, value } of type.getValues())
    if (name.toLowerCase() !== value) throw new Error(`${type.name}.${name} is no word of the gateway's in capitals`);
  return true;
}

/** Paths of enums in a selection; lists take no part in a path. */
export const loudPaths = (selected: readonly Selected[], path = ''): readonly string[] =>
  selected.flatMap(({ field, below }) => {
    const of = getNamedType(field.type);
    if (isEnumType(of)) return isLoud(of) ? [path + field.name] : [];
    return loudPaths(below, `${path}${field.name}.`);
  });

const scalars: Readonly<Record<string, string>> = {
  String: 'string',
  ID: 'string',
  DateTime: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  JSON: 'unknown',
  JSONObject: 'Readonly<Record<string, unknown>>',
};

/** The words of an enum as a type. */
export const wordsOf = (type: GraphQLEnumType): string =>
  type
    .getValues()
    .map(({ value }) => `'${value}'`)
    .join(' | ');

/** The type of a value, of which something is selected. */
export function graphType(type: GraphQLOutputType, below: readonly Selected[], indent: string): string {
  const there = thereType(getNullableType(type), below, indent);
  return isNonNullType(type) ? there : `${there} | null`;
}

function thereType(type: GraphQLOutputType, below: readonly Selected[], indent: string): string {
  if (isListType(type)) {
    const item = graphType(type.ofType, below, indent);
    return `readonly ${/\||^readonly /.test(item) && !item.startsWith('{') ? `(${item})` : item}[]`;
  }
  const named = getNamedType(type);
  if (isEnumType(named)) return wordsOf(named);
  if (isScalarType(named)) return scalars[named.name] ?? 'unknown';
  const inner = `${indent}  `;
  const lines = below.map(
    ({ field, below }) =>
      `${docOf(field.description ?? undefined, inner)}${inner}readonly ${field.name}: ${graphType(field.type, below, inner)};\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}
