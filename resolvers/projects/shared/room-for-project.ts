import { sql } from '../../../db/drizzle.ts';
import type { Org } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { computed, pick, statement } from '../../../db/sql.ts';
import { refuseWhileClosed } from '../../../kernel/access/lifecycle.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { limitsOf } from '../../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../../kernel/limits/quota.ts';
import { lockOrgFor } from '../../orgs/shared/lock-org.ts';
import { projectActions } from './actions.ts';

/**
 * The organization's row is locked while its projects are counted, so that callers who race cannot pass the limit; the
 * limit is the one that holds then, and so are the organization's standing and the caller's role.
 */
export async function requireRoomForProject(work: Work, { id }: Pick<Org, 'id'>): Promise<Org> {
  const org = await lockOrgFor(work, id, projectActions['project:create']);
  refuseWhileClosed(org);
  await refuseOverQuota(
    work,
    countStatement.with({ orgId: id }),
    { scope: 'organization', metric: 'projects' },
    limitsOf(org).projects,
  );
  return org;
}

const countStatement = statement(
  'projects.count',
  { params: pick(projects, 'orgId'), row: { used: computed<number>('integer', sql`count(*)::int`) } },
  ({ orgId }, row) => sql`select ${row} from ${projects}
    where ${projects.orgId} = ${orgId} and ${projects.deletedAt} is null and ${projects.branch} is null`,
);
