import { checkoutProducts, checkoutStates } from '../db/schema/checkouts.ts';
import type { Checkout } from '../resolvers/checkouts/checkout-rows.ts';
import { createCheckout } from '../resolvers/checkouts/create-checkout.ts';
import { getCheckout } from '../resolvers/checkouts/get-checkout.ts';
import { builder } from './builder.ts';
import { enumOf } from './enum-of.ts';
import { changeField, readField } from './operation-field.ts';
import { OrganizationRef, TierEnum } from './orgs.ts';

const productWords = {
  balance_topup: 'Prepaid balance.',
  tier: 'A lease of a tier.',
  email_pack: 'Mail credits.',
} as const;

const CheckoutProductEnum = enumOf('CheckoutProduct', 'What is bought.', checkoutProducts, productWords);

const CheckoutStatusEnum = enumOf('CheckoutStatus', 'Where a payment stands.', checkoutStates, {
  creating: 'The provider is being asked.',
  pending: 'It can be paid.',
  paid: 'The money is there, and credited.',
  paid_late: 'An invoice that was paid within an hour after its end, and is credited.',
  failed: 'It was not paid: `failure` says why.',
  expired: 'It can no longer be paid.',
});

const CheckoutRailEnum = enumOf('CheckoutRail', 'How it is paid.', ['card', 'lightning', 'balance'] as const, {
  card: 'By card.',
  lightning: 'By lightning.',
  balance: 'Out of the prepaid balance.',
});

const PayableRailEnum = enumOf('PayableRail', 'How something can be paid.', ['card', 'lightning'] as const, {
  card: 'By card.',
  lightning: 'By lightning: the balance alone.',
});

const CheckoutOutcomeEnum = enumOf(
  'CheckoutOutcome',
  'Where the money of a purchase went.',
  ['bought', 'kept'] as const,
  {
    bought: 'Into what it was for.',
    kept: 'It stays on the prepaid balance, since what it was for could no longer be bought.',
  },
);

const QuotedRateRef = builder.objectRef<NonNullable<Checkout['quotedRate']>>('QuotedRate').implement({
  description: 'The rate that an invoice was made at.',
  fields: (t) => ({
    usdPerBtc: t.exposeString('usd_per_btc', { description: 'Dollars for one bitcoin, as a decimal number.' }),
    source: t.exposeString('source', { description: 'Who says so.' }),
    observedAt: t.field({
      type: 'DateTime',
      description: 'When it was asked for.',
      resolve: ({ observed_at }) => new Date(observed_at),
    }),
  }),
});

export const CheckoutRef = builder.objectRef<Checkout>('Checkout').implement({
  description: 'Money on its way to an organization.',
  fields: (t) => ({
    topupId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    product: t.expose('product', { type: CheckoutProductEnum, description: 'What is bought.' }),
    rail: t.expose('rail', { type: CheckoutRailEnum, description: 'How it is paid.' }),
    status: t.expose('state', { type: CheckoutStatusEnum, description: 'Where it stands.' }),
    tier: t.expose('tier', { type: TierEnum, nullable: true, description: 'The tier that is bought.' }),
    outcome: t.expose('outcome', {
      type: CheckoutOutcomeEnum,
      nullable: true,
      description: 'Where the money of a purchase went; null until it is there, and for the balance.',
    }),
    failure: t.exposeString('failure', { nullable: true, description: 'Why it failed, for people.' }),
    automatic: t.exposeBoolean('automatic', { description: 'Whether auto-recharge made it.' }),
    amountUsdMicros: t.float({
      description: 'What is credited, in micro-dollars.',
      resolve: ({ amount }) => Number(amount),
    }),
    takenBackUsdMicros: t.float({
      description: 'What was taken back of it after refunds and disputes.',
      resolve: ({ takenBack }) => Number(takenBack),
    }),
    paymentUrl: t.exposeString('checkoutUrl', { nullable: true, description: 'The page where a card is charged.' }),
    bolt11: t.exposeString('bolt11', { nullable: true, description: 'The invoice.' }),
    paymentHash: t.exposeString('paymentHash', {
      nullable: true,
      description: 'Hash of its preimage, in hexadecimal digits.',
    }),
    amountSats: t.float({
      nullable: true,
      description: 'What the invoice asks for.',
      resolve: ({ amountSats }) => (amountSats === null ? null : Number(amountSats)),
    }),
    quotedRate: t.expose('quotedRate', {
      type: QuotedRateRef,
      nullable: true,
      description: 'The rate that it was made at.',
    }),
    invoiceExpiresAt: t.expose('invoiceExpiresAt', { type: 'DateTime', nullable: true, description: 'Its end.' }),
    paidAt: t.expose('paidAt', { type: 'DateTime', nullable: true, description: 'When it was paid.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was begun.' }),
    creditedEntryId: t.exposeString('creditedEntryId', {
      nullable: true,
      description: 'The entry of the history that credited it, `led_…`.',
    }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The organization; null for a caller that may not see it.',
      resolve: ({ orgId }) => orgId,
    }),
  }),
});

readField('checkout', getCheckout, { type: CheckoutRef });

changeField('createCheckout', createCheckout, {
  type: CheckoutRef,
  input: 'What is bought, and how it is paid.',
  argument: 'The purchase.',
  types: { product: CheckoutProductEnum, tier: TierEnum, rail: PayableRailEnum },
});
