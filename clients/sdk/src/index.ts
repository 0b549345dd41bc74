export { type CiDelegation, type SignedCiDelegation, signCiDelegation } from './ci-delegation.ts';

import { type CallOptions, type Connection, type ConnectionOptions, connect } from './connection.ts';
import { type DocumentArgs, type GraphQLDocument, type GraphQLOptions, graphql } from './graphql.ts';
import { type LiveEvent, type LiveInput, live } from './live.ts';
import { type Namespaces, namespaces } from './namespaces.ts';
import { type RestOptions, type Rows, type RpcOptions, rest, rpc } from './rows.ts';
import { type SubscribeOptions, subscribe } from './subscribe.ts';
import { type UploadContentInput, type UploadedContent, uploadContent } from './upload-content.ts';
import { type WatchErrorsInput, type WatchedErrors, watchErrors } from './watch-errors.ts';

export type {
  Answer,
  CallOptions,
  Connection,
  ConnectionOptions,
  Outgoing,
  RetryOptions,
  SocketLike,
  SocketMaker,
} from './connection.ts';
export { connect } from './connection.ts';
export { type ContentBytes, contentFile } from './content-file.ts';
export * from './credentials.ts';
export {
  type ErrorCode,
  type ErrorEnvelope,
  type ErrorKind,
  isSvcError,
  type MutationState,
  type NextAction,
  SvcError,
} from './errors.ts';
export {
  type DocumentArgs,
  type GraphQLDocument,
  type GraphQLFailure,
  type GraphQLOptions,
  gql,
  graphql,
  SvcGraphQLError,
  type TypedDocument,
} from './graphql.ts';
export * from './invite-key.ts';
export * from './live.ts';
export type { Args, BytesMethod, ListMethod, Method, MethodSpec } from './method.ts';
export * from './namespaces.ts';
export * from './payment.ts';
export * from './project-user.ts';
export * from './rows.ts';
export type { SocketState } from './socket.ts';
export { type Follower, type SubscribeOptions, subscribe } from './subscribe.ts';
export type * from './types.ts';
export {
  type ContentSource,
  type UploadContentInput,
  type UploadedContent,
  type UploadProgress,
  uploadContent,
} from './upload-content.ts';
export * from './wallet.ts';
export * from './watch-errors.ts';

/** Everything of a gateway: its operations in their namespaces, and what is done by other means. */
export interface Client extends Namespaces {
  /** The gateway and its caller; what is imported by itself takes it. */
  readonly connection: Connection;
  /** Runs a query or a mutation. @throws SvcGraphQLError */
  readonly graphql: <Result, Variables = Record<string, unknown>>(
    document: GraphQLDocument<Result, Variables>,
    ...args: DocumentArgs<Variables, GraphQLOptions>
  ) => Promise<Result>;
  /** Follows a subscription of one’s own; with a variable `$after` and a selected `cursor` it resumes. */
  readonly subscribe: <Result, Variables = Record<string, unknown>>(
    document: GraphQLDocument<Result, Variables>,
    ...args: DocumentArgs<Variables, SubscribeOptions>
  ) => AsyncGenerator<Result, void, undefined>;
  /** Rows of a table or a view of the project whose key the connection has. */
  readonly rest: <Row = Record<string, unknown>>(table: string, options?: RestOptions) => Rows<Row>;
  /** Calls a function of that project’s. */
  readonly rpc: <Result = unknown>(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: RpcOptions,
  ) => Promise<Result>;
  /** Follows what changes in live tables of a project. */
  readonly live: (input: LiveInput, options?: CallOptions) => AsyncGenerator<LiveEvent, void, undefined>;
  /** Makes bytes a project's: sends those that it does not hold, in parts, and goes on where it broke off. */
  readonly uploadContent: (input: UploadContentInput, options?: CallOptions) => Promise<UploadedContent[]>;
  /** Watches a release for failures that are new with it. */
  readonly watchErrors: (input: WatchErrorsInput, options?: CallOptions) => Promise<WatchedErrors>;
}

/** Everything of a gateway at once. Programs that have to be small `connect` and import namespaces one by one. */
export function createClient(options: ConnectionOptions): Client {
  const connection = connect(options);
  return {
    connection,
    ...namespaces(connection),
    graphql: (document, ...args) => graphql(connection, document, ...args),
    subscribe: (document, ...args) => subscribe(connection, document, ...args),
    rest: (table, options) => rest(connection, table, options),
    rpc: (name, args, options) => rpc(connection, name, args, options),
    live: (input, options) => live(connection, input, options),
    uploadContent: (input, options) => uploadContent(connection, input, options),
    watchErrors: (input, options) => watchErrors(connection, input, options),
  };
}
