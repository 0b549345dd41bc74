import { z } from 'zod';
import { type ServiceError, toEnvelope } from '../core/errors.ts';
import { Problem } from '../rest-compat/openapi/responses.ts';
import { toProblem } from '../rest-compat/problem.ts';

/** {@link refusalFacts}, as they are written. */
export const RefusalFacts = z.looseObject({
  ...Problem.shape,
  retryable: z.boolean(),
  safe_to_retry: z.boolean(),
});

/** What agents are told of a refusal: the problem as `/api` says it, and whether to try again. Contract 00, section 6.2. */
export function refusalFacts(refusal: ServiceError, traceId: string, path: string) {
  const envelope = toEnvelope(refusal, traceId);
  const { retryable, safe_to_retry, retry_after, next_actions } = envelope;
  return {
    ...toProblem(envelope, refusal.status, path),
    retryable,
    safe_to_retry,
    next_actions,
    ...(retry_after === undefined ? {} : { retry_after }),
  };
}

/** Refusals that are of this moment: the same may be answered later, so nothing is kept of them. */
export const passes = ({ row }: ServiceError): boolean => row.status === 429 || row.status === 503;
