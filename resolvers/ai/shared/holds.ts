import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { aiAddons, aiHolds } from '../../../db/schema/ai.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { Task } from '../../../kernel/run/task.ts';
import { hold, type LedgerReference, settleHold } from '../../ledger/shared/ledger.ts';

/** Seconds after the last answer of a model until what was taken for it is given back by the job. */
const marginSeconds = 60;

/** When a hold is given back unless its request settles it, in seconds from now. */
export const holdSeconds = ({ services }: Pick<Context, 'services'>): number =>
  Math.ceil(services.ai.timeoutMs / 1000) + marginSeconds;

const referenceOf = (id: string): LedgerReference => ({ type: 'image', id });

/**
 * Sets the price of an image aside before its model is asked.
 *
 * @returns the hold; undefined when the balance does not cover it
 */
export async function holdPrice(ctx: Context, orgId: string, amount: bigint): Promise<string | undefined> {
  const id = ctx.services.newId('aih');
  try {
    await unitOfWork(ctx, async (work) => {
      await hold(work, { orgId, amount, reference: referenceOf(id) });
      await work.rows(insertStatement.with({ id, orgId, seconds: holdSeconds(ctx) }));
    });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INSUFFICIENT_FUNDS') return undefined;
    throw error;
  }
  return id;
}

/**
 * Ends a hold of money in the transaction of what it was for.
 *
 * @param captured what is paid of it, in micro-dollars
 * @throws SERVICE_UNAVAILABLE when it took so long that the job has given it back
 */
export async function settlePrice(work: Work, orgId: string, id: string, captured: bigint): Promise<void> {
  await endHold(work, id);
  await settleHold(work, { orgId, reference: referenceOf(id), kind: 'image', captured });
}

/** Gives a hold of money back. What fails here is given back by the job. */
export const releasePrice = (ctx: Context, orgId: string, id: string): Promise<void> =>
  unitOfWork(ctx, (work) => settlePrice(work, orgId, id, 0n));

/** Ends a hold, whose words or money are taken for good. @throws SERVICE_UNAVAILABLE when it was given back before */
export async function endHold(work: Work, id: string): Promise<void> {
  if ((await work.rows(endStatement.with({ id }))).length > 0) return;
  throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'This took too long, so nothing was charged.' });
}

/** The job that gives back what requests of lost nodes have taken. */
export const releaseHoldsTask = 'release_ai_holds';

export const releaseHolds: Task = async ({ ctx }) => {
  await ctx.services.db.rows(releaseWordsStatement.with({}));
  await unitOfWork(ctx, async (work) => {
    for (const { id, orgId } of await work.rows(expiredPricesStatement.with({})))
      await settlePrice(work, orgId!, id, 0n);
  });
};

const insertStatement = statement(
  'ai.hold-price',
  { params: { ...pick(aiHolds, 'id', 'orgId'), seconds: typed<number>('integer') } },
  ({ id, orgId, seconds }) => sql`insert into ${aiHolds} (id, org_id, expires_at)
    values (${id}, ${orgId}, now() + make_interval(secs => ${seconds}::int))`,
);

const endStatement = statement(
  'ai.end-hold',
  { params: pick(aiHolds, 'id'), row: pick(aiHolds, 'id') },
  ({ id }, row) => sql`delete from ${aiHolds} where ${aiHolds.id} = ${id} returning ${row}`,
);

const expiredPricesStatement = statement(
  'ai.expired-prices',
  { row: pick(aiHolds, 'id', 'orgId') },
  (_none, row) => sql`select ${row} from ${aiHolds}
    where ${aiHolds.expiresAt} < now() and ${aiHolds.orgId} is not null
    order by ${aiHolds.expiresAt} limit 100 for update skip locked`,
);

/** Words go back to the cycle that they were taken from; one that is over does not count any more. */
const wordsBack = (which: ReturnType<typeof sql>) => sql`with gone as (
    delete from ${aiHolds} where ${aiHolds.words} is not null and ${which}
    returning ${aiHolds.projectId} as project_id, ${aiHolds.cycleStart} as cycle_start, ${aiHolds.words} as words
  ), sums as (
    select project_id, cycle_start, sum(words)::int as words from gone group by project_id, cycle_start
  )
  update ${aiAddons} ${setOf(aiAddons, { usedWords: sql`greatest(0, ${aiAddons.usedWords} - sums.words)` })} from sums
  where ${aiAddons.projectId} = sums.project_id and ${aiAddons.addon} = 'translation'
    and ${aiAddons.cycleStart} = sums.cycle_start`;

const releaseWordsStatement = statement('ai.release-expired-words', {}, () =>
  wordsBack(sql`${aiHolds.expiresAt} < now()`),
);

/** Gives words back at once, those of a request that had no answer. */
export const releaseWords = statement('ai.release-words', { params: pick(aiHolds, 'id') }, ({ id }) =>
  wordsBack(sql`${aiHolds.id} = ${id}`),
);
