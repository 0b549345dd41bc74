import './common-errors.ts';
import { type ErrorCode, type ErrorRow, type MutationState, type NextAction, rowOf } from './error-codes.ts';

export type { ErrorCode, MutationState, NextAction } from './error-codes.ts';

/** What a thrower may add to its error's row. */
export interface ServiceErrorOptions {
  readonly message?: string;
  /** Where a contract answers the code with another status than its row. @default the row's */
  readonly status?: number;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The short label of the envelope, where a contract names one. @default the code */
  readonly label?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly nextActions?: readonly NextAction[];
  readonly mutationState?: MutationState;
  /** Only where it is less than its row promises: a change that may have been made already. */
  readonly safeToRetry?: boolean;
  /** Seconds a client should wait: the `Retry-After` header and `retry_after` of the body. */
  readonly retryAfter?: number;
  /** Methods the path does answer: the `Allow` header of a 405. */
  readonly allow?: readonly string[];
  /** Further members of the envelope that clients of this code read at its top level. */
  readonly extras?: Readonly<Record<string, unknown>>;
  /** Kept for the log; never shown to a caller. */
  readonly cause?: unknown;
}

/**
 * The only error a caller ever sees by its own name. Anything else that is thrown is masked as INTERNAL_ERROR and
 * logged. Contract 01, section 1.13.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly label: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly nextActions: readonly NextAction[];
  readonly mutationState: MutationState;
  readonly safeToRetry: boolean;
  readonly retryAfter: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly extras: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    const row = rowOf(code);
    super(options.message ?? row.message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? row.status;
    this.headers = options.headers ?? {};
    this.label = options.label ?? code;
    this.details = options.details ?? {};
    this.nextActions = options.nextActions ?? timed(row.nextActions ?? [], options.retryAfter);
    this.mutationState = options.mutationState ?? row.mutationState ?? 'none';
    this.safeToRetry = options.safeToRetry ?? row.safeToRetry;
    this.retryAfter = options.retryAfter;
    this.allow = options.allow;
    this.extras = options.extras ?? {};
  }

  get row(): ErrorRow {
    return rowOf(this.code);
  }

  /** The same refusal with further members of `details`. */
  withDetails(more: Readonly<Record<string, unknown>>): ServiceError {
    const { retryAfter, allow, ...same } = this;
    return new ServiceError(this.code, {
      ...same,
      message: this.message,
      details: { ...this.details, ...more },
      cause: this.cause,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(allow === undefined ? {} : { allow }),
    });
  }
}

/** Next steps in which a repetition says when, where that is known. @param retryAfter in seconds */
const timed = (actions: readonly NextAction[], retryAfter: number | undefined): readonly NextAction[] =>
  retryAfter === undefined
    ? actions
    : actions.map((one) =>
        one.type === 'retry'
          ? { ...one, why: `Send the same request again in ${retryAfter} second${retryAfter === 1 ? '' : 's'}.` }
          : one,
      );

/**
 * The refusal of one field for what its form alone does not show.
 *
 * @param field as the caller knows it
 * @param more further members of `details`
 */
export const invalidField = (field: string, reason: string, more: Readonly<Record<string, unknown>> = {}) =>
  new ServiceError('VALIDATION_FAILED', {
    message: field === '' ? reason : `${field}: ${reason}`,
    details: { field, reason, ...more },
  });

/** The JSON every refusal carries, with all members always present. Contract 01, section 1.13. */
export interface ErrorEnvelope {
  readonly error: string;
  readonly message: string;
  readonly code: ErrorCode;
  readonly category: string;
  readonly source: 'gateway';
  readonly retryable: boolean;
  readonly safe_to_retry: boolean;
  readonly mutation_state: MutationState;
  readonly trace_id: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly next_actions: readonly NextAction[];
  readonly retry_after?: number;
  /** Only while a fault of the platform's is open that goes together with the code. */
  readonly correlated_platform_incident?: {
    readonly id: string;
    readonly subsystem: string;
    readonly status: 'ongoing';
  };
}

/** Renders an error for a caller; whatever is not a {@link ServiceError} becomes a masked INTERNAL_ERROR. */
export function toEnvelope(error: unknown, traceId: string): ErrorEnvelope {
  const known = error instanceof ServiceError ? error : new ServiceError('INTERNAL_ERROR');
  const { category, retryable } = known.row;
  return {
    ...known.extras,
    error: known.label,
    message: known.message,
    code: known.code,
    category,
    source: 'gateway',
    retryable,
    safe_to_retry: known.safeToRetry,
    mutation_state: known.mutationState,
    trace_id: traceId,
    details: known.details,
    next_actions: known.nextActions,
    ...(known.retryAfter === undefined ? {} : { retry_after: known.retryAfter }),
  };
}
