import { sql } from '../../db/drizzle.ts';
import type { LifecycleState } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { entersAt, type LeaseEnd } from '../../kernel/access/lifecycle.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { lifecycleEvents } from './event-types.ts';
import type { MovedOrg } from './moved-org.ts';

const types = {
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
  to: 'past_due' | keyof typeof types,
  moved: readonly MovedOrg[],
): Promise<void> {
  for (const org of moved) {
    const own = { orgId: org.id, projectId: null };
    const at = (state: LeaseEnd) => entersAt(org, state, org.movedAt).toISOString();
    const payload = (effective: string) => ({
      organization_lifecycle_state: to,
      previous_state: from,
      effective_at: effective,
    });
    const standing = payload(org.movedAt.toISOString());
    const ahead = {
      lease_expires_at: org.leaseExpiresAt.toISOString(),
      frozen_at: at('frozen'),
      dormant_at: at('dormant'),
      purge_at: at('purged'),
    };
    if (to === 'past_due')
      work.append(
        appendEvent({ ...own, type: lifecycleEvents.organization_past_due, payload: { ...standing, ...ahead } }),
      );
    else work.append(appendEvent({ ...own, type: types[to], payload: standing }));
    if (to === 'dormant')
      work.append(
        appendEvent({ ...own, type: lifecycleEvents.organization_purge_scheduled, payload: payload(at('purged')) }),
      );
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
