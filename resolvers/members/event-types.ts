import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

const posture = z.object({
  control_plane_configured: z.boolean(),
  source_backup_configured: z.boolean(),
  custody_legacy_present: z.boolean(),
});

/** What the events tell of here. Contract 02, section 1.5. */
export const memberEvents = events({
  org_recovery_posture_degraded: event({
    class: 'recovery',
    title: 'A lost key would lock everybody out',
    level: 'org',
    payload: posture,
    nextActions: ({ orgId }) => [
      {
        type: 'invite_owner',
        method: 'POST',
        path: `/orgs/v1/${orgId}/invites`,
        why: 'Another owner can act when the first one has lost access.',
      },
    ],
  }),
  org_recovery_posture_recovered: event({
    class: 'recovery',
    title: 'A lost key no longer locks everybody out',
    level: 'org',
    payload: posture,
  }),
});
