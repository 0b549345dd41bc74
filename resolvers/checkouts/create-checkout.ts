import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { checkoutProducts } from '../../db/schema/checkouts.ts';
import type { Rate } from '../../engines/lightning/lightning.ts';
import { type Access, type OrgScope, onOrg } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type StepRef, stepMutation } from '../../kernel/run/operation.ts';
import { tierWire } from '../orgs/shared/wire.ts';
import { amountOf, openSession } from './card-session.ts';
import { failCheckout, findCheckout, insertCheckout, type NewCheckout } from './checkout-rows.ts';
import { makeInvoice, quote, rateNow, refuseSats } from './invoice.ts';
import { cardsOf } from './providers.ts';
import { checkoutActions } from './shared/actions.ts';
import { CheckoutWire, checkoutToWire, consoleOf } from './wire.ts';

const pageUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
  .max(2_048, 'at most 2048 characters');

const input = z.object({
  org: orgId,
  product: z.enum(checkoutProducts).describe('What is bought.'),
  rail: z
    .enum(['card', 'lightning'])
    .default('card')
    .describe('How it is paid: by card unless named. By lightning the balance alone, and with an Idempotency-Key.'),
  amount_usd_micros: z
    .int('must be a whole number')
    .optional()
    .describe('For balance_topup by card: micro-dollars, at least 500,000 and whole cents (a multiple of 10,000).'),
  amount_sats: z.number('must be a whole number').optional().describe('For rail lightning: 100 to 1,000,000 sats.'),
  tier: tierWire.optional().describe('For tier: hobby or team.'),
  success_url: pageUrl.optional().describe('Where the payer is led afterwards; the console unless named.'),
  cancel_url: pageUrl.optional().describe('Where the payer is led who does not pay; the console unless named.'),
  save_card: z.boolean().default(false).describe('Whether the card is kept for auto-recharge.'),
});
type Input = z.output<typeof input>;

const byCard = onOrg(checkoutActions['org:checkout:create'], ({ org }: Input) => org);
const byLightning = onOrg(checkoutActions['org:topup'], ({ org }: Input) => org);

/** Money by lightning may come from anybody of the organization. */
const access: Access<Input, OrgScope> = {
  ...byCard,
  authorise: (ctx, caller, given, ahead) =>
    (given.rail === 'lightning' ? byLightning : byCard).authorise(ctx, caller, given, ahead),
};

/** `POST /orgs/v1/:org_id/checkouts`. Contract 04, section 1.4. */
export const createCheckout = stepMutation({
  name: 'billing.createCheckout',
  tool: 'create_checkout',
  command: 'billing checkout',
  effects: ['openWorld'],
  summary:
    'Begin a payment for the prepaid balance, a tier or mail credits: it answers a page for a card, or an invoice.',
  path: 'POST /orgs/v1/:org_id/checkouts',
  access,
  input,
  steps: {
    async prepare({ services, request }, given): Promise<Rate | undefined> {
      if (given.rail === 'card') return void refuseCard(given);
      refuseLightning(given, request.idempotencyKey);
      return rateNow({ services });
    },
    async begin(work, given, rate) {
      const wanted = rate === undefined ? wantedByCard(work, given) : wantedByLightning(given, rate);
      const id = randomUUID();
      const { org, product, rail } = given;
      const createdBy = principalIdOf(await work.caller()) ?? null;
      const common = { tier: null, successUrl: null, cancelUrl: null, savesCard: false };
      const row = await insertCheckout(work.rows, {
        ...common,
        ...wanted,
        id,
        orgId: org,
        product,
        rail,
        createdBy,
        dueIn: null,
      });
      const details = { product, rail, amount_usd_micros: Number(row.amount), tier: row.tier };
      return {
        ref: { orgId: org, id },
        orgId: org,
        audit: { action: 'checkout.created', object: { kind: 'checkout', id }, details },
      };
    },
    effect: askProvider,
    async settle(work, { orgId: org, id }) {
      work.afterCommit(() => work.services.checkoutWork.wake());
      return findCheckout(work.rows, org!, id!);
    },
    undo: async ({ services }, { id }) => {
      await failCheckout(services.db.rows, { id: id!, failure: 'The provider could not be asked.' });
    },
  },
  wire: CheckoutWire,
  toWire: checkoutToWire,
});

type Wanted = Pick<NewCheckout, 'amount'> & Partial<NewCheckout>;

function wantedByCard({ services, request }: Work, given: Input): Wanted {
  const { org, product, amount_usd_micros, tier = null, success_url, cancel_url, save_card } = given;
  const amount = amountOf(product, amount_usd_micros, given.tier, services.settings.leases);
  cardsOf(services);
  const back = consoleOf(services, request.baseUrl, org);
  return {
    amount,
    tier,
    successUrl: success_url ?? back,
    cancelUrl: cancel_url ?? back,
    savesCard: save_card,
  };
}

function wantedByLightning({ amount_sats }: Input, rate: Rate): Wanted {
  return { ...quote(amount_sats!, rate), amountSats: BigInt(amount_sats!) };
}

/** @throws VALIDATION_FAILED for what belongs to the other way to pay */
function refuseCard({ amount_sats }: Input): void {
  if (amount_sats !== undefined) throw invalidField('amount_sats', 'is for rail lightning');
}

/** @throws VALIDATION_FAILED, IDEMPOTENCY_KEY_REQUIRED, LIGHTNING_TOPUP_AMOUNT_OUT_OF_BOUNDS */
function refuseLightning({ product, amount_usd_micros, amount_sats }: Input, key: string | undefined): void {
  if (product !== 'balance_topup') throw invalidField('product', 'by lightning the balance alone is topped up');
  if (amount_usd_micros !== undefined)
    throw invalidField('amount_usd_micros', 'by lightning the amount is named in sats');
  refuseSats(amount_sats);
  if (key === undefined) throw new ServiceError('IDEMPOTENCY_KEY_REQUIRED');
}

/** Asks the provider for the page or the invoice. Repeated, it is the same one. */
async function askProvider(ctx: Pick<Context, 'services'>, { orgId: org, id }: StepRef): Promise<void> {
  const wanted = await findCheckout(ctx.services.db.rows, org!, id!);
  if (wanted.state !== 'creating') return;
  await (wanted.rail === 'lightning' ? makeInvoice(ctx, wanted) : openSession(ctx, wanted));
}
