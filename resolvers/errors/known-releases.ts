import { alias, sql } from '../../db/drizzle.ts';
import { errorReleases, releaseActivations } from '../../db/schema/errors.ts';
import { from, namesOf, pick, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { ReportedProject } from './reported.ts';

/** Releases of one project that can be asked about; those that were reported first make room. */
export const releasesMax = 2_000;

/** Activations that the history of one project holds; the oldest make room. */
export const activationsMax = 1_000;

/** Remembers that something was reported of some releases: from then on they can be asked about. */
export async function noteReleases(
  work: Work,
  { orgId, projectId }: ReportedProject,
  releaseIds: readonly (string | null)[],
): Promise<void> {
  const ids = [...new Set(releaseIds)].filter((id) => id !== null);
  if (ids.length === 0) return;
  const noted = await work.rows(noteStatement.with({ orgId, projectId, ids }));
  if (noted.length > 0) await work.rows(forgetStatement.with({ orgId, projectId, most: releasesMax }));
}

const project = pick(errorReleases, 'orgId', 'projectId');

const known = alias(errorReleases, 'known');

const noteStatement = statement(
  'errors.note-releases',
  { params: { ...project, ids: typed<readonly string[]>('text[]') }, row: pick(errorReleases, 'releaseId') },
  ({ orgId, projectId, ids }, row) => sql`insert into ${errorReleases} (${namesOf(
    errorReleases.orgId,
    errorReleases.projectId,
    errorReleases.releaseId,
  )})
    select ${orgId}::uuid, ${projectId}, n.id from unnest(${ids}::text[]) as n(id)
    where not exists (select from ${from(known)} where ${known.orgId} = ${orgId}
      and ${known.projectId} = ${projectId} and ${known.releaseId} = n.id)
    order by 3 on conflict do nothing returning ${row}`,
);

// A release of the history is what verdicts are about, and stays as long as that; those that wait to be told of go last.
// Of those who make room at the same time each takes rows that nobody else does.
const forgetStatement = statement(
  'errors.forget-releases',
  { params: { ...project, most: typed<number>('integer') } },
  ({ orgId, projectId, most }) => sql`with spare as (
      select count(*)::int - ${most} as rows from ${errorReleases}
      where ${errorReleases.orgId} = ${orgId} and ${errorReleases.projectId} = ${projectId}
    ), oldest as (
      select ${errorReleases.releaseId} from ${errorReleases}
      where ${errorReleases.orgId} = ${orgId} and ${errorReleases.projectId} = ${projectId}
        and (select rows from spare) > 0 and not exists (
          select from ${releaseActivations} where ${releaseActivations.orgId} = ${orgId}
            and ${releaseActivations.projectId} = ${projectId}
            and ${releaseActivations.releaseId} = ${errorReleases.releaseId})
      order by ${errorReleases.dueAt} is not null, ${errorReleases.notedAt}, ${errorReleases.releaseId}
      limit greatest(0, (select rows from spare)) for update skip locked
    )
    delete from ${errorReleases} using oldest
    where ${errorReleases.orgId} = ${orgId} and ${errorReleases.projectId} = ${projectId}
      and ${errorReleases.releaseId} = oldest.release_id`,
);
