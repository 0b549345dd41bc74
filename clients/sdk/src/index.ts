import { type CallOptions, type Connection, type ConnectionOptions, connect } from './connection.ts';
import { type DocumentArgs, type GraphQLDocument, type GraphQLOptions, graphql } from './graphql.ts';
import { type LiveInput, live } from './live.ts';
import { namespaces } from './namespaces.ts';
import { type RestOptions, rest, rpc } from './rows.ts';
import { type SubscribeOptions, subscribe } from './subscribe.ts';
import { type WatchErrorsInput, watchErrors } from './watch-errors.ts';

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
export * from './wallet.ts';
export * from './watch-errors.ts';

/** Everything of a gateway at once. Programs that have to be small `connect` and import namespaces one by one. */
export function createClient(options: ConnectionOptions) {
  const connection: Connection = connect(options);
  return {
    connection,
    ...namespaces(connection),
    /** Runs a query or a mutation. @throws SvcGraphQLError */
    graphql: <Result, Variables = Record<string, unknown>>(
      document: GraphQLDocument<Result, Variables>,
      ...args: DocumentArgs<Variables, GraphQLOptions>
    ) => graphql(connection, document, ...args),
    /** Follows a subscription. */
    subscribe: <Result, Variables = Record<string, unknown>>(
      document: GraphQLDocument<Result, Variables>,
      ...args: DocumentArgs<Variables, SubscribeOptions>
    ) => subscribe(connection, document, ...args),
    /** Rows of a table of the project whose key the connection has. */
    rest: <Row = Record<string, unknown>>(table: string, options?: RestOptions) =>
      rest<Row>(connection, table, options),
    /** Calls a function of that project’s. */
    rpc: <Result = unknown>(name: string, args?: Record<string, unknown>, options?: Parameters<typeof rpc>[3]) =>
      rpc<Result>(connection, name, args, options),
    /** Follows what changes in live tables of a project. */
    live: (input: LiveInput, options?: CallOptions) => live(connection, input, options),
    /** Watches a release for failures that are new with it. */
    watchErrors: (input: WatchErrorsInput, options?: CallOptions) => watchErrors(connection, input, options),
  };
}

export type Client = ReturnType<typeof createClient>;
