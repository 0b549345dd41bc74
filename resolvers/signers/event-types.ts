import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

const signer = z.object({ signer_id: z.string(), chain: z.string(), address: z.string() });

/** Signers of one project that became the same at once, the first of them by their ids. */
const several = z.object({ count: z.int(), signer_ids: z.array(z.string()) });

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
  signers_suspended: event({
    class: 'lifecycle',
    title: 'Signers are suspended',
    notice: 'critical',
    level: 'project',
    payload: several,
    nextActions: () => [{ type: 'fund_wallet', why: 'Have the prepaid balance added to: they are active again then.' }],
  }),
  signers_reactivated: event({ class: 'lifecycle', level: 'project', payload: several }),
  signer_wound_up: event({
    class: 'lifecycle',
    title: 'A signer was drained to its recovery address and deleted',
    notice: 'critical',
    level: 'project',
    payload: signer.extend({ recovery_address: z.string() }),
  }),
});
