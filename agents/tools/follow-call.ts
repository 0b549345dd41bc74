import type { Context, WorkProgress } from '../../kernel/run/context.ts';
import type { ToolCall } from '../mcp/server.ts';
import type { Arguments, Tool } from './tool.ts';

/** How often a client that asked for progress is told that a call goes on, in milliseconds. */
const everyMs = 2_000;

/** Seconds after which half of the way to the next step counts as gone: it is unknown, and never gets there. */
const halfStepSeconds = 15;

/**
 * Runs a call and tells how it goes on: what takes its time by nature from the beginning, anything else once it does.
 * What knows its steps is told of by them, as they are taken. Otherwise seconds are told, of those that it is to wait
 * where there is an end to that.
 *
 * @param run given what is to be told of steps; undefined where no client listens
 */
export async function followed<Result>(
  tool: Tool,
  args: Arguments,
  progress: ToolCall['progress'],
  run: (told: Context['progress']) => Promise<Result>,
): Promise<Result> {
  if (progress === undefined) return run(undefined);
  const waits = tool.waits(args);
  const startedAt = performance.now();
  const secondsSince = (moment: number) => Math.round((performance.now() - moment) / 100) / 10;
  let step: (WorkProgress & { readonly at: number }) | undefined;
  let last = -1;
  const tell: NonNullable<ToolCall['progress']> = (word) => {
    // Every word has to be of more than the one before.
    if (word.progress <= last) return;
    last = word.progress;
    progress(word);
  };
  const reportSteps = () => {
    const { done = 0, of, what = 'Begun', at = startedAt } = step ?? {};
    const seconds = secondsSince(at);
    const message = seconds === 0 ? `${what}.` : `${what}, for ${seconds} s.`;
    const total = of === undefined ? {} : { total: of };
    tell({ progress: done + seconds / (seconds + halfStepSeconds), ...total, message });
  };
  const reportSeconds = () => {
    const seconds = secondsSince(startedAt);
    if (waits === undefined) tell({ progress: seconds, message: `At work for ${seconds} s.` });
    else tell({ progress: seconds, total: waits, message: `Waiting for ${seconds} s of ${waits}.` });
  };
  const beat = tool.isInSteps ? reportSteps : reportSeconds;
  if (tool.isLong || waits !== undefined) beat();
  const timer = setInterval(beat, everyMs);
  try {
    return await run((taken) => {
      step = { ...taken, at: performance.now() };
      if (tool.isInSteps) reportSteps();
    });
  } finally {
    clearInterval(timer);
    // A client that has the answer is told no more.
    last = Number.POSITIVE_INFINITY;
  }
}
