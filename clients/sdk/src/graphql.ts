import { randomHex } from './bytes.ts';
import type { CallOptions, Connection } from './connection.ts';
import { answerOf, type ErrorEnvelope, jsonOf, SvcError } from './errors.ts';
import { writeJson } from './exact-json.ts';
import { type DocumentNode, printDocument } from './print-document.ts';

/** What a document answers and takes, as GraphQL Code Generator and `@graphql-typed-document-node/core` say it. */
export interface TypedDocument<Result, Variables> {
  readonly __apiType?: ((variables: Variables) => Result) | undefined;
}

/** A string as an object, as generated documents are that are kept as text. */
interface DocumentText {
  readonly length: number;
  charAt(at: number): string;
  toString(): string;
}

/**
 * A document of any make: its text, a `TypedDocumentString` or a `TypedDocumentNode`. The last two bring their types.
 */
export type GraphQLDocument<Result, Variables> =
  | string
  | (DocumentText & TypedDocument<Result, Variables>)
  | (DocumentNode & TypedDocument<Result, Variables>);

/** Gives the text of a document its types, where nothing generates them. */
export const gql = <Result, Variables = Record<string, never>>(text: string): GraphQLDocument<Result, Variables> =>
  text;

export interface GraphQLOptions extends CallOptions {
  /** The project whose own graph is asked, rather than the platform’s. */
  readonly project?: string | undefined;
  /** The operation of a document that has several. */
  readonly operationName?: string | undefined;
}

/** One error of an answer. */
export interface GraphQLFailure {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** A refusal inside an answer of GraphQL’s: the first of its errors, with all of them and what came beside. */
export class SvcGraphQLError extends SvcError {
  readonly errors: readonly GraphQLFailure[];
  readonly data: unknown;

  constructor(errors: readonly GraphQLFailure[], data?: unknown, status = 200, headers?: Headers) {
    const [first] = errors;
    const { code = 'API_ERROR', ...extensions } = first?.extensions ?? {};
    super({ message: first?.message, ...extensions, code } as unknown as ErrorEnvelope, status, headers);
    this.errors = errors;
    this.data = data;
  }
}

/** Variables of a document, which may be left out where it needs none, and what else can be said. */
export type DocumentArgs<Variables, Options> =
  Record<string, never> extends Variables
    ? [variables?: Variables | undefined, options?: Options]
    : [variables: Variables, options?: Options];

/** The text of a document. */
export const textOf = (document: GraphQLDocument<never, never>): string =>
  typeof document === 'object' && 'kind' in document ? printDocument(document) : String(document);

export const graphPath = (project: string | undefined): string =>
  project === undefined ? '/graphql' : `/projects/v1/${encodeURIComponent(project)}/graphql`;

/**
 * Runs a query or a mutation.
 *
 * @throws SvcGraphQLError when anything in it was refused; `data` of the error is what came all the same
 */
export async function graphql<Result, Variables = Record<string, unknown>>(
  connection: Connection,
  document: GraphQLDocument<Result, Variables>,
  ...[variables, given = {}]: DocumentArgs<Variables, GraphQLOptions>
): Promise<Result> {
  const { project, operationName, idempotencyKey, ...options } = given;
  const query = textOf(document as GraphQLDocument<never, never>);
  // A word too many only makes it more careful.
  const isChange = /\bmutation\b/.test(query);
  const answer = await connection.send({
    ...options,
    // A project's graph makes a change once for each key; the platform's operations take one each.
    idempotencyKey: idempotencyKey ?? (isChange && project !== undefined ? randomHex() : undefined),
    method: 'POST',
    path: graphPath(project),
    body: writeJson({ query, variables, operationName }),
    isChange,
    refusalOf: ({ text, status, headers }) => {
      const answer = jsonOf(text) as { readonly errors?: readonly GraphQLFailure[]; readonly data?: object | null };
      if (answer?.errors === undefined) return undefined;
      const { errors, data } = answer;
      return new SvcGraphQLError(
        isChange && isPartly(errors, data) ? errors.map(unsafe) : errors,
        data,
        status,
        headers,
      );
    },
  });
  return (answerOf(answer) as { readonly data: Result }).data;
}

/** Whether some of the changes of a document were made: the document as a whole is then not to be sent again. */
const isPartly = (errors: readonly GraphQLFailure[], data: object | null | undefined): boolean =>
  Object.keys(data ?? {}).some((field) => !errors.some(({ path }) => path?.[0] === field));

const unsafe = (error: GraphQLFailure): GraphQLFailure => ({
  ...error,
  extensions: { ...error.extensions, safe_to_retry: false, mutation_state: 'partial' },
});
