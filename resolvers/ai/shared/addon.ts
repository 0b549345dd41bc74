import { ServiceError } from '../../../core/errors.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { interval } from '../../../db/intervals.ts';
import { aiAddons, aiHolds } from '../../../db/schema/ai.ts';
import { computed, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { quotaExceeded } from '../../../kernel/limits/quota.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { holdSeconds } from './holds.ts';

/** What a project may translate, and has. */
export interface TranslationUsage {
  readonly active: boolean;
  readonly usedWords: number;
  readonly includedWords: number;
  /** Null where there never was an add-on. */
  readonly cycleStart: Date | null;
}

const cycle = interval('30 days');
const cycleSeconds = sql.raw('2592000');

/** The beginning of the cycle that is now, and what is used of it. */
export const currentCycle: SQL = sql`${aiAddons.cycleStart}
  + greatest(0, floor(extract(epoch from now() - ${aiAddons.cycleStart}) / ${cycleSeconds})) * ${cycle}`;
export const currentlyUsed: SQL = sql`case when ${aiAddons.cycleStart} + ${cycle} <= now() then 0 else ${aiAddons.usedWords} end`;

/** How a project stands. */
export async function translationUsage(
  { services }: Pick<Context, 'services'>,
  projectId: string,
): Promise<TranslationUsage> {
  const [found] = await services.db.rows(usageStatement.with({ projectId }));
  return found ?? { active: false, usedWords: 0, includedWords: 0, cycleStart: null };
}

/**
 * Takes words of the cycle before they are translated, so that callers who race cannot pass the limit.
 *
 * @returns the hold, which is ended with the answer
 * @throws AI_ADDON_INACTIVE, QUOTA_EXCEEDED
 */
export async function takeWords(ctx: Context, projectId: string, words: number): Promise<string> {
  const id = ctx.services.newId('aih');
  const given = { id, projectId, words, seconds: holdSeconds(ctx) };
  if ((await ctx.services.db.rows(takeStatement.with(given))).length > 0) return id;
  const { active, usedWords, includedWords } = await translationUsage(ctx, projectId);
  if (!active) throw new ServiceError('AI_ADDON_INACTIVE', { details: { addon: 'translation' } });
  const quota = {
    scope: 'project',
    metric: 'translation_words',
    message: `The text has ${words} words, more than the project has left of its cycle.`,
  } as const;
  throw quotaExceeded(quota, includedWords, usedWords);
}

const usageStatement = statement(
  'ai.usage',
  {
    params: pick(aiAddons, 'projectId'),
    row: {
      ...pick(aiAddons, 'active', 'includedWords'),
      usedWords: computed<number>('integer', currentlyUsed),
      cycleStart: computed<Date>('timestamp with time zone', currentCycle),
    },
  },
  ({ projectId }, row) => sql`select ${row} from ${aiAddons}
    where ${aiAddons.projectId} = ${projectId} and ${aiAddons.addon} = 'translation'`,
);

const takeStatement = statement(
  'ai.take-words',
  {
    params: {
      ...pick(aiHolds, 'id'),
      ...pick(aiAddons, 'projectId'),
      words: typed<number>('integer'),
      seconds: typed<number>('integer'),
    },
    row: pick(aiHolds, 'id'),
  },
  ({ id, projectId, words, seconds }, row) => sql`with taken as (
      update ${aiAddons} ${setOf(aiAddons, {
        usedWords: sql`${currentlyUsed} + ${words}::int`,
        cycleStart: currentCycle,
      })} where ${aiAddons.projectId} = ${projectId} and ${aiAddons.addon} = 'translation' and ${aiAddons.active}
        and ${currentlyUsed} + ${words}::int <= ${aiAddons.includedWords}
      returning ${nameOf(aiAddons.cycleStart)} as cycle_start
    )
    insert into ${aiHolds} (id, project_id, words, cycle_start, expires_at)
    select ${id}, ${projectId}, ${words}::int, cycle_start, now() + make_interval(secs => ${seconds}::int) from taken
    returning ${row}`,
);
