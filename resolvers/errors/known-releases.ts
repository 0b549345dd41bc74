import type { Statement } from '../../db/pool.ts';
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
  const noted = await work.rows(noteStatement, [orgId, projectId, ids]);
  if (noted.length > 0) await work.rows(forgetStatement, [orgId, projectId, releasesMax]);
}

const noteStatement: Statement = {
  name: 'errors.note-releases',
  text: `insert into error_releases (org_id, project_id, release_id)
    select $1::uuid, $2, n.id from unnest($3::text[]) as n(id)
    where not exists (select from error_releases r where r.org_id = $1 and r.project_id = $2 and r.release_id = n.id)
    order by 3 on conflict do nothing returning release_id`,
};

// A release of the history is what verdicts are about, and stays as long as that; those that wait to be told of go last.
// Of those who make room at the same time each takes rows that nobody else does.
const forgetStatement: Statement = {
  name: 'errors.forget-releases',
  text: `with spare as (
      select count(*)::int - $3 as rows from error_releases where org_id = $1 and project_id = $2
    ), oldest as (
      select r.release_id from error_releases r
      where r.org_id = $1 and r.project_id = $2 and (select rows from spare) > 0 and not exists (
        select from release_activations a
        where a.org_id = $1 and a.project_id = $2 and a.release_id = r.release_id)
      order by r.due_at is not null, r.noted_at, r.release_id
      limit greatest(0, (select rows from spare)) for update skip locked
    )
    delete from error_releases r using oldest o
    where r.org_id = $1 and r.project_id = $2 and r.release_id = o.release_id`,
};
