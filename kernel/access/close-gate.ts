import { sql } from '../../db/drizzle.ts';
import { liveReleases } from '../../db/schema/releases.ts';
import { insertInto, namesOf, pick, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../durability/unit-of-work.ts';

interface Gated {
  readonly orgId: string;
  readonly projectId: string;
}

/** Closes a project's data while the migrations of a deploy run, or its database is exchanged. @param operationId who opens it again */
export async function closeGate(work: Work, owner: Gated, operationId: string): Promise<void> {
  await work.rows(closeStatement.with({ ...owner, gatedBy: operationId }));
  work.afterCommit(() => work.services.gates.changed());
}

/** Opens it again, where this operation has closed it. */
export async function openGate(work: Work, owner: Gated, operationId: string): Promise<void> {
  const opened = await work.rows(openStatement.with({ ...owner, gatedBy: operationId }));
  if (opened.length > 0) work.afterCommit(() => work.services.gates.changed());
}

const params = pick(liveReleases, 'orgId', 'projectId', 'gatedBy');

const closeStatement = statement(
  'releases.close-gate',
  { params },
  (given) => sql`${insertInto(liveReleases, given)}
    on conflict (${namesOf(liveReleases.orgId, liveReleases.projectId)})
    do update ${setOf(liveReleases, { gatedBy: given.gatedBy })}`,
);

const openStatement = statement(
  'releases.open-gate',
  { params, row: pick(liveReleases, 'projectId') },
  (given, row) => sql`update ${liveReleases} ${setOf(liveReleases, { gatedBy: sql`null` })}
    where ${liveReleases.orgId} = ${given.orgId} and ${liveReleases.projectId} = ${given.projectId}
      and ${liveReleases.gatedBy} = ${given.gatedBy} returning ${row}`,
);
