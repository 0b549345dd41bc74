import { rowOf } from '../core/error-codes.ts';
import type { ErrorEnvelope } from '../core/errors.ts';

/** Whether a path is one of the audit gateway, whose requests, refusals and headers have rules of their own. */
export const isApiPath = (path: string): boolean => path.startsWith('/api/');

/** Spellings of the codes under `/api`, where they differ from the lower case of the code. Contract 00, section 6.2. */
const apiCodes: Readonly<Record<string, string>> = {
  ROUTE_NOT_FOUND: 'not_found',
  VALIDATION_FAILED: 'invalid_request',
  IDEMPOTENCY_KEY_REUSED: 'idempotency_conflict',
  UPSTREAM_UNAVAILABLE: 'storage_unavailable',
  SIGNING_UNAVAILABLE: 'payments_unavailable',
};

/** How a code of the error table is spelt under `/api`. */
export const apiCode = (code: string): string => apiCodes[code] ?? code.toLowerCase();

export const problemType = 'application/problem+json; charset=utf-8';

/** What one field is refused for. */
interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/**
 * The same refusal as RFC 9457 problem details: how paths under `/api` say no.
 *
 * @param status of the answer
 * @param instance the path, without what follows its question mark: that may hold a payment
 */
export function toProblem(envelope: ErrorEnvelope, status: number, instance: string) {
  const code = apiCode(envelope.code);
  const errors = fieldsOf(envelope.details);
  return {
    type: `/problems/${code}`,
    title: rowOf(envelope.code).message,
    status,
    detail: envelope.message,
    instance,
    ok: false,
    code,
    error: envelope.message,
    ...(errors.length === 0 ? {} : { errors }),
    trace_id: envelope.trace_id,
  };
}

/** The fields at fault, as {@link parseInput} and the refusals of single fields name them. */
function fieldsOf(details: ErrorEnvelope['details']): FieldProblem[] {
  const fields: readonly unknown[] = Array.isArray(details.fields) ? details.fields : [details];
  return fields.flatMap((one) => {
    const { field, reason } = one as { readonly field?: unknown; readonly reason?: unknown };
    return typeof field === 'string' && typeof reason === 'string' ? [{ field, message: reason }] : [];
  });
}
