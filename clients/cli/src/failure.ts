/** A refusal as written to standard error: the gateway's envelope unchanged, or one made by this program. */
export interface Envelope {
  readonly status: 'error';
  readonly code: string;
  readonly message: string;
  readonly [member: string]: unknown;
}

/** Ends a command: contains an envelope for standard error and an exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly envelope: Envelope;
  readonly exitCode: number;
  /** The refused SQL, for the mark below an error; never part of the envelope. */
  readonly sql: string | undefined;

  constructor(envelope: Envelope, exitCode = 1, sql?: string) {
    super(envelope.message);
    this.envelope = envelope;
    this.exitCode = exitCode;
    this.sql = sql;
  }
}

interface LocalOptions {
  /** A sentence on how to fix it. */
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The invalid flag or argument. */
  readonly field?: string;
  readonly nextActions?: readonly Readonly<Record<string, unknown>>[];
  readonly retryable?: boolean;
  /** State of a change that was already sent: it is not safe to send it again. @default nothing was sent */
  readonly mutationState?: 'unknown';
  readonly exitCode?: number;
}

/** Creates a refusal by this program, without a request to a gateway. Contract 04, section 4.5. */
export function local(
  code: string,
  message: string,
  { hint, details, field, nextActions = [], retryable = false, mutationState, exitCode = 1 }: LocalOptions = {},
): Failure {
  const envelope = {
    status: 'error' as const,
    code,
    message,
    retryable,
    safe_to_retry: mutationState === undefined,
    mutation_state: mutationState ?? 'not_started',
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
    ...(field === undefined ? {} : { field }),
    next_actions: nextActions,
    trace_id: null,
  };
  return new Failure(envelope, exitCode);
}

/** A refusal of words or flags that no command accepts: exit code 1, code `BAD_USAGE`. */
export const badUsage = (message: string, options: LocalOptions = {}): Failure => local('BAD_USAGE', message, options);

/** The process received a signal to end. @param isSent whether a change may have been made before */
export const stopped = (isSent = false): Failure =>
  local('LOCAL_ERROR', 'Stopped.', { exitCode: 130, ...(isSent ? { mutationState: 'unknown' as const } : {}) });

/** Whether a refusal may be temporary. */
export const passes = ({ envelope: { code, http } }: Failure): boolean =>
  code === 'NETWORK_ERROR' || http === 408 || http === 429 || (typeof http === 'number' && http >= 500);

/** An action that names the command to run. */
export const runCommand = (command: string, why: string) => ({ type: 'run_command', command, why });

/**
 * Converts any thrown value to a failure. For a bug in this program it shows the message, and the stack with
 * `SVC_TRACE`.
 */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return local('LOCAL_ERROR', message, thrown instanceof Error ? { details: { name: thrown.name } } : {});
}

/**
 * A failure of this program after the gateway has created something, which must not be created again.
 *
 * @param made what exists now, in a sentence
 * @param details how to find it
 */
export function afterwards(
  thrown: unknown,
  made: string,
  { details, nextActions }: Required<Pick<LocalOptions, 'details' | 'nextActions'>>,
): Failure {
  const { envelope, exitCode } = failureOf(thrown);
  return new Failure(
    {
      ...envelope,
      message: `${made} ${envelope.message}`,
      safe_to_retry: false,
      mutation_state: 'committed',
      details: { ...(envelope.details as object | undefined), ...details },
      next_actions: nextActions,
    },
    exitCode,
  );
}

/** An answer about something that was begun. @throws what it says in `error`, where that came to nothing */
export function refuseFailed(answer: Record<string, unknown>): Record<string, unknown> {
  const error = answer.error as { readonly code: string; readonly message: string } | null | undefined;
  if (error != null) throw local(error.code, error.message);
  return answer;
}
