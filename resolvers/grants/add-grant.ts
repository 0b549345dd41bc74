import { randomUUID } from 'node:crypto';
import { sql } from '../../db/drizzle.ts';
import { projectGrants } from '../../db/schema/projects.ts';
import { computed, insertInto, pick, statement } from '../../db/sql.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import type { Capability } from '../../kernel/access/permissions.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { makerOf } from './grant-input.ts';
import { type GrantRow, grantColumns } from './wire.ts';

interface NewGrant {
  readonly principalId: string;
  readonly capability: Capability;
  /** Kept beside it, as JSON. */
  readonly policy: object | null;
  /** Null for never. */
  readonly expiresAt: Date | null;
}

/** Gives a principal a capability on the project, whose row is locked. @throws QUOTA_EXCEEDED */
export async function addGrant(work: Work & ProjectScope, { policy, ...grant }: NewGrant): Promise<GrantRow> {
  const of = { orgId: work.org.id, projectId: work.project.id };
  await refuseOverQuota(work, countStatement.with(of), quota, limitsOf(work.org).grantsPerProject);
  const inserted = insertStatement.with({
    ...of,
    ...grant,
    id: randomUUID(),
    policy: policy === null ? null : JSON.stringify(policy),
    createdBy: await makerOf(work),
  });
  const [added] = await work.rows(inserted);
  return added!;
}

const quota = { scope: 'project', metric: 'grants' } as const;

const countStatement = statement(
  'grants.count',
  {
    params: pick(projectGrants, 'orgId', 'projectId'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ orgId, projectId }, row) => sql`select ${row} from ${projectGrants} where ${projectGrants.orgId} = ${orgId}
    and ${projectGrants.projectId} = ${projectId} and ${grantHolds(projectGrants)}`,
);

const insertStatement = statement(
  'grants.insert',
  {
    params: {
      ...pick(projectGrants, 'orgId', 'id', 'projectId', 'principalId', 'capability'),
      ...pick(projectGrants, 'policy', 'expiresAt', 'createdBy'),
    },
    row: grantColumns,
  },
  (given, row) => sql`${insertInto(projectGrants, given)} returning ${row}`,
);
