import fc from 'fast-check';
import { type DocumentNode, parse, print } from 'graphql';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { gql, SvcGraphQLError, type TypedDocument } from '../../clients/sdk/src/index.ts';
import { printDocument } from '../../clients/sdk/src/print-document.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { ownProject } from './sdk-stage.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { client, org, project } = await ownProject(service);

const text = `
  query Rooms($org: ID!, $first: Int = 3, $with: Boolean! = true) @a(on: [1, -2.5, 1e3]) {
    own: organization(id: $org) { ...Facts rooms(first: $first) @include(if: $with) { edges { node { key } } } }
    ... on Query @skip(if: false) { __typename }
    ... { also: x(in: { s: "a \\"quoted\\" \\\\ \\u00e9 line\\nend", n: null, e: RED, l: [], o: {}, b: true }) }
  }
  fragment Facts on Organization { orgId displayName }
  mutation M($l: [ID!]!) { m(l: $l, t: """block "text" here""") }
  subscription S { s { c } }`;

const bare = (document: DocumentNode) => print(document);

test('a parsed document is printed as what it was', () => {
  // As code generators keep it: without where it came from.
  const node = JSON.parse(JSON.stringify(parse(text, { noLocation: true }))) as DocumentNode;
  expect(bare(parse(printDocument(node as never)))).toBe(
    bare(parse(text)).replaceAll(/"""\n?([\s\S]*?)\n?"""/g, (_all, one: string) => JSON.stringify(one.trim())),
  );
});

test('whatever a string holds, it is printed as a string that reads the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const node = {
        kind: 'Document',
        definitions: [
          {
            kind: 'OperationDefinition',
            operation: 'query',
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'f' },
                  arguments: [
                    { kind: 'Argument', name: { kind: 'Name', value: 'a' }, value: { kind: 'StringValue', value } },
                  ],
                },
              ],
            },
          },
        ],
      } as const;
      const [definition] = parse(printDocument(node)).definitions;
      expect(definition).toMatchObject({ selectionSet: { selections: [{ arguments: [{ value: { value } }] }] } });
    }),
  );
});

interface Organization {
  readonly organization: { readonly orgId: string; readonly displayName: string | null } | null;
}

const query = 'query ($id: ID!) { organization(id: $id) { orgId displayName } }';

/** As GraphQL Code Generator writes it with `documentMode: 'string'`. */
class TypedDocumentString<TResult, TVariables> extends String implements TypedDocument<TResult, TVariables> {
  __apiType?: NonNullable<TypedDocument<TResult, TVariables>['__apiType']>;
  readonly #value: string;

  constructor(value: string) {
    super(value);
    this.#value = value;
  }

  override toString(): string & TypedDocument<TResult, TVariables> {
    return this.#value as string & TypedDocument<TResult, TVariables>;
  }
}

test('documents of every make bring their types and are run alike', async () => {
  const generated = new TypedDocumentString<Organization, { id: string }>(query);
  const node = parse(query) as unknown as { kind: 'Document'; definitions: readonly object[] } & TypedDocument<
    Organization,
    { id: string }
  >;
  const own = gql<Organization, { id: string }>(query);
  for (const document of [generated, node, own]) {
    const answer = await client.graphql(document, { id: org });
    expectTypeOf(answer).toEqualTypeOf<Organization>();
    expect(answer).toEqual({ organization: { orgId: org, displayName: 'SDK' } });
  }
  // @ts-expect-error: a document that needs variables is not run without them.
  await expect(client.graphql(generated)).rejects.toBeInstanceOf(SvcGraphQLError);
  expect(await client.graphql<{ viewer: unknown }>('{ __typename }')).toEqual({ __typename: 'Query' });
});

test('a refusal inside an answer is an error, with what came beside it', async () => {
  const error = await client
    .graphql(`{ mine: organization(id: "${org}") { orgId } other: project(id: "prj_0000000000") { projectId } }`)
    .catch((one: unknown) => one);
  expect(error).toBeInstanceOf(SvcGraphQLError);
  expect(error).toMatchObject({
    code: 'NOT_AUTHORIZED',
    status: 200,
    errors: [{ path: ['other'] }],
    data: { mine: { orgId: org }, other: null },
  });
});

test('a mutation is made once under its key', async () => {
  const send = `mutation ($org: ID!, $room: String!) { sendRoomMessage(input: { org: $org, room: $room, body: "once" }) { messageId } }`;
  const run = () => client.graphql(send, { org, room: project }, { idempotencyKey: 'one-mutation' });
  expect(await run()).toEqual(await run());
});
