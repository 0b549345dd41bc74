import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { deployPlans } from '../../db/schema/releases.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';

/** The plan that somebody approved of. */
export const requiredPlan = z.object({
  plan_id: z.string().min(1).max(64).describe('The reviewed plan, `plan_…`.'),
  plan_fingerprint: z.string().min(1).max(128).optional().describe('Its fingerprint.'),
});

/**
 * Refuses a plan that is not the one that was approved of.
 *
 * @param actual the fingerprint of what is planned now
 * @throws PLAN_APPROVAL_MISMATCH
 */
export async function refuseOtherPlan(
  rows: Rows,
  { org, project }: Pick<ProjectScope, 'org' | 'project'>,
  { plan_id: id, plan_fingerprint: given }: z.output<typeof requiredPlan>,
  actual: string,
): Promise<void> {
  const [approved] = await rows(approvedStatement.with({ orgId: org.id, projectId: project.id, id }));
  const changed = [
    ...(approved?.fingerprint == null ? ['plan'] : []),
    ...(approved?.expired === true ? ['expiry'] : []),
    ...(approved?.fingerprint != null && approved.fingerprint !== actual ? ['fingerprint'] : []),
    ...(given !== undefined && given !== approved?.fingerprint ? ['required_fingerprint'] : []),
  ];
  if (changed.length === 0) return;
  throw new ServiceError('PLAN_APPROVAL_MISMATCH', {
    details: {
      required_plan_id: id,
      required_fingerprint: given ?? approved?.fingerprint ?? null,
      actual_fingerprint: actual,
      changed,
    },
  });
}

const approvedStatement = statement(
  'deploys.approved-plan',
  {
    params: pick(deployPlans, 'orgId', 'projectId', 'id'),
    row: {
      fingerprint: deployPlans.fingerprint,
      expired: computed<boolean>('boolean', sql`${deployPlans.expiresAt} <= now()`),
    },
  },
  (given, row) => sql`select ${row} from ${deployPlans} where ${deployPlans.orgId} = ${given.orgId}
    and ${deployPlans.projectId} = ${given.projectId} and ${deployPlans.id} = ${given.id}`,
);
