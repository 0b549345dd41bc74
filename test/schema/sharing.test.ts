import { type DocumentNode, type OperationDefinitionNode, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { sharingKey } from '../../schema/engine/sharing.ts';
import { schema } from '../../schema/schema.ts';

function documentOf(source: string): DocumentNode {
  const document = parse(source);
  expect(validate(schema, document)).toEqual([]);
  return document;
}

const keyOf = (
  document: DocumentNode,
  {
    variables = { org: 'o', room: 'r' },
    audience = 'room',
    name,
  }: { variables?: Record<string, unknown>; audience?: string | undefined; name?: string } = {},
) => {
  const operations = document.definitions.filter(
    (node): node is OperationDefinitionNode => node.kind === 'OperationDefinition',
  );
  const operation = operations.find((node) => name === undefined || node.name?.value === name)!;
  return sharingKey({ schema, document, operation, variables, audience: audience === '' ? undefined : audience });
};

const subscription = (selection: string, { more = '', args = '' } = {}) =>
  `subscription ($org: ID!, $room: String!${more}) { roomMessages(org: $org, room: $room${args}) { ${selection} } }`;

test.each([
  ['columns', 'message { body sender createdAt importance }'],
  ['what is worked out from them', 'cursor reset message { id cursor messageId }'],
  [
    'a list inside a column',
    'message { recipients(first: 2) { edges { name kind ackedAt } pageInfo { hasNextPage } } }',
  ],
  ['the name of a type', '__typename message { __typename }'],
  ['fragments of it', 'message { ... on RoomMessage { body } ... { sender } }'],
])('%s are the same for all', (_what, selection) => {
  expect(keyOf(documentOf(subscription(selection)))).toBeTypeOf('string');
});

test.each([
  ['another object that is loaded for whoever asks', 'message { room { key } }'],
  ['one that stands behind a row', 'message { recipients { edges { node { name } } } }'],
  ['something deep inside', 'message { room { organization { displayName } } }'],
  ['something that only some variables ask for', 'message { body room @skip(if: true) { key } }'],
  ['what an interface shows', 'message { ... on Node { id } }'],
])('%s is not', (_what, selection) => {
  expect(keyOf(documentOf(subscription(selection)))).toBeUndefined();
});

test('a fragment that asks for more than a row is found wherever it is spread', () => {
  const document = documentOf(`
    subscription A ($org: ID!, $room: String!) { roomMessages(org: $org, room: $room) { message { ...Plain } } }
    subscription B ($org: ID!, $room: String!) { roomMessages(org: $org, room: $room) { ...Event } }
    fragment Plain on RoomMessage { body }
    fragment Event on RoomMessageEvent { message { ...Plain ...Nested } }
    fragment Nested on RoomMessage { room { key } }
  `);
  expect(keyOf(document, { name: 'A' })).toBeTypeOf('string');
  expect(keyOf(document, { name: 'B' })).toBeUndefined();
});

test('without an audience nobody shares', () => {
  expect(keyOf(documentOf(subscription('cursor')), { audience: '' })).toBeUndefined();
});

test('document, operation, audience and variables tell keys apart', () => {
  const source = subscription('cursor', { more: ', $n: Int = 5', args: '' }).replace(
    'cursor',
    'message { recipients(first: $n) { edges { name } } }',
  );
  const [one, two] = [documentOf(source), documentOf(source)];
  const org = { org: 'o', room: 'r' };
  const different = [
    keyOf(one),
    keyOf(two),
    keyOf(one, { audience: 'another room' }),
    keyOf(one, { variables: { ...org, org: 'p' } }),
    keyOf(one, { variables: { ...org, n: null } }),
    keyOf(one, { variables: { ...org, n: 5 } }),
  ];
  expect(new Set(different)).toHaveLength(different.length);
  expect(keyOf(one, { variables: { room: 'r', org: 'o', unknown: 1 } })).toBe(keyOf(one));
});

test('variables that only say where one begins and ends are no part of it; those with another use are', () => {
  const more = ', $after: String, $first: Int';
  const args = ', after: $after, first: $first';
  const begins = documentOf(subscription('cursor', { more, args }));
  const at = (after: string, first: number) => ({ variables: { org: 'o', room: 'r', after, first } });
  expect(keyOf(begins, at('a', 1))).toBe(keyOf(begins, at('b', 2)));
  const both = documentOf(subscription('message { recipients(first: $first) { edges { name } } }', { more, args }));
  expect(keyOf(both, at('a', 1))).toBe(keyOf(both, at('b', 1)));
  expect(keyOf(both, at('a', 1))).not.toBe(keyOf(both, at('a', 2)));
});
