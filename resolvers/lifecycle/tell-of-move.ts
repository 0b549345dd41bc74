import type { Statement } from '../../db/pool.ts';
import type { LifecycleState } from '../../db/schema/orgs.ts';
import { entersAt } from '../../kernel/access/lifecycle.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { lifecycleEvents } from './event-types.ts';
import type { MovedOrg } from './moved-org.ts';

const types = {
  past_due: lifecycleEvents.organization_past_due,
  frozen: lifecycleEvents.organization_frozen,
  dormant: lifecycleEvents.organization_dormant,
} as const;

/**
 * Tells of the end of a lease and of what follows in the feeds of the organizations; each of their projects learns that
 * it is past due. Contract 02, section 1.5.
 */
export async function tellOfMove(
  work: Work,
  from: LifecycleState,
  to: keyof typeof types,
  moved: readonly MovedOrg[],
): Promise<void> {
  for (const org of moved) {
    const payload = { organization_lifecycle_state: to, previous_state: from };
    const tell = (type: (typeof types)[keyof typeof types], at: Date) =>
      work.append(
        appendEvent({
          orgId: org.id,
          projectId: null,
          type,
          payload: { ...payload, effective_at: at.toISOString() },
        }),
      );
    tell(types[to], org.movedAt);
    if (to === 'dormant') tell(lifecycleEvents.organization_purge_scheduled, entersAt(org, 'purged', org.movedAt));
  }
  if (to !== 'past_due') return;
  const leases = new Map(moved.map(({ id, leaseExpiresAt }) => [id, leaseExpiresAt.toISOString()]));
  const projects = await work.rows<{ orgId: string; id: string }>(projectsStatement, [[...leases.keys()]]);
  for (const { orgId, id } of projects)
    work.append(
      appendEvent({
        orgId,
        projectId: id,
        type: lifecycleEvents.project_past_due,
        payload: { organization_lifecycle_state: to, lease_expires_at: leases.get(orgId)! },
      }),
    );
}

const projectsStatement: Statement = {
  name: 'lifecycle.projects',
  text: `select org_id as "orgId", id from projects
    where org_id = any($1::uuid[]) and deleted_at is null and state = 'ready' order by created_at, id`,
};
