import { inParallel } from '../../core/in-parallel.ts';
import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { contentObjects, contentParts, contentRemovals, contentUploads } from '../../db/schema/content.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import { batchRows, untilNotFull } from '../../kernel/durability/housekeeping.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import { isHeld } from './is-held.ts';
import { goneFrom } from './let-go.ts';
import { removeContentLock } from './shared/content-lock.ts';

/** Uploads, or objects, of one batch: small, since others wait for the lock meanwhile. */
const batch = 50;
const removedAtOnce = 10;

/** Throws away what was sent for plans that have expired. */
export const discardUploads: Task = (job) =>
  untilNotFull(job, batch, async () => {
    const { db, objects } = job.ctx.services;
    const expired = await db.rows(expiredStatement.with({}));
    for (const upload of expired) await objects.discard(upload);
    // Whoever planned the same bytes anew meanwhile keeps the row, and sends them again.
    await db.rows(forgetStatement.with({ ids: expired.map(({ id }) => id) }));
    return expired.length;
  });

/** Lets go of what no plan has named for longer than a plan lives, and an hour. Contract 03, section 2.1. */
export const letGoOfContent: Task = (job) =>
  untilNotFull(job, batchRows, async () => (await job.ctx.services.db.rows(letGoStatement.with({}))).length);

/**
 * Removes bytes from the object store that no project holds any more. The note of it goes with the same transaction that
 * has looked whether somebody holds them, so that a node that stops in between leaves it to the next one.
 */
export const removeContent: Task = (job) =>
  untilNotFull(job, batch, () =>
    unitOfWork(job.ctx, async (work) => {
      await work.rows(removeContentLock.with({}));
      const noted = await work.rows(notedStatement.with({}));
      const gone = noted.filter(({ held }) => !held);
      // Others wait for the lock meanwhile.
      await inParallel(gone, removedAtOnce, ({ sha256 }) => work.services.objects.remove(sha256));
      await work.rows(removedStatement.with({ sha256s: noted.map(({ sha256 }) => sha256) }));
      return noted.length;
    }),
  );

const limit = sql.raw(String(batch));

const letGoStatement = statement(
  'content.let-go',
  { row: pick(contentObjects, 'sha256') },
  (_none, row) => sql`with ${goneFrom(sql`ctid = any(array(
      select ctid from ${contentObjects}
      where ${isPast(contentObjects.usedAt, '25 hours')}
        and not ${contentObjects.released} and not ${contentObjects.named}
      limit ${sql.raw(String(batchRows))} for update skip locked))`)}
    select ${row} from gone ${contentObjects}`,
);

const expiredStatement = statement(
  'content.expired-uploads',
  { row: pick(contentUploads, 'id') },
  (_none, row) => sql`select ${row} from ${contentUploads} where ${contentUploads.expiresAt} < now()
    order by ${contentUploads.expiresAt} limit ${limit}`,
);

const ids = typed<readonly string[]>('text[]');

const forgetStatement = statement(
  'content.forget-expired',
  { params: { ids } },
  (given) => sql`with gone as (delete from ${contentUploads}
      where ${contentUploads.id} = any(${given.ids}::text[]) and ${contentUploads.expiresAt} < now() returning id)
    delete from ${contentParts} where ${contentParts.uploadId} in (select id from gone)`,
);

const notedStatement = statement(
  'content.noted-removals',
  {
    row: {
      sha256: contentRemovals.sha256,
      held: computed<boolean>('boolean', isHeld(sql`${contentRemovals.sha256}`)),
    },
  },
  (_none, row) => sql`select ${row} from ${contentRemovals} order by ${contentRemovals.sha256} limit ${limit}`,
);

const removedStatement = statement(
  'content.removed',
  { params: { sha256s: ids } },
  (given) => sql`delete from ${contentRemovals} where ${contentRemovals.sha256} = any(${given.sha256s}::text[])`,
);
