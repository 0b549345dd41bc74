import type { Statement } from '../../db/pool.ts';
import type { Work } from '../unit-of-work.ts';
import type { ReportedProject } from './record-occurrences.ts';

/** Remembers that something was reported of some releases: from then on they can be asked about. */
export async function noteReleases(
  work: Work,
  { orgId, projectId }: ReportedProject,
  releaseIds: readonly string[],
): Promise<void> {
  if (releaseIds.length > 0) await work.rows(noteStatement, [orgId, projectId, releaseIds]);
}

const noteStatement: Statement = {
  name: 'errors.note-releases',
  text: `insert into error_releases (org_id, project_id, release_id)
    select distinct $1::uuid, $2, n.id from unnest($3::text[]) as n(id)
    where not exists (select from error_releases r where r.org_id = $1 and r.project_id = $2 and r.release_id = n.id)
    order by 3 on conflict do nothing`,
};
