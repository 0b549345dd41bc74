import { sql } from '../../../db/drizzle.ts';
import { projectArchives } from '../../../db/schema/archives.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import { LostCopyError } from '../../snapshots/shared/attempt-copy.ts';
import { goneOfCopies } from '../../snapshots/shared/gone-of-copies.ts';
import { archiveEventTypes } from '../event-types.ts';

type Held = Pick<LeasedItem, 'id' | 'lease'>;

type Made = Omit<Parameters<typeof readyStatement.with>[0], keyof Held>;

/** Notes that an archive was made. @throws LostCopyError */
export async function settleArchive(work: Work, { id, lease }: Held, made: Made): Promise<void> {
  const [ready] = await work.rows(readyStatement.with({ id, lease, ...made }));
  if (ready === undefined) throw new LostCopyError('It was taken over or deleted.');
  // Of an attempt that was cut short, other bytes may be left.
  await work.rows(letGoStatement.with({ id, sha256: made.sha256 }));
  work.append(appendEvent({ ...ready, type: archiveEventTypes.archive_ready, payload: { archive_id: id } }));
}

/** Notes that a project could not be exported, and why. */
export async function failArchive(
  work: Work,
  { id, lease }: Held,
  error: { readonly code: string; readonly message: string },
): Promise<void> {
  const [failed] = await work.rows(failStatement.with({ id, lease, error: JSON.stringify(error) }));
  if (failed === undefined) return;
  await work.rows(letGoStatement.with({ id, sha256: null }));
  const payload = { archive_id: id, error_code: error.code, message: error.message };
  work.append(appendEvent({ ...failed, type: archiveEventTypes.archive_failed, payload }));
}

const held = { ...pick(projectArchives, 'id'), lease: typed<string>('text') };
const over = { dueAt: sql`null`, lease: sql`null`, completedAt: sql`now()`, updatedAt: sql`now()` };
const owner = pick(projectArchives, 'orgId', 'projectId');

const readyStatement = statement(
  'archives.ready',
  {
    params: {
      ...held,
      ...pick(projectArchives, 'sha256', 'byteCount', 'digest', 'activeReleaseId'),
      ...pick(projectArchives, 'consistency', 'exportReport', 'portabilityReport'),
    },
    row: owner,
  },
  ({ id, lease, ...set }, row) => sql`update ${projectArchives} ${setOf(projectArchives, {
    ...set,
    ...over,
    status: sql`'ready'`,
    error: sql`null`,
    expiresAt: sql`now() + interval '7 days'`,
  })} where ${projectArchives.id} = ${id} and ${projectArchives.lease} = ${lease}
    and ${projectArchives.status} = 'running' returning ${row}`,
);

const failStatement = statement(
  'archives.fail',
  { params: { ...held, ...pick(projectArchives, 'error') }, row: owner },
  ({ id, lease, error }, row) => sql`update ${projectArchives} ${setOf(projectArchives, {
    ...over,
    error,
    status: sql`'failed'`,
  })} where ${projectArchives.id} = ${id} and ${projectArchives.lease} = ${lease}
    and ${projectArchives.status} = 'running' returning ${row}`,
);

const letGoStatement = statement(
  'archives.let-go',
  { params: { ...pick(projectArchives, 'id'), sha256: typed<string | null>('text') } },
  ({ id, sha256 }) => sql`with ${goneOfCopies(sql`select ${id}::text`, sql`sha256 is distinct from ${sha256}`)} select`,
);
