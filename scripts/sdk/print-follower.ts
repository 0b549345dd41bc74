import { type GraphQLArgument, getNamedType, isEnumType, isListType, isNonNullType, isRequiredArgument } from 'graphql';
import { schema } from '../../schema/schema.ts';
import type { Surface } from '../surfaces.ts';
import { capital, declared, type Printed, source } from './print-source.ts';
import { docOf } from './print-type.ts';
import { graphType, isLoud, loudPaths, selectionOf, selectionText, wordsOf } from './selection.ts';

const fieldOf = (name: string) => {
  const field = schema.getSubscriptionType()?.getFields()[name];
  if (field === undefined) throw new Error(`${name} is no subscription`);
  return field;
};

const isLoudArgument = ({ type }: GraphQLArgument): boolean => {
  const named = getNamedType(type);
  return isEnumType(named) && isLoud(named);
};

function argumentType({ type }: GraphQLArgument): string {
  const named = getNamedType(type);
  const word = isEnumType(named) ? wordsOf(named) : named.name === 'Int' ? 'number' : 'string';
  return isListType(isNonNullType(type) ? type.ofType : type) ? `readonly ${word}[]` : word;
}

/** How an operation's subscriptions are followed. */
export const followSpecs = ({ follows }: Pick<Surface, 'follows'>) =>
  follows.map((name) => {
    const field = fieldOf(name);
    const variables = field.args.map((one) => `$${one.name}:${one.type}`).join(' ');
    const given = field.args.map((one) => `${one.name}:$${one.name}`).join(' ');
    const selected = selectionOf(field.type);
    const loudIn = field.args.filter(isLoudArgument).map((one) => one.name);
    const loudOut = loudPaths(selected);
    return {
      field: name,
      needs: field.args.filter(isRequiredArgument).map((one) => one.name),
      document: `subscription(${variables}){${name}(${given}){${selectionText(selected)}}}`,
      loudIn: loudIn.length === 0 ? undefined : loudIn,
      loudOut: loudOut.length === 0 ? undefined : loudOut,
    };
  });

/** The method of an operation that begins subscriptions. */
export function printFollower({ method, summary, follows }: Surface): Printed {
  const fields = follows.map(fieldOf);
  const [inputName, eventName] = [`${capital(method)}Input`, `${capital(method)}Event`];
  const names = [...new Set(fields.flatMap(({ args }) => args.map(({ name }) => name)))];
  const members = names.map((name) => {
    const own = fields.map(({ args }) => args.find((one) => one.name === name));
    const argument = own.find((one) => one !== undefined)!;
    const isNeeded = own.every((one) => one !== undefined && isRequiredArgument(one));
    const type = argumentType(argument);
    return `${docOf(argument.description ?? undefined, '  ')}  readonly ${name}${isNeeded ? '' : '?'}: ${type}${isNeeded ? '' : ' | undefined'};\n`;
  });
  const types = [...new Set(fields.map(({ type }) => graphType(type, selectionOf(type), '')))];
  const doc = `${fields.map(({ description }) => description).join(' Or: ')}`;
  return {
    types: [
      declared(inputName, summary, `{\n${members.join('')}}`),
      declared(eventName, undefined, types.join(' | ')),
    ].join('\n'),
    entry: `${docOf(doc, '  ')}  ${method}: follower<${inputName}, ${eventName}>(connection, ${source(followSpecs({ follows }))}),\n`,
    uses: ['follower'],
  };
}
