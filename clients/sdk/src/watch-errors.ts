import type { CallOptions, Connection } from './connection.ts';
import { isSvcError } from './errors.ts';
import { errors, type ListAnswer, type ListInput } from './namespaces/errors.ts';
import { watchPages } from './watch-pages.ts';

export interface WatchErrorsInput extends Omit<ListInput, 'after' | 'newIn'> {
  /** What was first seen under this release is new; `active` for the one that is active. */
  readonly newIn: string;
  /** How long it is watched, in seconds. @default 600 */
  readonly windowSeconds?: number | undefined;
  /** How long it waits between two looks, in seconds. @default 15 */
  readonly intervalSeconds?: number | undefined;
}

export interface WatchedErrors {
  /** Whether nothing new was seen. */
  readonly clean: boolean;
  /** Of the last look. */
  readonly verdict: ListAnswer['verdict'];
  readonly newErrors: ListAnswer['errors'];
  /** How often it was looked. */
  readonly polls: number;
  readonly elapsedMs: number;
  /** Set when the signal ended it before its time. */
  readonly aborted?: true;
}

/**
 * Watches a release for failures that no release before it had, which is how a deploy is judged: looks at once, then now
 * and again, and a last time at the end; the first look that finds something new ends it. Contract 02, section 4.7.
 *
 * @throws SvcError for what is refused, and when three looks in a row get no answer
 */
export async function watchErrors(
  connection: Connection,
  { windowSeconds = 600, intervalSeconds = 15, ...input }: WatchErrorsInput,
  options: CallOptions = {},
): Promise<WatchedErrors> {
  const { list } = errors(connection);
  const { page, polls, elapsedMs, aborted } = await watchPages({
    look: () => list(input, options),
    isDone: ({ verdict }) => verdict.newFingerprints > 0,
    passes,
    windowMs: windowSeconds * 1_000,
    intervalMs: intervalSeconds * 1_000,
    signal: options.signal,
  });
  const { verdict, errors: newErrors } = page;
  const clean = verdict.newFingerprints === 0;
  return { clean, verdict, newErrors, polls, elapsedMs, ...(aborted ? { aborted } : {}) };
}

/** Whether a look that went wrong may go well the next time. */
const passes = (error: unknown): boolean =>
  isSvcError(error) && (error.status === 0 || error.status >= 500 || [408, 429].includes(error.status));
