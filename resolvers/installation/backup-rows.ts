import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { type BackupJob, backupJobs } from '../../db/schema/installation.ts';
import { allOf, computed, insertInto, pick, setOf, statement } from '../../db/sql.ts';

/** A job that runs tells so every few seconds; one that was silent for so long has died with its node. */
const silence = '1 minute';

const diedText = 'The gateway that ran it has ended.';
const died = sql`${backupJobs.state} = 'running' and ${isPast(backupJobs.seenAt, silence)}`;

/** Marks a job as failed whose node has died, so that another one may begin. */
export const buryStatement = statement(
  'backups.bury',
  {},
  () =>
    sql`update ${backupJobs} ${setOf(backupJobs, {
      state: sql`'failed'`,
      endedAt: sql`now()`,
      error: sql.raw(`'${diedText}'`),
    })} where ${died}`,
);

/** Begins a job, unless one runs: then there is no row. */
export const beginStatement = statement(
  'backups.begin',
  { params: pick(backupJobs, 'id'), row: allOf(backupJobs) },
  ({ id }, row) => sql`${insertInto(backupJobs, { id })}
    on conflict (state) where state = 'running' do nothing returning ${row}`,
);

/** Notes how far a job has come. */
export const progressStatement = statement(
  'backups.progress',
  { params: pick(backupJobs, 'id', 'step', 'progress'), timeoutMs: 5_000 },
  ({ id, step, progress }) => sql`update ${backupJobs} ${setOf(backupJobs, { step, progress, seenAt: sql`now()` })}
    where ${backupJobs.id} = ${id} and ${backupJobs.state} = 'running'`,
);

/** Ends a job, also one that was taken for dead meanwhile. */
export const endStatement = statement(
  'backups.end',
  { params: pick(backupJobs, 'id', 'state', 'run', 'missing', 'error') },
  ({ id, ...ended }) =>
    sql`update ${backupJobs} ${setOf(backupJobs, {
      ...ended,
      endedAt: sql`now()`,
      progress: sql`case when ${ended.state} = 'done' then 1 else ${backupJobs.progress} end`,
    })} where ${backupJobs.id} = ${id}`,
);

const living = {
  ...allOf(backupJobs, ['state', 'error', 'endedAt']),
  state: computed<BackupJob['state']>('text', sql`case when ${died} then 'failed' else ${backupJobs.state} end`),
  error: computed<string | null>(
    'text',
    sql`case when ${died} then ${sql.raw(`'${diedText}'`)} else ${backupJobs.error} end`,
  ),
  endedAt: computed<Date | null>(
    'timestamp(3) with time zone',
    sql`case when ${died} then ${backupJobs.seenAt} else ${backupJobs.endedAt} end`,
  ),
};

/** The latest job. */
export const latestStatement = statement(
  'backups.latest',
  { row: living },
  (_, row) => sql`select ${row} from ${backupJobs} order by ${backupJobs.startedAt} desc limit 1`,
);
