import { type Connection, type ConnectionOptions, connect } from './connection.ts';
import { type GraphQLDocument, type GraphQLOptions, graphql } from './graphql.ts';
import { namespaces } from './namespaces.ts';
import { type SubscribeOptions, subscribe } from './subscribe.ts';

export type { Answer, CallOptions, Connection, ConnectionOptions, Outgoing, RetryOptions } from './connection.ts';
export { connect } from './connection.ts';
export * from './credentials.ts';
export * from './errors.ts';
export {
  type GraphQLDocument,
  type GraphQLFailure,
  type GraphQLOptions,
  gql,
  graphql,
  SvcGraphQLError,
  type TypedDocument,
} from './graphql.ts';
export type { Args, BytesMethod, ListMethod, Method, MethodSpec } from './method.ts';
export * from './payment.ts';
export type { SocketState } from './socket.ts';
export { type Follower, type SubscribeOptions, subscribe } from './subscribe.ts';
export * from './wallet.ts';

/** Everything of a gateway at once. Programs that have to be small `connect` and import namespaces one by one. */
export function createClient(options: ConnectionOptions) {
  const connection: Connection = connect(options);
  return {
    connection,
    ...namespaces(connection),
    /** Runs a query or a mutation. @throws SvcGraphQLError */
    graphql: <Result, Variables = Record<string, unknown>>(
      document: GraphQLDocument<Result, Variables>,
      variables?: Variables,
      options?: GraphQLOptions,
    ) => graphql(connection, document, variables, options),
    /** Follows a subscription. */
    subscribe: <Result, Variables = Record<string, unknown>>(
      document: GraphQLDocument<Result, Variables>,
      variables?: Variables,
      options?: SubscribeOptions,
    ) => subscribe(connection, document, variables, options),
  };
}

export type Client = ReturnType<typeof createClient>;
