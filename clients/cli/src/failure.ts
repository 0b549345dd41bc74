/** A refusal as it is written to standard error: the gateway's envelope as it came, or one made here. */
export interface Envelope {
  readonly status: 'error';
  readonly code: string;
  readonly message: string;
  readonly [member: string]: unknown;
}

/** What ends a command: an envelope for standard error and a code to exit with. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly envelope: Envelope;
  readonly exitCode: number;
  /** The SQL that was refused, for the mark below a mistake; never part of the envelope. */
  readonly sql: string | undefined;

  constructor(envelope: Envelope, exitCode = 1, sql?: string) {
    super(envelope.message);
    this.envelope = envelope;
    this.exitCode = exitCode;
    this.sql = sql;
  }
}

interface LocalOptions {
  /** What could be done about it, in a sentence. */
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The flag or argument at fault. */
  readonly field?: string;
  readonly nextActions?: readonly Readonly<Record<string, unknown>>[];
  readonly retryable?: boolean;
  /** What became of a change that was sent already: it is not safe to send it again. @default nothing was sent */
  readonly mutationState?: 'unknown';
  readonly exitCode?: number;
}

/** A refusal that was made here, without asking any gateway. Contract 04, section 4.5. */
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

/** Words or flags that no command has: exit code 1, code `BAD_USAGE`. */
export const badUsage = (message: string, options: LocalOptions = {}): Failure => local('BAD_USAGE', message, options);

/** The process was asked to end. @param isSent whether a change may have been made meanwhile */
export const stopped = (isSent = false): Failure =>
  local('LOCAL_ERROR', 'Stopped.', { exitCode: 130, ...(isSent ? { mutationState: 'unknown' as const } : {}) });

/** Whether a refusal may be over when one looks again. */
export const passes = ({ envelope: { code, http } }: Failure): boolean =>
  code === 'NETWORK_ERROR' || http === 408 || http === 429 || (typeof http === 'number' && http >= 500);

/** An action that tells which command helps. */
export const runCommand = (command: string, why: string) => ({ type: 'run_command', command, why });

/** Whatever was thrown, as a failure. A fault of this program's own shows its message, and its stack in `SVC_TRACE`. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return local('LOCAL_ERROR', message, thrown instanceof Error ? { details: { name: thrown.name } } : {});
}

/**
 * What went wrong here after the gateway had made something: it is there, and not to be made again.
 *
 * @param made what there is now, in a sentence
 * @param details by which it is found
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
