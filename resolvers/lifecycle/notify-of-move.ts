import { sql } from '../../db/drizzle.ts';
import type { LifecycleState } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { pick, statement, typed } from '../../db/sql.ts';
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
export async function notifyOfMove(
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
  const ready = await work.rows(projectsStatement.with({ orgIds: [...leases.keys()] }));
  for (const { orgId, id } of ready)
    work.append(
      appendEvent({
        orgId,
        projectId: id,
        type: lifecycleEvents.project_past_due,
        payload: { organization_lifecycle_state: to, lease_expires_at: leases.get(orgId)! },
      }),
    );
}

const projectsStatement = statement(
  'lifecycle.projects',
  { params: { orgIds: typed<readonly string[]>('uuid[]') }, row: pick(projects, 'orgId', 'id') },
  ({ orgIds }, row) => sql`select ${row} from ${projects} where ${projects.orgId} = any(${orgIds}::uuid[])
    and ${projects.deletedAt} is null and ${projects.state} = 'ready' order by ${projects.createdAt}, ${projects.id}`,
);
