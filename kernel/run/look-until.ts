import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './context.ts';

/** How long an answer waits for the end of what goes on by itself, and how often it looks, in milliseconds. */
interface Patience {
  /** @default 45_000 */
  readonly waitMs?: number;
  /** @default 100 */
  readonly lookMs?: number;
}

/** What is seen once it is over, or as it stands after a while, or when nobody waits any more. */
export async function lookUntil<Seen>(
  { signal }: Pick<Context, 'signal'>,
  look: () => Promise<Seen>,
  isOver: (seen: Seen) => boolean,
  { waitMs = 45_000, lookMs = 100 }: Patience = {},
): Promise<Seen> {
  const until = performance.now() + waitMs;
  for (;;) {
    const seen = await look();
    if (isOver(seen) || performance.now() > until || signal.aborted) return seen;
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}
