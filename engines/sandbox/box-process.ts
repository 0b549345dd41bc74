import { rm } from 'node:fs/promises';
import { openChannel } from './box-channel.ts';
import { readLogs } from './box-logs.ts';
import { placeCode } from './code.ts';
import type { Egress } from './egress.ts';
import type { AnswerHead } from './inside/calls.ts';
import { FrameError } from './inside/frames.ts';
import type { Report } from './inside/runtime.ts';
import { endBox, type LaunchContext, launch, makeSlot, type Places, uidOf } from './launch.ts';
import { createProcessCalls } from './process-calls.ts';
import {
  type FunctionAnswer,
  type FunctionCall,
  type FunctionFailure,
  FunctionFailureError,
  type LoadedFunction,
  type RunnerEvents,
} from './runner.ts';

export interface BoxProcessOptions {
  readonly context: LaunchContext;
  /** Its own among all that run at the same time. */
  readonly number: number;
  readonly memoryMb: number;
  readonly events: RunnerEvents;
  readonly egress: Egress;
  /** Longest that a module may take to load, in milliseconds. */
  readonly startMs: number;
}

export type BoxProcess = Awaited<ReturnType<typeof startBoxProcess>>;

/** Longest that a box may take to start, in milliseconds: far above what a busy machine needs. */
const boxStartMs = 30_000;

/** What V8 and the C++ library print when memory ends. A function may print it as well, and spoil its own report alone. */
const memoryEnded = /out of memory|Allocation failed|bad_alloc/i;

/** Arguments of Node.js in a box: a second wall. It reads the code and the runtime, and writes to `/tmp`. */
const argumentsOf = (memoryMb: number, { runtime, code, tmp, egress }: Places) => [
  `--max-old-space-size=${Math.floor((memoryMb * 3) / 4)}`,
  '--max-semi-space-size=4',
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=SecurityWarning',
  '--permission',
  ...[code, runtime, tmp, ...(egress === undefined ? [] : [egress])].map((path) => `--allow-fs-read=${path}`),
  `--allow-fs-write=${tmp}`,
  `${runtime}/runtime.mjs`,
  code,
  tmp,
  egress ?? '',
];

/** Starts a process in a box: at first it belongs to no function, then to one until its end. */
export async function startBoxProcess({ context, number, memoryMb, events, egress, startMs }: BoxProcessOptions) {
  let fn: LoadedFunction | undefined;
  const slot = await makeSlot(context, number);
  const door = await egress.open(slot.run, uidOf(number, context.rung), () => fn?.projectId);
  const box = launch(context, { number, folder: slot.folder, memoryMb }, argumentsOf(memoryMb, slot.places));
  let state: 'starting' | 'waiting' | 'loading' | 'open' | 'retired' | 'ended' = 'starting';
  /** Why it was ended, or why it says that it ends. */
  let reason: FunctionFailure | undefined;
  let idleSince = Date.now();
  let step = newStep();
  /** Whether it takes nothing more, though it may still live. */
  let ending = false;

  const logs = readLogs(box.child, () => fn, events.onLog);
  const send = openChannel(box.child, onReport, (words) =>
    end({ kind: 'crashed', reason: `It broke the rules of its box. ${words}` }),
  );
  const calls = createProcessCalls({ send, onStuck: retire, onCallEnd });
  let clock = setTimeout(tooSlow, boxStartMs, boxStartMs);

  function end(why: FunctionFailure): void {
    reason ??= why;
    ending = true;
    if (state !== 'ended') endBox(box);
  }

  function tooSlow(ms: number): void {
    end({ kind: 'load_failed', reason: `It took more than ${ms / 1_000} seconds to start.` });
  }

  /** Takes no further call, and ends with the last one. */
  function retire(): void {
    if (state === 'ended') return;
    state = 'retired';
    if (calls.count() === 0) end({ kind: 'cancelled' });
  }

  function onCallEnd(id: number): void {
    logs.end(id);
    idleSince = Date.now();
    if (state === 'retired') retire();
  }

  function onReport(id: number, report: Report | AnswerHead, body: Buffer): void {
    switch (report.type) {
      case 'ready':
        advance('starting', 'waiting');
        break;
      case 'loaded':
        advance('loading', 'open');
        break;
      case 'load_failed':
        end({ kind: 'load_failed', reason: 'Its module could not be loaded.', error: report.error });
        break;
      case 'crashed':
        reason ??= { kind: 'crashed', reason: 'An error was caught nowhere.', error: report.error };
        ending = true;
        return;
      default:
        calls.take(id, report, body);
    }
  }

  function advance(from: typeof state, to: typeof state): void {
    if (state !== from) throw new FrameError('A message comes out of turn.');
    state = to;
    clearTimeout(clock);
    step.resolve();
  }

  /** Why it ended, from what it said or left behind. */
  function failureOf(code: number | null, signal: string | null): FunctionFailure {
    if (reason !== undefined) return reason;
    const errors = logs.lastErrors();
    if (memoryEnded.test(errors)) return { kind: 'out_of_memory', memoryMb };
    const words = `Its process ended with ${signal ?? `exit code ${code}`}.`;
    if (state === 'open' || state === 'retired') return { kind: 'crashed', reason: words };
    return { kind: 'load_failed', reason: state === 'starting' && errors !== '' ? errors : words };
  }

  const gone = new Promise<void>((resolve) => {
    box.child.once('error', (error) => {
      reason ??= { kind: 'load_failed', reason: error.message };
    });
    box.child.once('close', (code, signal) => {
      const failure = failureOf(code, signal);
      const unheard = state === 'open' && calls.count() === 0 && failure.kind !== 'cancelled';
      state = 'ended';
      clearTimeout(clock);
      step.reject(new FunctionFailureError(failure));
      calls.failAll(failure);
      if (unheard && fn !== undefined) events.onFailure(fn, failure);
      void door
        .close()
        .then(() => rm(slot.folder, { recursive: true, force: true, maxRetries: 5 }))
        .finally(resolve);
    });
  });

  return {
    number,
    memoryMb,
    /** Rejects with a FunctionFailureError when it does not start. */
    ready: step.promise,
    /** Once it has ended and its folder is gone. */
    gone,
    /** The function that it was given. */
    fn: () => fn,
    /** Calls that it has begun and not ended. */
    calls: calls.count,
    /** Whether it waits for a function. */
    isWaiting: () => state === 'waiting' && !ending,
    /** Whether it takes calls. */
    isOpen: () => state === 'open' && !ending,
    /** When its last call ended, as milliseconds since 1970. */
    idleSince: () => idleSince,
    /**
     * Gives it a function, once.
     *
     * @throws FunctionFailureError
     */
    async load(given: LoadedFunction): Promise<void> {
      if (state !== 'waiting') throw new FunctionFailureError({ kind: 'busy', reason: 'The process is not free.' });
      state = 'loading';
      fn = given;
      step = newStep();
      clock = setTimeout(tooSlow, startMs, startMs);
      const { promise } = step;
      await placeCode(given.code, slot.code, box.uid).catch((error: unknown) => {
        end({ kind: 'load_failed', reason: `Its code could not be read. ${String(error)}` });
      });
      send(0, { type: 'load' }, Buffer.from(JSON.stringify(given.environment)));
      await promise;
    },
    /** @throws FunctionFailureError */
    async call(call: FunctionCall): Promise<FunctionAnswer> {
      if (fn === undefined || state !== 'open' || ending)
        throw new FunctionFailureError({ kind: 'busy', reason: 'The process takes no calls.' });
      const { id, answer } = calls.begin(call, fn.timeoutMs);
      logs.begin(id, call.requestId);
      return answer;
    },
    /** Ends it with everything in it; its calls fail with the reason. */
    end,
  };
}

/** A step that its process takes, or that fails; there may be no one who waits for it. */
function newStep(): PromiseWithResolvers<void> {
  const step = Promise.withResolvers<void>();
  step.promise.catch(() => undefined);
  return step;
}
