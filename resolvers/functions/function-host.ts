import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import { CallTurns, TurnsTakenError } from '../../engines/functions/call-turns.ts';
import {
  type FunctionCall,
  FunctionFailureError,
  type FunctionLogLine,
  type LoadedFunction,
  type Runner,
  type RunnerEvents,
} from '../../engines/sandbox/runner.ts';
import type { Services } from '../../kernel/run/context.ts';
import { projectKeysOf } from '../identity/shared/project-keys.ts';
import { secretValues } from '../secrets/shared/secret-values.ts';
import { refusalOf } from './refusal-of.ts';
import { buildOfStatement } from './shared/build-rows.ts';
import type { FunctionsStanding } from './shared/functions-standing.ts';
import type { InvocationRecord } from './shared/invocation-record.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Runs the functions of projects. */
    readonly functions: FunctionHost;
  }
}

/** A function of a release. */
export interface CalledFunction {
  readonly orgId: string;
  readonly projectId: string;
  /** Of the project: its keys are made from it. */
  readonly createdAt: Date;
  readonly transferredAt: Date | null;
  readonly releaseId: string;
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  /** Whose turns its calls take. @default the project's */
  readonly lane?: string | undefined;
}

/** What a function has answered, whole. */
export interface FunctionReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** How a node runs functions. */
export interface FunctionEngine {
  /** Starts what runs them; called once, when the first one is needed. @param events told of everything by itself */
  readonly start: (events: RunnerEvents) => Promise<Runner & { readonly standing: FunctionsStanding }>;
  /** Where functions reach the platform, without a trailing slash. */
  readonly apiBase: () => string;
}

interface Known {
  readonly loaded: LoadedFunction;
  readonly until: number;
}

/** How long a node believes in what a function is run with, in milliseconds: a secret that is set counts after that. */
const believedMs = 1_000;

/** Calls of one project. Contract 03, section 3.8. */
const turnLimits = { running: 4, waiting: 16 };

/** Calls the functions of releases, and keeps what they print and fail with. */
export class FunctionHost {
  readonly #services: () => Services;
  readonly #engine: FunctionEngine;
  readonly #records: InvocationRecord;
  readonly #turns = new CallTurns(turnLimits);
  readonly #listeners = new Map<string, (line: FunctionLogLine) => void>();
  readonly #known = new Lru<Known>({ entries: 5_000, bytes: 256 * 1024 * 1024 });
  #runner: ReturnType<FunctionEngine['start']> | undefined;

  constructor({
    services,
    engine,
    records,
  }: {
    readonly services: () => Services;
    readonly engine: FunctionEngine;
    readonly records: InvocationRecord;
  }) {
    this.#services = services;
    this.#engine = engine;
    this.#records = records;
  }

  /** How functions are kept apart here: tried out, where none has run yet. @throws FUNCTIONS_NOT_AVAILABLE */
  async standing(): Promise<FunctionsStanding> {
    return (await this.#start()).standing;
  }

  /**
   * Calls a function. No more calls of a project run at a time than may; the others wait for their turn.
   *
   * @throws FUNCTIONS_NOT_AVAILABLE, FUNCTION_BUSY, FUNCTION_TIMEOUT, FUNCTION_FAILED, FUNCTION_CRASHED, FUNCTION_NOT_FOUND,
   * ROUTED_RESPONSE_TOO_LARGE, STORAGE_UNAVAILABLE
   */
  async call(
    fn: CalledFunction,
    {
      printed,
      ...call
    }: FunctionCall & {
      readonly signal: AbortSignal;
      /** Told of each line that the call prints, too. Its request id is that of no other call. */
      readonly printed?: ((line: FunctionLogLine) => void) | undefined;
    },
  ): Promise<FunctionReply> {
    const end = await this.#turns.take(fn.lane ?? fn.projectId, call.signal).catch((error: unknown) => {
      throw error instanceof TurnsTakenError ? busy(fn) : error;
    });
    this.#records.belongs(fn.projectId, fn.orgId);
    if (printed !== undefined) this.#listeners.set(call.requestId, printed);
    try {
      const loaded = await this.#load(fn);
      const runner = await this.#start();
      this.#records.began(loaded);
      const beganAt = performance.now();
      try {
        const answer = await runner.call(loaded, call);
        const body = await collected(answer.body);
        if (answer.status >= 500) this.#records.failedAnswer(loaded, call.requestId, { status: answer.status, body });
        return { status: answer.status, headers: answer.headers, body };
      } finally {
        this.#records.ended(loaded, performance.now() - beganAt);
      }
    } catch (error) {
      if (!(error instanceof FunctionFailureError)) throw error;
      this.#records.failed({ ...fn, functionId: fn.name }, call.requestId, error.failure);
      throw refusalOf(fn, call.requestId, error.failure);
    } finally {
      end();
      if (printed !== undefined) {
        // Lines come through pipes of their own: what was written before the answer is read within this turn of the loop.
        await setImmediate();
        this.#listeners.delete(call.requestId);
      }
    }
  }

  /** Resolves when what was printed and failed before is written, or cannot be written now. */
  flush(): Promise<void> {
    return this.#records.flush();
  }

  async close(): Promise<void> {
    await (await this.#runner)?.close();
    await this.#records.close();
  }

  /** Begins anew after a start that failed. */
  #start(): ReturnType<FunctionEngine['start']> {
    this.#runner ??= this.#engine
      .start({
        onLog: (line: FunctionLogLine) => {
          this.#records.printed(line);
          if (line.requestId != null) this.#listeners.get(line.requestId)?.(line);
        },
        onFailure: (fn, failure) => this.#records.failed(fn, undefined, failure),
      })
      .catch((cause: unknown) => {
        this.#runner = undefined;
        throw new ServiceError('FUNCTIONS_NOT_AVAILABLE', { status: 503, cause });
      });
    return this.#runner;
  }

  /** What a function is run with: its bundle, and the environment as it is now. */
  async #load(fn: CalledFunction): Promise<LoadedFunction> {
    const key = [fn.releaseId, fn.name, fn.timeoutSeconds, fn.memoryMb].join(' ');
    const known = this.#known.get(key);
    if (known !== undefined && known.until > performance.now()) return known.loaded;
    const services = this.#services();
    const owner = { orgId: fn.orgId, projectId: fn.projectId };
    const [[build], secrets, keys] = await Promise.all([
      services.db.rows(buildOfStatement.with({ ...owner, releaseId: fn.releaseId, name: fn.name })),
      secretValues(services, owner),
      projectKeysOf(services.keys, { ...fn, id: fn.projectId }),
    ]);
    if (build === undefined) throw new ServiceError('FUNCTION_NOT_FOUND', { details: { function: fn.name } });
    const environment = {
      ...secrets,
      SVC_PROJECT_ID: fn.projectId,
      SVC_SERVICE_KEY: keys.serviceKey,
      SVC_ANON_KEY: keys.anonKey,
      SVC_API_BASE: this.#engine.apiBase(),
      SVC_RELEASE_ID: fn.releaseId,
      SVC_FUNCTION_NAME: fn.name,
    };
    const digest = digestOf(fn, build.bundleSha256, environment);
    const until = performance.now() + believedMs;
    if (known?.loaded.digest === digest) {
      this.#known.set(key, { loaded: known.loaded, until }, build.bundleSize + 4_096);
      return known.loaded;
    }
    const bytes = await buffer(await services.objects.read(build.bundleSha256));
    const loaded: LoadedFunction = {
      projectId: fn.projectId,
      functionId: fn.name,
      name: fn.name,
      releaseId: fn.releaseId,
      digest,
      code: { bytes },
      memoryMb: fn.memoryMb,
      timeoutMs: fn.timeoutSeconds * 1_000,
      environment,
    };
    this.#known.set(key, { loaded, until }, bytes.length + 4_096);
    return loaded;
  }
}

/** Another process is needed where any of this changes. */
const digestOf = (
  { timeoutSeconds, memoryMb }: CalledFunction,
  bundleSha256: string,
  environment: Readonly<Record<string, string>>,
): string =>
  createHash('sha256')
    .update(JSON.stringify([bundleSha256, timeoutSeconds, memoryMb, Object.entries(environment).sort()]))
    .digest('hex');

const busy = ({ name }: CalledFunction) =>
  new ServiceError('FUNCTION_BUSY', { retryAfter: 1, details: { function: name, ...turnLimits } });

async function collected(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return parts.length === 1 ? Buffer.from(parts[0]!) : Buffer.concat(parts);
}
