import type { Statement } from '../../db/pool.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import type { Services } from '../../kernel/run/context.ts';
import { projectColumns } from '../projects/shared/load-projects.ts';
import type { ProjectRow } from '../projects/shared/wire.ts';

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
  db.rows<ProjectRow>(projectsStatement, [orgId]);

/** @param projects those of the organization that are not deleted */
export async function poolOf(
  { db, projectDatabases, usage }: Pick<Services, 'db' | 'projectDatabases' | 'usage'>,
  org: Org,
  projects: readonly ProjectRow[],
): Promise<PoolUsage> {
  // What this node has counted so far, so that callers see their own calls.
  await usage.flush();
  const ready = projects.filter(({ state }) => state === 'ready');
  const [[counted], sizes] = await Promise.all([
    db.rows<{ calls: bigint }>(callsStatement, [org.id]),
    projectDatabases.sizesBytes(ready),
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

const projectsStatement: Statement = {
  name: 'tiers.projects',
  text: `select ${projectColumns} from projects p join orgs o on o.id = p.org_id
    where p.org_id = $1 and p.deleted_at is null order by p.created_at desc, p.id desc`,
};

const callsStatement: Statement = {
  name: 'tiers.calls',
  text: `select coalesce(sum(u.api_calls), 0)::bigint as calls from project_usage u join orgs o on o.id = u.org_id
    where o.id = $1 and u.since = o.usage_since`,
};
