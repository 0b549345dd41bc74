import { z } from 'zod';
import { renewTier } from '../../core/error-codes.ts';
import { event, events } from '../../kernel/feeds/event-types.ts';

const standing = z.object({
  organization_lifecycle_state: z.string(),
  previous_state: z.string(),
  effective_at: z.iso.datetime(),
});

/** With what follows unless a tier is set. */
const pastDue = standing.extend({
  lease_expires_at: z.iso.datetime().optional(),
  frozen_at: z.iso.datetime().optional(),
  dormant_at: z.iso.datetime().optional(),
  purge_at: z.iso.datetime().optional(),
});

const renew = () => [renewTier(':tier')];

/** What the events tell of here. Contract 02, section 1.5. */
export const lifecycleEvents = events({
  project_past_due: event({
    class: 'billing_critical',
    // That of the organization is told once, whatever the number of projects.
    notice: 'none',
    level: 'project',
    payload: z.object({ organization_lifecycle_state: z.string(), lease_expires_at: z.iso.datetime() }),
    nextActions: renew,
  }),
  organization_past_due: event({
    class: 'billing_critical',
    title: 'The lease has ended',
    level: 'org',
    payload: pastDue,
    nextActions: renew,
  }),
  organization_frozen: event({
    class: 'billing_critical',
    title: 'The organization is frozen',
    level: 'org',
    payload: standing,
    nextActions: renew,
  }),
  organization_dormant: event({
    class: 'billing_critical',
    title: 'The organization is dormant',
    level: 'org',
    payload: standing,
    nextActions: renew,
  }),
  organization_purge_scheduled: event({
    class: 'destructive_lifecycle',
    title: 'The organization will be erased',
    level: 'org',
    payload: standing,
    nextActions: renew,
  }),
});
