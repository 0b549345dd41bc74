import type { Statement } from '../../db/pool.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { ProjectRow } from './shared/wire.ts';

export interface ProjectUsage {
  /** Requests made with the project's own keys in the present period of its organization. */
  readonly apiCalls: number;
  readonly storageBytes: number;
  readonly apiCallsLimit: number;
  readonly storageBytesLimit: number;
}

/**
 * What projects use, beside what their organizations' tiers allow, in the order given: one statement for what was
 * counted, and one for each project server. What this node counted before is written first, so that a caller sees its
 * own calls; those of other nodes show within a second or so.
 */
export async function projectUsages(services: Services, projects: readonly ProjectRow[]): Promise<ProjectUsage[]> {
  await services.usage.flush();
  // Before it is ready there may be no database yet, and once deleted there is none.
  const stored = projects.filter(({ state }) => state === 'ready');
  const [counted, sizes] = await Promise.all([
    services.db.rows<{ project_id: string; api_calls: bigint }>(countedStatement, [
      projects.map(({ orgId }) => orgId),
      projects.map(({ id }) => id),
    ]),
    services.projectDatabases.sizesBytes(stored),
  ]);
  const calls = new Map(counted.map((row) => [row.project_id, Number(row.api_calls)]));
  const bytes = new Map(stored.map(({ id }, at) => [id, sizes[at]!]));
  return projects.map(({ id, orgTier, orgLimitOverrides }) => {
    const limits = limitsOf({ tier: orgTier, limitOverrides: orgLimitOverrides });
    return {
      apiCalls: calls.get(id) ?? 0,
      storageBytes: bytes.get(id) ?? 0,
      apiCallsLimit: limits.apiCalls,
      storageBytesLimit: limits.storageBytes,
    };
  });
}

const countedStatement: Statement = {
  name: 'usage.of-projects',
  text: `select u.project_id, u.api_calls from unnest($1::uuid[], $2::text[]) as p (org_id, id)
    join orgs o on o.id = p.org_id
    join project_usage u on u.org_id = p.org_id and u.project_id = p.id and u.since = o.usage_since`,
};
