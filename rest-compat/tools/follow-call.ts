import type { ToolCall } from '../agents/mcp/server.ts';
import type { Arguments, Tool } from './tool.ts';

/** How often whoever wants to know is told that a call goes on, in milliseconds. */
const everyMs = 2_000;

/**
 * Runs a call and tells how it goes on: what takes its time by nature from the beginning, anything else once it does.
 * Seconds are told, of those that it is to wait where there is an end to that.
 */
export async function followed<Result>(
  tool: Tool,
  args: Arguments,
  progress: ToolCall['progress'],
  run: () => Promise<Result>,
): Promise<Result> {
  if (progress === undefined) return run();
  const waits = tool.waits(args);
  const startedAt = performance.now();
  const tell = () => {
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const message = waits === undefined ? `At work for ${seconds} s.` : `Waiting for ${seconds} s of ${waits}.`;
    progress({ progress: seconds, ...(waits === undefined ? {} : { total: waits }), message });
  };
  if (tool.isLong || waits !== undefined) tell();
  const beat = setInterval(tell, everyMs);
  try {
    return await run();
  } finally {
    clearInterval(beat);
  }
}
