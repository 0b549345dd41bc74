import { sql } from '../../db/drizzle.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projectUsage } from '../../db/schema/projects.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { storageOfProjects } from '../../kernel/limits/storage.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { ProjectRow } from './shared/wire.ts';

export interface ProjectUsage {
  /** Requests made with the project's own keys in the present period of its organization. */
  readonly apiCalls: number;
  /** Of its database and its content. */
  readonly storageBytes: number;
  readonly apiCallsLimit: number;
  readonly storageBytesLimit: number;
}

/**
 * What projects use, beside what their organizations' tiers allow, in the order given: one statement for what was
 * counted, one for their content, and one for each project server. What this node counted before is written first, so that a caller sees its
 * own calls; those of other nodes show within a second or so.
 */
export async function projectUsages(services: Services, projects: readonly ProjectRow[]): Promise<ProjectUsage[]> {
  await services.usage.flush();
  const [counted, bytes] = await Promise.all([
    services.db.rows(
      countedStatement.with({ orgIds: projects.map(({ orgId }) => orgId), ids: projects.map(({ id }) => id) }),
    ),
    storageOfProjects(services, projects),
  ]);
  const calls = new Map(counted.map((row) => [row.projectId, Number(row.apiCalls)]));
  return projects.map(({ id, orgTier, orgLimitOverrides }, at) => {
    const limits = limitsOf({ tier: orgTier, limitOverrides: orgLimitOverrides });
    return {
      apiCalls: calls.get(id) ?? 0,
      storageBytes: bytes[at]!,
      apiCallsLimit: limits.apiCalls,
      storageBytesLimit: limits.storageBytes,
    };
  });
}

const countedStatement = statement(
  'usage.of-projects',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]'), ids: typed<readonly string[]>('text[]') },
    row: pick(projectUsage, 'projectId', 'apiCalls'),
  },
  ({ orgIds, ids }, row) => sql`select ${row} from unnest(${orgIds}::uuid[], ${ids}::text[]) as asked (org_id, id)
    join ${orgs} on ${orgs.id} = asked.org_id
    join ${projectUsage} on ${projectUsage.orgId} = asked.org_id and ${projectUsage.projectId} = asked.id
      and ${projectUsage.since} = ${orgs.usageSince}`,
);
