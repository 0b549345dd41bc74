import type { Kind } from './shown.ts';

/** Types in the feeds of events, and what the webhooks of mailboxes tell. */
export const events: Kind = {
  title: 'Event types',
  about: 'Types in the feeds of events, and what the webhooks of mailboxes tell.',
  shown: [
    { test: 'test/events/read.test.ts', names: ['deploy_activated'] },
    { test: 'test/rooms/message-events.full.test.ts', names: ['agent_message_sent'] },
    { test: 'test/events/incidents.test.ts', names: ['platform_incident'] },
    { test: 'test/errors/observed-events.test.ts', names: ['error_fingerprints_observed'] },
    {
      test: 'test/sessions/memberships.test.ts',
      names: ['org_recovery_posture_degraded', 'org_recovery_posture_recovered'],
    },
    { test: 'test/payments/tiers.test.ts', names: ['platform_payment_received'] },
    { test: 'test/channel-routes/deliveries.test.ts', names: ['channel_route_auto_paused'] },
    {
      test: 'test/mailboxes/webhooks-more.full.test.ts',
      names: ['delivery', 'bounced', 'complained', 'reply_received', 'mailbox_suspended'],
    },
  ],
  left: [],
};
