import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

const signer = z.object({ signer_id: z.string(), chain: z.string(), address: z.string() });

/** What people are told of signers. */
export const signerEvents = events({
  signer_balance_low: event({
    class: 'lifecycle',
    title: 'A signer runs out of gas',
    notice: 'critical',
    level: 'project',
    payload: signer.extend({ balance_wei: z.string(), threshold_wei: z.string() }),
    nextActions: ({ payload }) => [
      { type: 'fund_wallet', why: `Send some of the coin of ${payload.chain} to ${payload.address}.` },
    ],
  }),
  signer_suspended: event({
    class: 'lifecycle',
    title: 'A signer is suspended',
    notice: 'critical',
    level: 'project',
    payload: signer,
    nextActions: () => [
      { type: 'fund_wallet', why: 'Have the prepaid balance added to: the signer is active again then.' },
    ],
  }),
  signer_reactivated: event({ class: 'lifecycle', level: 'project', payload: signer }),
  signer_wound_up: event({
    class: 'lifecycle',
    title: 'A signer was drained to its recovery address and deleted',
    notice: 'critical',
    level: 'project',
    payload: signer.extend({ recovery_address: z.string() }),
  }),
});
