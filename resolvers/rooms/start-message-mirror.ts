import { setTimeout as sleep } from 'node:timers/promises';
import { safeMessage } from '../../core/safe-message.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mirrorMessages } from './mirror-messages.ts';

/** Has messages told as events soon after they were sent. */
export interface MessageMirror {
  /** There is something to tell. Returns at once, and never throws. */
  readonly wake: () => void;
}

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Told of messages that the events tell of. */
    readonly messageMirror: MessageMirror;
  }
}

/** How long what is under way may take to end when the server stops, in milliseconds; the rest is found later. */
const stopMs = 2_000;
/** Messages sent within this time are copied together, in milliseconds. */
const gatherMs = 100;

/**
 * The mirror of one node. What it misses, because it stops or because the database is away, is copied by the job that
 * looks for it.
 *
 * @param contextOf the context of background work, which ends with the signal
 */
export function startMessageMirror(contextOf: (signal: AbortSignal) => Context) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let wanted = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (wanted && !signal.aborted) {
      await sleep(gatherMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      wanted = false;
      const ctx = contextOf(signal);
      try {
        await mirrorMessages(ctx);
      } catch (error) {
        if (!signal.aborted) ctx.services.log.warn({ error: safeMessage(error) }, 'Messages are told as events later.');
      }
    }
  }

  return {
    wake(): void {
      wanted = true;
      running ??= run().finally(() => {
        running = undefined;
      });
    },
    /** Lets what is under way come to its end, for a while, and begins nothing more. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.race([running, sleep(stopMs, undefined, { ref: false })]);
    },
  };
}
