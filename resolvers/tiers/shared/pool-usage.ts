import { sql } from '../../../db/drizzle.ts';
import { type Org, orgs } from '../../../db/schema/orgs.ts';
import { projects, projectUsage } from '../../../db/schema/projects.ts';
import { computed, pick, statement } from '../../../db/sql.ts';
import { limitsOf } from '../../../kernel/limits/limits.ts';
import { storageOfProjects } from '../../../kernel/limits/storage.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { projectColumns, projectsAndOrgs } from '../../projects/shared/load-projects.ts';
import type { ProjectRow } from '../../projects/shared/wire.ts';

/** What all projects of an organization use together, beside what its tier allows. */
export interface PoolUsage {
  readonly projects: number;
  /** Requests to data planes in this lease, those of projects deleted since among them. */
  readonly apiCalls: number;
  readonly storageBytes: number;
  readonly apiCallsLimit: number;
  readonly storageBytesLimit: number;
}

export const emptyPool: PoolUsage = {
  projects: 0,
  apiCalls: 0,
  storageBytes: 0,
  apiCallsLimit: 0,
  storageBytesLimit: 0,
};

/** Every project of an organization that is not deleted, newest first. Its caller may see them. */
export const projectsOf = ({ db }: Pick<Services, 'db'>, orgId: string): Promise<ProjectRow[]> =>
  db.rows(projectsStatement.with({ orgId }));

/** @param projects those of the organization that are not deleted */
export async function poolOf(
  { db, projectDatabases, usage }: Pick<Services, 'db' | 'projectDatabases' | 'usage'>,
  org: Org,
  projects: readonly ProjectRow[],
): Promise<PoolUsage> {
  // What this node has counted so far, so that callers see their own calls.
  await usage.flush();
  const [[counted], sizes] = await Promise.all([
    db.rows(callsStatement.with({ id: org.id })),
    storageOfProjects({ db, projectDatabases }, projects),
  ]);
  const limits = limitsOf(org);
  return {
    projects: projects.length,
    apiCalls: Number(counted!.calls),
    storageBytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    apiCallsLimit: limits.apiCalls,
    storageBytesLimit: limits.storageBytes,
  };
}

const projectsStatement = statement(
  'tiers.projects',
  { params: pick(projects, 'orgId'), row: projectColumns },
  ({ orgId }, row) => sql`select ${row} from ${projectsAndOrgs}
    where ${projects.orgId} = ${orgId} and ${projects.deletedAt} is null
    order by ${projects.createdAt} desc, ${projects.id} desc`,
);

const callsStatement = statement(
  'tiers.calls',
  {
    params: pick(orgs, 'id'),
    row: { calls: computed<bigint>('bigint', sql`coalesce(sum(${projectUsage.apiCalls}), 0)::bigint`) },
  },
  ({ id }, row) => sql`select ${row} from ${projectUsage} join ${orgs} on ${orgs.id} = ${projectUsage.orgId}
    where ${orgs.id} = ${id} and ${projectUsage.since} = ${orgs.usageSince}`,
);
