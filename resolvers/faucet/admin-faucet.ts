import { z } from 'zod';
import { platformAdmin } from '../../kernel/access/access.ts';
import { walletAddress } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { addDrip, type Drip, GiftWire, giftToWire, requireFaucet, requireTreasury, settledDrip } from './drip.ts';

/** Most that the platform admin sends at a time, in micro-dollars. */
const amountMax = 100_000_000;

/** `POST /faucet/v1/admin`: the platform admin sends test money to whom it likes. Contract 04, section 1.6. */
export const adminFaucet = mutation({
  name: 'allowance.adminFaucet',
  tool: 'admin_faucet',
  command: 'admin faucet',
  effects: ['openWorld'],
  duration: 'long',
  summary: 'Send test USDC to a wallet, whatever it has had.',
  path: 'POST /faucet/v1/admin',
  access: platformAdmin(),
  input: z.object({
    address: walletAddress.describe('The wallet that gets it.'),
    amount: z
      .int()
      .min(1)
      .max(amountMax)
      .optional()
      .describe('Micro-dollars, at most 100,000,000; what the faucet gives to anybody unless told.'),
  }),
  prepare: async (ctx, { amount }) =>
    requireTreasury(ctx, amount === undefined ? requireFaucet(ctx).amount : BigInt(amount)),
  async handler(work, { address, amount }): Promise<Drip> {
    const faucet = requireFaucet(work);
    const id = work.services.newId('drip');
    await addDrip(work, { id, address, amount: amount === undefined ? faucet.amount : BigInt(amount) });
    return { id, isNew: true };
  },
  audit: ({ id }, { address, amount }) => ({
    action: 'faucet.sent',
    object: { kind: 'faucet_drip', id },
    details: { address, ...(amount === undefined ? {} : { amount_usd_micros: amount }) },
  }),
  wire: GiftWire.extend({}),
  toWire: async (drip, ctx) => giftToWire(await settledDrip(ctx, drip)),
});
