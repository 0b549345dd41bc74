import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** What the events tell of here. Contract 02, section 1.5. */
export const paymentEvents = events({
  platform_payment_received: event({
    class: 'billing',
    title: 'A payment was received',
    notice: 'ordinary',
    level: 'org',
    payload: z.object({
      kind: z.enum(['topup', 'tier', 'email_pack', 'room_seat', 'app_fork']),
      amount_usd_micros: z.int().min(0),
      rail: z.string(),
      receipt_id: z.string(),
    }),
  }),
});
