import { sql } from '../../db/drizzle.ts';
import { inTransaction, isCollision, type LastStatement, type Queries } from '../../db/pool.ts';
import { statement, typed } from '../../db/sql.ts';
import type { Bound, Rows } from '../../db/statement.ts';
import { rowsOn } from '../../db/transaction.ts';
import { type FeedName, feedKey } from '../feeds/feeds.ts';
import type { Context } from '../run/context.ts';
import type { PaidFor } from '../run/price.ts';

/** A row that waits for its position in a feed. The statement takes the position, writes the row and answers the position. */
export interface FeedAppend extends Bound<{ position: bigint }> {
  readonly name: FeedName;
  /** Asked before it, so that it sees what it would have waited for. */
  readonly before?: LastStatement | undefined;
  /** Told the position once it is committed. */
  readonly placed?: ((position: bigint) => void) | undefined;
}

/**
 * What a change works with: one transaction, and what has to happen with its commit. What is asked of it at once, without
 * waiting in between, travels at once.
 */
export interface Work extends Context {
  readonly client: Queries;
  /** What was paid on chain for this change; undefined when nothing was. */
  readonly payment?: PaidFor | undefined;
  /** Runs a prepared statement inside the transaction. */
  readonly rows: Rows;
  /** Queues a statement whose answer the handler does not need: it travels with the commit, before the feed rows. */
  readonly last: (statement: LastStatement) => void;
  /** Queues a feed row. Written as the last act before the commit, so that a feed's lock is held for a moment only. */
  readonly append: (row: FeedAppend) => void;
  /**
   * Notes that members, grants, delegates or sessions have changed, so that whatever is open by their right is looked
   * at again once the change is committed.
   *
   * @param id the organization's, or the principal's when the change is not one organization's
   */
  readonly authorityChanged: (id: string) => void;
  /** Does something in this process once the change is committed, such as forgetting what it made untrue. */
  readonly afterCommit: (act: () => void) => void;
  /** Enqueues follow-up work that exists exactly when the change does. */
  readonly addJob: (
    task: string,
    payload: Record<string, unknown>,
    options?: { readonly runAt?: Date; readonly key?: string },
  ) => Promise<void>;
}

/**
 * Runs a change: everything it writes, its audit row, its jobs, its stored outcome and, last, its feed rows share one
 * transaction. Signals leave after the commit. A transaction that another one got in the way of is run again.
 */
export async function unitOfWork<Output>(ctx: Context, run: (work: Work) => Promise<Output>): Promise<Output> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryOnce(ctx, run);
    } catch (error) {
      // Nothing of it is left, and what it collided with is done: it is only begun anew.
      if (attempt === attemptsMax || !(isCollision(error) || error instanceof Outdated)) throw error;
    }
  }
}

/** How often a change is begun at most. */
const attemptsMax = 3;

/** What was read before a lock, and decided which rows are locked, has changed: the change begins anew. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

async function tryOnce<Output>(ctx: Context, run: (work: Work) => Promise<Output>): Promise<Output> {
  const appends: FeedAppend[] = [];
  const changed = new Set<string>();
  const acts: (() => void)[] = [];
  const heads: { name: FeedName; position: bigint }[] = [];
  const output = await inTransaction(ctx.services.db.pool, async (client, last) => {
    const rows = rowsOn(client);
    const work: Work = {
      ...ctx,
      client,
      rows,
      last,
      append: (row) => void appends.push(row),
      authorityChanged: (id) => void changed.add(id),
      afterCommit: (act) => void acts.push(act),
      addJob: async (task, payload, { runAt, key } = {}) => {
        const job = { task, payload: JSON.stringify(payload), runAt: runAt ?? null, key: key ?? null };
        await rows(addJobStatement.with(job));
      },
    };
    const result = await run(work);
    // Feeds in one order everywhere, so that two changes that write to the same feeds cannot wait for each other.
    appends.sort((left, right) => (feedKey(left.name) < feedKey(right.name) ? -1 : 1));
    for (const { name, before, statement, values, placed } of appends) {
      if (before !== undefined) last(before);
      const answered = ([row]: readonly Record<string, unknown>[]) => {
        const position = row!.position as bigint;
        placed?.(position);
        heads.push({ name, position });
      };
      last({ statement, values, answered });
    }
    return result;
  });
  for (const act of acts) act();
  for (const { name, position } of heads) ctx.services.feeds.publish(name, position);
  for (const id of changed) ctx.services.authority.changed(id);
  return output;
}

const addJobStatement = statement(
  'jobs.add',
  {
    params: {
      task: typed<string>('text'),
      payload: typed<string>('json'),
      runAt: typed<Date | null>('timestamp with time zone'),
      key: typed<string | null>('text'),
    },
  },
  ({ task, payload, runAt, key }) => sql`select from graphile_worker.add_job(
    ${task}, ${payload}::json, run_at => coalesce(${runAt}::timestamptz, now()), job_key => ${key})`,
);
