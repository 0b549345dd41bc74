import type { LiveCaller } from '../../resolvers/live/authenticate-live.ts';
import type { LiveHint, LiveHub } from '../../resolvers/live/live-hub.ts';
import type { LiveParams } from '../../resolvers/live/live-input.ts';
import { hintJson } from '../../subscriptions/live/live-frames.ts';
import { whenDraining } from './draining.ts';

export interface HeldReadOptions {
  readonly live: LiveHub;
  readonly draining: AbortSignal;
  /** Aborted when no client waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * What has changed since a cursor, as JSON; waits for it when nothing has. Contract 01, section 4.6.
 *
 * @throws TABLE_NOT_LIVE, AUTH_REQUIRED, UPSTREAM_UNAVAILABLE
 */
export async function readLiveChanges(
  caller: LiveCaller,
  { tables, cursor, wait }: Pick<LiveParams, 'tables' | 'cursor' | 'wait'>,
  { live, draining, signal }: HeldReadOptions,
): Promise<string> {
  const startedAt = performance.now();
  let settle = () => {};
  const subscription = await live.open({ ...caller, tables, cursor, counted: false, waits: wait !== undefined });
  try {
    if (subscription.resync !== undefined) return answer([], subscription.cursor, { resync: true, tables });
    if (cursor === undefined) return answer([], subscription.cursor);
    const found = await new Promise<{ hints: readonly LiveHint[]; resync?: boolean }>((resolve) => {
      const none = () => resolve({ hints: [] });
      if (signal.aborted) none();
      const timer = setTimeout(none, (wait ?? patienceSeconds) * 1000);
      const stopWatching = whenDraining(draining, none);
      signal.addEventListener('abort', none, { once: true });
      const collected: LiveHint[] = [];
      let caughtUp = false;
      const done = () => resolve({ hints: collected });
      subscription.start({
        hints: ({ hints }) => {
          collected.push(...hints);
          if (caughtUp || collected.length >= hintsMax) done();
        },
        resync: () => resolve({ hints: [], resync: true }),
        end: done,
        caughtUp: () => {
          caughtUp = true;
          if (collected.length > 0 || wait === undefined) done();
        },
      });
      settle = () => {
        clearTimeout(timer);
        stopWatching();
        signal.removeEventListener('abort', none);
      };
    });
    const last = found.hints.at(-1)?.cursor ?? subscription.cursor;
    if (found.resync === true) return answer([], last, { resync: true, tables });
    return answer(found.hints, last, {
      resync: false,
      waited_seconds: Math.round((performance.now() - startedAt) / 10) / 100,
    });
  } finally {
    settle();
    subscription.close();
  }
}

/** About so many hints are answered at once; the rest follows from the cursor. */
const hintsMax = 1_000;

/** What lies behind is handed over within this time, in seconds, or the database is not there. */
const patienceSeconds = 25;

const answer = (hints: readonly LiveHint[], cursor: string, more: object = { resync: false }): string =>
  `{"changes":[${hints.map(hintJson).join(',')}],${JSON.stringify({ cursor, ...more }).slice(1)}`;
