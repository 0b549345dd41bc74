import { errorRows } from '../core/error-codes.ts';
import type { ErrorEnvelope } from '../core/errors.ts';

/** Spellings of the codes under `/api`, where they differ from the lower case of the code. Contract 00, section 6.2. */
const apiCodes: Readonly<Record<string, string>> = {
  ROUTE_NOT_FOUND: 'not_found',
  VALIDATION_FAILED: 'invalid_request',
  IDEMPOTENCY_KEY_REUSED: 'idempotency_conflict',
  UPSTREAM_UNAVAILABLE: 'storage_unavailable',
};

export const problemType = 'application/problem+json; charset=utf-8';

/** The same refusal as RFC 9457 problem details: how paths under `/api` say no. */
export function toProblem(envelope: ErrorEnvelope, instance: string) {
  const code = apiCodes[envelope.code] ?? envelope.code.toLowerCase();
  return {
    type: `/problems/${code}`,
    title: errorRows[envelope.code].message,
    status: errorRows[envelope.code].status,
    detail: envelope.message,
    instance,
    ok: false,
    code,
    error: envelope.message,
    trace_id: envelope.trace_id,
  };
}
