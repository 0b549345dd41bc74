import { sql } from '../../db/drizzle.ts';
import { errorCounts, errorFingerprints, errorProjects } from '../../db/schema/errors.ts';
import { excluded, insertInto, nameOf, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { keyArrays, keysOf, type ReportedProject } from './reported.ts';

/** Rows that are kept of one project’s failures; those that were seen longest ago make room. Contract 02, section 4.2. */
export const fingerprintsMax = 5_000;

/**
 * Counts new rows of a project, and removes those that were seen longest ago while there are too many. Locks the
 * project until the commit.
 */
export async function makeRoom(work: Work, { orgId, projectId }: ReportedProject, added: number): Promise<void> {
  const [counted] = await work.rows(countStatement.with({ orgId, projectId, fingerprints: added }));
  const excess = counted!.fingerprints - fingerprintsMax;
  if (excess <= 0) return;
  const gone = await work.rows(evictStatement.with({ orgId, projectId, excess }));
  await work.rows(uncountStatement.with({ orgId, projectId, ...keysOf(gone) }));
}

const countStatement = statement(
  'errors.count-rows',
  { params: pick(errorProjects, 'orgId', 'projectId', 'fingerprints'), row: pick(errorProjects, 'fingerprints') },
  (given, row) => sql`${insertInto(errorProjects, given)}
    on conflict (${namesOf(errorProjects.orgId, errorProjects.projectId)}) do update ${setOf(errorProjects, {
      fingerprints: sql`${errorProjects.fingerprints} + ${excluded(errorProjects.fingerprints)}`,
    })} returning ${row}`,
);

// A row that is being added to right now is none of the oldest, whatever it says; to wait for it could last for ever.
const evictStatement = statement(
  'errors.evict',
  {
    params: { ...pick(errorFingerprints, 'orgId', 'projectId'), excess: typed<number>('bigint') },
    row: pick(errorFingerprints, 'fingerprintId', 'function'),
  },
  ({ orgId, projectId, excess }, row) => sql`with oldest as (
      select ${errorFingerprints.fingerprintId}, ${errorFingerprints.function} from ${errorFingerprints}
      where ${errorFingerprints.orgId} = ${orgId} and ${errorFingerprints.projectId} = ${projectId}
      order by ${errorFingerprints.lastSeen}, ${errorFingerprints.fingerprintId}, ${errorFingerprints.function}
      limit ${excess} for update skip locked
    ), gone as (
      delete from ${errorFingerprints} using oldest
      where ${errorFingerprints.orgId} = ${orgId} and ${errorFingerprints.projectId} = ${projectId}
        and ${errorFingerprints.fingerprintId} = oldest.fingerprint_id
        and ${errorFingerprints.function} = oldest.function
      returning ${errorFingerprints.fingerprintId}, ${errorFingerprints.function}
    ), counted as (
      update ${errorProjects}
      set ${nameOf(errorProjects.fingerprints)} = ${errorProjects.fingerprints} - (select count(*) from gone)
      where ${errorProjects.orgId} = ${orgId} and ${errorProjects.projectId} = ${projectId}
    )
    select ${row} from gone ${errorFingerprints}`,
);

// A statement of its own: what was counted until the rows were locked has to be seen.
const uncountStatement = statement(
  'errors.uncount',
  { params: { ...pick(errorCounts, 'orgId', 'projectId'), ...keyArrays } },
  ({ orgId, projectId, fingerprintIds, functions }) => sql`delete from ${errorCounts}
    using unnest(${fingerprintIds}::text[], ${functions}::text[]) as g(fingerprint_id, function)
    where ${errorCounts.orgId} = ${orgId} and ${errorCounts.projectId} = ${projectId}
      and ${errorCounts.fingerprintId} = g.fingerprint_id and ${errorCounts.function} = g.function`,
);
