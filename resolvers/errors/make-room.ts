import type { Statement } from '../../db/pool.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { FingerprintKey, ReportedProject } from './reported.ts';

/** Rows that are kept of one project’s failures; those that were seen longest ago make room. Contract 02, section 4.2. */
export const fingerprintsMax = 5_000;

/**
 * Counts new rows of a project, and removes those that were seen longest ago while there are too many. Locks the
 * project until the commit.
 */
export async function makeRoom(work: Work, { orgId, projectId }: ReportedProject, added: number): Promise<void> {
  const [counted] = await work.rows<{ fingerprints: number }>(countStatement, [orgId, projectId, added]);
  const excess = counted!.fingerprints - fingerprintsMax;
  if (excess <= 0) return;
  const gone = await work.rows<FingerprintKey>(evictStatement, [orgId, projectId, excess]);
  const values = [orgId, projectId, gone.map(({ fingerprintId }) => fingerprintId), gone.map((row) => row.function)];
  await work.rows(uncountStatement, values);
}

const countStatement: Statement = {
  name: 'errors.count-rows',
  text: `insert into error_projects as p (org_id, project_id, fingerprints) values ($1, $2, $3)
    on conflict (org_id, project_id) do update set fingerprints = p.fingerprints + excluded.fingerprints
    returning fingerprints`,
};

// A row that somebody is adding to right now is none of the oldest, whatever it says; to wait for it could last for ever.
const evictStatement: Statement = {
  name: 'errors.evict',
  text: `with oldest as (
      select fingerprint_id, function from error_fingerprints
      where org_id = $1 and project_id = $2
      order by last_seen, fingerprint_id, function limit $3 for update skip locked
    ), gone as (
      delete from error_fingerprints f using oldest o
      where f.org_id = $1 and f.project_id = $2 and f.fingerprint_id = o.fingerprint_id and f.function = o.function
      returning f.fingerprint_id, f.function
    ), counted as (
      update error_projects set fingerprints = fingerprints - (select count(*) from gone)
      where org_id = $1 and project_id = $2
    )
    select fingerprint_id as "fingerprintId", function from gone`,
};

// A statement of its own: what was counted until the rows were locked has to be seen.
const uncountStatement: Statement = {
  name: 'errors.uncount',
  text: `delete from error_counts c using unnest($3::text[], $4::text[]) as g(fingerprint_id, function)
    where c.org_id = $1 and c.project_id = $2 and c.fingerprint_id = g.fingerprint_id and c.function = g.function`,
};
