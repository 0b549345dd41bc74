import { currentRequest } from './context.ts';
import { ask, asService } from './gateway.ts';
import { secondsOf } from './user.ts';

export interface RunRetry {
  readonly preset?: 'standard';
  readonly max_attempts?: number;
  readonly min_delay_seconds?: number;
  readonly max_delay_seconds?: number;
}

export interface RunOptions {
  /** What happened, in words of yours. */
  readonly eventType: string;
  /** Names the run: a key that was used before answers its run. */
  readonly idempotencyKey: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** When it is run. @default now */
  readonly runAt?: Date | string;
  /** How long it waits, in place of `runAt`: seconds, or for example `10m`. */
  readonly delay?: number | string;
  readonly expiresAt?: Date | string;
  readonly retry?: RunRetry;
}

/** A run as it stands. */
export interface RunHandle {
  readonly run_id: string;
  readonly function_name: string;
  readonly event_type: string;
  readonly status: string;
  readonly terminal: boolean;
  readonly generation: number;
  readonly deduplicated?: boolean;
}

const iso = (at: Date | string): string => (at instanceof Date ? at.toISOString() : at);

/** Runs of functions of the project. */
export const functions = {
  runs: {
    /** Has a function run in the background, now or later, and again until it succeeds. One run for each key. */
    create(name: string, options: RunOptions): Promise<RunHandle> {
      const { eventType, idempotencyKey, payload, runAt, delay, expiresAt, retry } = options;
      return ask({
        method: 'POST',
        path: `/functions/v1/${encodeURIComponent(name)}/runs`,
        headers: { ...asService(), 'idempotency-key': idempotencyKey, 'content-type': 'application/json' },
        json: {
          event_type: eventType,
          idempotency_key: idempotencyKey,
          ...(payload === undefined ? {} : { payload }),
          ...(runAt === undefined ? {} : { run_at: iso(runAt) }),
          ...(delay === undefined ? {} : { delay_seconds: secondsOf(delay) }),
          ...(expiresAt === undefined ? {} : { expires_at: iso(expiresAt) }),
          ...(retry === undefined ? {} : { retry }),
        },
      });
    },
  },
} as const;

/** What a function is told of a run. */
export interface FunctionRun<Payload = Readonly<Record<string, unknown>>> {
  readonly trigger: 'function_run';
  readonly run_id: string;
  readonly generation: number;
  readonly event_type: string;
  readonly idempotency_key: string;
  readonly run_at: string;
  readonly attempt: { readonly attempt_id: string; readonly number: number; readonly max: number };
  readonly source: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly payload: Payload;
}

/** Why a run came to nothing, and whether it is tried again. */
export class RunError extends Error {
  override readonly name = 'RunError';
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, retryable: boolean) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

/** Ends a run: another attempt would fail, too. */
export const permanentRunError = (message: string, code = 'function_run_failed') => new RunError(code, message, false);

/** Has a run tried again, as its `retry` says. */
export const retryableRunError = (message: string, code = 'function_run_failed') => new RunError(code, message, true);

/** The run that a request is of; null for any other request. @throws RunError for one that is no run of the platform's */
export async function parseFunctionRun(request: Request | undefined = currentRequest()): Promise<FunctionRun | null> {
  if (request?.headers.get('x-svc-trigger') !== 'function_run') return null;
  const found = (await request.json().catch(() => undefined)) as FunctionRun | undefined;
  if (found?.trigger === 'function_run' && typeof found.run_id === 'string') return found;
  throw permanentRunError('The request is of no run.', 'function_run_invalid_envelope');
}

/** What is done for one type of event. What it returns is the answer, as JSON. */
export type RunHandler = (run: FunctionRun) => unknown;

/**
 * Makes the handler of a function that is run in the background: one function for each type of event. Anything but a
 * permanent error is tried again. Other requests go to `otherwise`.
 *
 * @param otherwise @default they are answered with 404
 */
export function defineFunctionRuns(
  handlers: Readonly<Record<string, RunHandler>>,
  otherwise: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 404 }),
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const run = await parseFunctionRun(request);
      if (run === null) return await otherwise(request);
      const handle = Object.hasOwn(handlers, run.event_type) ? handlers[run.event_type] : undefined;
      if (handle === undefined)
        throw permanentRunError(`Nothing is done for ${run.event_type}.`, 'function_run_unknown_event');
      const said = await handle(run);
      if (said instanceof Response) return said;
      return said === undefined ? new Response(null, { status: 204 }) : Response.json(said);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      const { code, message, retryable } = error;
      return Response.json({ error: code, message, retryable }, { status: retryable ? 500 : 400 });
    }
  };
}
