import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { type ErrorEnvelope, ServiceError, toEnvelope } from '../../core/errors.ts';
import { ReplayedRefusal } from '../../kernel/durability/idempotency.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import { correlate, type IncidentWatch, projectConcerned } from '../../kernel/run/correlation.ts';
import { PaymentRequired } from '../../resolvers/payments/payment-required.ts';

/** The same envelope as REST, as the extensions of a GraphQL error. */
function withEnvelope(error: GraphQLError, envelope: ErrorEnvelope): GraphQLError {
  const { error: _label, message, ...extensions } = envelope;
  return new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: { ...http(error), ...extensions },
  });
}

/** Status and headers that the HTTP surface is to send, where a refusal asks for some. */
const http = ({ extensions }: GraphQLError) => (extensions.http === undefined ? {} : { http: extensions.http });

/** The status holds only where nothing else of the document has an answer. */
const alone: object = { alone: true };

/** Who is asked to pay is told so as on any path, as long as nothing else of the document came to be. */
const httpOf = (error: GraphQLError, cause: unknown): GraphQLError =>
  cause instanceof PaymentRequired
    ? new GraphQLError(error.message, {
        nodes: error.nodes,
        source: error.source,
        positions: error.positions,
        path: error.path,
        extensions: { http: { status: cause.status, headers: { ...cause.headers }, ...alone } },
      })
    : error;

/**
 * Renders the errors of a result for a caller. What is not a refusal of ours, nor of GraphQL itself, is masked and
 * logged under the trace id that the caller is shown.
 *
 * @param projectId that the whole document is about; undefined: each refusal says which it concerns
 */
export function renderErrors(
  errors: readonly GraphQLError[],
  traceId: string,
  { log, incidents }: { readonly log: Logger; readonly incidents: Pick<IncidentWatch, 'open'> },
  projectId?: string,
): GraphQLError[] {
  const render = (error: GraphQLError, cause: unknown, trace = traceId) =>
    withEnvelope(
      httpOf(error, cause),
      correlate(toEnvelope(cause, trace), incidents, projectId ?? projectConcerned(cause)),
    );
  return errors.map((error) => {
    const cause = asRefusal(error.originalError ?? error.cause);
    if (cause instanceof ServiceError) {
      return render(error, cause, cause instanceof ReplayedRefusal ? cause.traceId : traceId);
    }
    if (cause === undefined || cause === null || saysGraphQL(error, cause)) {
      // GraphQL's own words: a variable that does not fit, an operation that is not there.
      const refusal = new ServiceError('VALIDATION_FAILED', { message: error.message });
      return render(error, refusal);
    }
    log.error({ err: cause, trace_id: traceId, path: error.path }, 'A field failed unexpectedly.');
    return render(error, cause);
  });
}

/**
 * Whether the cause is GraphQL speaking of the document or its variables. Inside a field it then points at the document:
 * at an argument; a result that its type cannot show has no place there, and is a fault of ours.
 */
const saysGraphQL = ({ path }: GraphQLError, cause: unknown): boolean =>
  cause instanceof GraphQLError && (path === undefined || cause.nodes !== undefined);

/** A refusal of ours as the one error of a result. */
export const refusal = (error: ServiceError, traceId: string, httpExtensions?: Record<string, unknown>): GraphQLError =>
  withEnvelope(
    new GraphQLError(error.message, httpExtensions === undefined ? {} : { extensions: { http: httpExtensions } }),
    toEnvelope(error, traceId),
  );
