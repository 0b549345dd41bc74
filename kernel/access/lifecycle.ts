import { checkUsage, renewTier } from '../../core/error-codes.ts';
import { ServiceError } from '../../core/errors.ts';
import type { LifecycleState, Org } from '../../db/schema/orgs.ts';
import type { Project } from '../../db/schema/projects.ts';
import { dormantDaysMin, lifecycleDays } from '../limits/limits.ts';

type OrgLifecycle = Pick<Org, 'tier' | 'lifecycleState' | 'lifecycleEnteredAt' | 'leaseExpiresAt'>;

const refusals = { frozen: 'PROJECT_FROZEN', dormant: 'PROJECT_DORMANT', purged: 'RESOURCE_NOT_FOUND' } as const;
const next = { active: 'past_due', past_due: 'frozen', frozen: 'dormant', dormant: 'purged' } as const;

/** What an organization becomes after the end of its lease. */
export type LeaseEnd = keyof typeof lifecycleDays;

const dayMs = 86_400_000;

/** When an organization enters a state at the earliest. @param dormantSince when it became dormant, or will at the earliest */
export function entersAt({ leaseExpiresAt }: Pick<Org, 'leaseExpiresAt'>, state: LeaseEnd, dormantSince?: Date): Date {
  const byLease = leaseExpiresAt.getTime() + lifecycleDays[state] * dayMs;
  const paused = state === 'purged' && dormantSince !== undefined ? dormantSince.getTime() + dormantDaysMin * dayMs : 0;
  return new Date(Math.max(byLease, paused));
}

/**
 * Refuses a change while its organization is frozen or dormant, and once it is purged. Undefined: the change is on no
 * organization yet. Contract 01, section 1.19.
 *
 * @throws PROJECT_FROZEN, PROJECT_DORMANT, and for a purged one RESOURCE_NOT_FOUND
 */
export function refuseWhileClosed(org: OrgLifecycle | undefined): void {
  if (org === undefined || !isClosed(org.lifecycleState)) return;
  const { lifecycleState: state } = org;
  const at = (end: LeaseEnd) =>
    entersAt(org, end, state === 'dormant' ? org.lifecycleEnteredAt : undefined).toISOString();
  throw new ServiceError(refusals[state], {
    extras: {
      lifecycle_state: state,
      entered_state_at: org.lifecycleEnteredAt.toISOString(),
      next_transition_at: state === 'purged' ? null : at(next[state]),
      ...(state === 'purged' ? {} : { scheduled_purge_at: at('purged') }),
    },
    ...(state === 'purged' ? {} : { nextActions: [renewTier(org.tier), checkUsage] }),
  });
}

/**
 * Refuses a change of what is handed over with a project, while an offer of it is pending. Undefined: the change is on no
 * project. Contract 01, section 5.12.
 *
 * @throws PROJECT_HAS_PENDING_TRANSFER
 */
export function refuseWhileOffered(project: Pick<Project, 'id' | 'transferId'> | undefined): void {
  if (project == null || project.transferId === null) return;
  const path = `/agent/v1/transfers/${project.transferId}`;
  throw new ServiceError('PROJECT_HAS_PENDING_TRANSFER', {
    details: { transfer_id: project.transferId, project_id: project.id },
    nextActions: [
      { type: 'cancel_transfer', method: 'POST', path: `${path}/cancel`, why: 'Take the offer back.' },
      { type: 'view_transfer', method: 'GET', path, why: 'Look to whom it is offered, and until when.' },
    ],
  });
}

const isClosed = (state: LifecycleState): state is keyof typeof refusals => state in refusals;
