import { ServiceError } from '../core/errors.ts';
import type { LifecycleState, Org } from '../db/schema/orgs.ts';
import { lifecycleDays } from './limits.ts';

type Standing = Pick<Org, 'tier' | 'lifecycleState' | 'lifecycleEnteredAt' | 'leaseExpiresAt'>;

const refusals = { frozen: 'PROJECT_FROZEN', dormant: 'PROJECT_DORMANT', purged: 'RESOURCE_NOT_FOUND' } as const;
const next = { active: 'past_due', past_due: 'frozen', frozen: 'dormant', dormant: 'purged' } as const;

const dayMs = 86_400_000;
const dayOf = (org: Standing, state: keyof typeof lifecycleDays) =>
  new Date(org.leaseExpiresAt.getTime() + lifecycleDays[state] * dayMs).toISOString();

/**
 * Refuses a change while its organization is frozen or dormant, and once it is purged. Undefined: the change is on no
 * organization yet. Contract 01, section 1.19.
 *
 * @throws PROJECT_FROZEN, PROJECT_DORMANT, and for a purged one RESOURCE_NOT_FOUND
 */
export function refuseWhileClosed(org: Standing | undefined): void {
  if (org === undefined || !isClosed(org.lifecycleState)) return;
  const { lifecycleState: state } = org;
  throw new ServiceError(refusals[state], {
    extras: {
      lifecycle_state: state,
      entered_state_at: org.lifecycleEnteredAt.toISOString(),
      next_transition_at: state === 'purged' ? null : dayOf(org, next[state]),
      ...(state === 'purged' ? {} : { scheduled_purge_at: dayOf(org, 'purged') }),
    },
    ...(state === 'purged' ? {} : { nextActions: [renewAction(org), checkAction] }),
  });
}

const renewAction = ({ tier }: Standing) => ({
  type: 'renew_tier',
  method: 'POST',
  path: `/tiers/v1/${tier}`,
  why: 'Set a tier: the organization is active again at once.',
});
const checkAction = { type: 'check_usage', method: 'GET', path: '/tiers/v1/status', why: 'See what is used.' };

const isClosed = (state: LifecycleState): state is keyof typeof refusals => state in refusals;
