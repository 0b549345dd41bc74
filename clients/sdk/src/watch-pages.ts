import { pause } from './connection.ts';

/** What is looked at again and again for a while, and what that comes to. Contract 02, section 4.7. */
export interface PageWatch<Page> {
  readonly look: () => Promise<Page>;
  /** Whether a look has seen what ends the watch before its time. */
  readonly isDone: (page: Page) => boolean;
  /** Whether a look that went wrong may go well the next time. */
  readonly passes: (error: unknown) => boolean;
  readonly windowMs: number;
  readonly intervalMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Told of each look that is not the last, with what was seen last and what went wrong. */
  readonly onLook?: (seen: {
    readonly page: Page | undefined;
    readonly error: unknown;
    readonly spentMs: number;
  }) => void;
}

export interface WatchedPage<Page> {
  /** Of the last look that was answered. */
  readonly page: Page;
  readonly polls: number;
  readonly elapsedMs: number;
  /** Whether the signal ended it before its time. */
  readonly aborted: boolean;
}

/** Looks in a row that may go wrong before the watch does. */
const failuresMax = 3;

/**
 * Looks at once, after each interval, and a last time when the window is over; that one has to be answered, for nobody is
 * to be judged by what was seen before.
 *
 * @throws what a look threw that will not pass, or three in a row, or the only one before the signal ended it
 */
export async function watchPages<Page>(watch: PageWatch<Page>): Promise<WatchedPage<Page>> {
  const { look, isDone, passes, windowMs, intervalMs, signal, onLook } = watch;
  const startedAt = Date.now();
  const spentMs = () => Date.now() - startedAt;
  const isAborted = () => signal?.aborted === true;
  let page: Page | undefined;
  let failures = 0;
  let isLast = false;
  for (let polls = 1; ; polls++) {
    let error: unknown;
    try {
      page = await look();
      failures = 0;
      if (isLast || isDone(page)) return { page, polls, elapsedMs: spentMs(), aborted: false };
    } catch (thrown) {
      error = thrown;
      if (isAborted() ? page === undefined : !passes(thrown) || ++failures >= failuresMax) throw thrown;
    }
    if (!isAborted()) {
      const leftMs = windowMs - spentMs();
      // A last look that got no answer is taken again like any other.
      const pauseMs = isLast ? intervalMs : Math.min(intervalMs, Math.max(0, leftMs));
      isLast ||= leftMs <= intervalMs;
      onLook?.({ page, error, spentMs: spentMs() });
      await pause(pauseMs, signal).catch(() => undefined);
    }
    if (isAborted() && page !== undefined) return { page, polls, elapsedMs: spentMs(), aborted: true };
  }
}
