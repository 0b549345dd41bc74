import { ServiceError } from '../../../core/errors.ts';
import { storable } from '../../../core/text.ts';
import type { RunError } from '../../../db/schema/function-runs.ts';
import type { FunctionReply } from '../function-host.ts';

/** What an attempt came to. */
export type AttemptOutcome =
  | { readonly kind: 'succeeded'; readonly status: number }
  | {
      readonly kind: 'failed';
      /** What the function answered, where it did. */
      readonly status: number | null;
      readonly error: RunError;
      /** What the function asked for by `Retry-After`, in seconds. */
      readonly retryAfter?: number | undefined;
    }
  /** It was not begun, and counts for nothing. */
  | { readonly kind: 'put_off'; readonly seconds: number }
  /** It cannot be begun before something else changes. */
  | { readonly kind: 'blocked'; readonly error: RunError };

const messageMax = 1_000;

/** The error of a run. */
export const runError = (code: string, message: string, retryable: boolean): RunError => ({
  code,
  message: storable(message).slice(0, messageMax),
  retryable,
});

/** Whether an answer says that the same may succeed later. Contract 03, section 3.6. */
const mayBeRetried = (status: number): boolean => status === 429 || status >= 500;

/** What a function has answered, as the outcome of its attempt. @param now for a `Retry-After` that names a moment */
export function outcomeOfReply({ status, headers, body }: FunctionReply, now: Date): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: 'succeeded', status };
  const text = body.subarray(0, 4 * messageMax).toString('utf8');
  return {
    kind: 'failed',
    status,
    error: httpError(status, text === '' ? `The function answered with ${status}.` : text),
    retryAfter: retryAfterOf(headers, now),
  };
}

const httpError = (status: number, message: string): RunError =>
  runError(`FUNCTION_RUN_HTTP_${status}`, message, mayBeRetried(status));

function retryAfterOf(headers: FunctionReply['headers'], now: Date): number | undefined {
  const given = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1].trim();
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}

/** Failures that are the function’s own: those that its direct caller is answered, too. */
const ofFunction: readonly string[] = [
  'FUNCTION_FAILED',
  'FUNCTION_TIMEOUT',
  'ROUTED_RESPONSE_TOO_LARGE',
  'BODY_TOO_LARGE',
];
const blocking: readonly string[] = [
  'FUNCTION_NOT_FOUND',
  'PROJECT_FROZEN',
  'PROJECT_DORMANT',
  'PROJECT_NOT_READY',
  'FORBIDDEN',
];

/** How long a run waits when the project has no free turn, or its node stops, in seconds. */
const busySeconds = 1;

/** What a call was refused with, as the outcome of its attempt. */
export function outcomeOfRefusal(error: unknown): AttemptOutcome {
  if (error instanceof ServiceError) {
    const { code, status, message, details } = error;
    if (code === 'FUNCTION_BUSY') return { kind: 'put_off', seconds: details.reason === 'cancelled' ? 0 : busySeconds };
    if (blocking.includes(code)) return { kind: 'blocked', error: runError(code, message, true) };
    if (ofFunction.includes(code) || code === 'FUNCTION_CRASHED')
      return { kind: 'failed', status, error: httpError(status, message) };
  }
  return {
    kind: 'failed',
    status: null,
    error: runError('FUNCTION_RUN_PLATFORM_ERROR', 'The platform could not run the function.', true),
  };
}
