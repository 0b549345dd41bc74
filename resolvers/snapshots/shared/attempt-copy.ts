import { ServiceError } from '../../../core/errors.ts';
import type { LeasedItem, PutOffStatement } from '../../../kernel/durability/leased-statements.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { attemptsMax, mayPass, pauseAfter, reasonOf } from './copy-failure.ts';

/** Another node has what is made, or it was deleted. */
export class LostCopyError extends Error {
  override readonly name = 'LostCopyError';
}

class WornOutError extends Error {
  override readonly name = 'LateError';
}

export interface CopyAttempt {
  /** How often it was begun, this time included. */
  readonly attempts: number;
  /** What the log says when it fails. */
  readonly failed: string;
  /** May be repeated by another node. */
  readonly run: () => Promise<void>;
  readonly putOff: PutOffStatement;
  /** Notes that it came to nothing. */
  readonly fail: (reason: string) => Promise<void>;
}

/** Makes an attempt at a copy that this node has in its hands, and puts it off or gives it up where that fails. */
export async function attemptCopy(
  ctx: Context,
  { id, lease }: LeasedItem,
  { attempts, failed, run, putOff, fail }: CopyAttempt,
): Promise<void> {
  try {
    if (attempts > attemptsMax) throw new WornOutError('It was begun five times, and came to no end.');
    await run();
  } catch (error) {
    if (error instanceof LostCopyError) return;
    const { db, log } = ctx.services;
    if (ctx.signal.aborted) return void (await db.rows(putOff.with({ id, lease, seconds: 0, uncounted: 1 })));
    log.warn({ id, err: error }, failed);
    if (mayPass(error) && attempts < attemptsMax && !(error instanceof WornOutError))
      return void (await db.rows(putOff.with({ id, lease, seconds: pauseAfter(attempts), uncounted: 0 })));
    await fail(reasonOf(error));
  }
}

/** What the platform's own tables refuse is nothing that a tenant is told the words of. */
export function asOwn(error: unknown): never {
  if (error instanceof ServiceError || error instanceof LostCopyError) throw error;
  throw new Error('The copy could not be opened.', { cause: error });
}
