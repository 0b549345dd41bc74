import { GraphQLError } from 'graphql';
import { type ErrorCode, rowOf } from '../core/error-codes.ts';

/**
 * An error of a request that was never begun gives its status to the answer, but not under `application/json`, whose
 * clients take another status than 200 for a broken transport. GraphQL over HTTP, section 6.4.
 */
export function withStatus({ message, nodes, source, positions, path, extensions }: GraphQLError): GraphQLError {
  const { status } = rowOf(extensions.code as ErrorCode);
  const http = { status, spec: true };
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { http, ...extensions } });
}
