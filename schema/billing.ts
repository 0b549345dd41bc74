import type { LedgerEntry } from '../db/schema/orgs.ts';
import { addCredit } from '../resolvers/billing/add-credit.ts';
import { getBilling, loadBilling } from '../resolvers/billing/get-billing.ts';
import { listHistory } from '../resolvers/billing/list-history.ts';
import { lookupBilling } from '../resolvers/billing/lookup-billing.ts';
import type { Billing } from '../resolvers/billing/wire.ts';
import { setAutoRecharge } from '../resolvers/checkouts/set-auto-recharge.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { loaderOf } from './loader.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { run } from './run.ts';

const LedgerDirectionEnum = builder.enumType('LedgerDirection', {
  description: 'Which way an amount went.',
  values: {
    CREDIT: { value: 'credit', description: 'Into the balance.' },
    DEBIT: { value: 'debit', description: 'Out of the balance.' },
  } as const,
});

const LedgerEntryRef = builder.objectRef<LedgerEntry>('LedgerEntry').implement({
  description: 'Something that moved an organization’s balance. Entries are only ever added.',
  fields: (t) => ({
    entryId: t.exposeString('id', { description: 'Native id, `led_…`.' }),
    direction: t.expose('direction', { type: LedgerDirectionEnum, description: 'Which way the amount went.' }),
    kind: t.exposeString('kind', { description: 'For example `tier_fee`.' }),
    amountUsdMicros: t.float({ description: 'Micro-dollars, above zero.', resolve: ({ amount }) => Number(amount) }),
    availableAfterUsdMicros: t.float({
      description: 'What could be spent after it.',
      resolve: ({ availableAfter }) => Number(availableAfter),
    }),
    heldAfterUsdMicros: t.float({
      description: 'What was set aside after it.',
      resolve: ({ heldAfter }) => Number(heldAfter),
    }),
    referenceType: t.exposeString('referenceType', { nullable: true, description: 'Kind of thing that it was for.' }),
    referenceId: t.exposeString('referenceId', { nullable: true, description: 'Which one it was for.' }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The request that moved it or began what did, `req_…`, or the run or job of a function.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was written.' }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The organization; null for a caller that may not see it.',
      resolve: ({ orgId }) => orgId,
    }),
  }),
});

const historyInputs = inputsOf(listHistory, { omit: ['org', 'limit', 'after', 'before', 'from_end'] });

const LedgerEntryConnection = builder.connectionObject({ type: LedgerEntryRef, name: 'LedgerEntryConnection' });

const AutoRechargeRef = builder.objectRef<Billing>('AutoRecharge').implement({
  description: 'Whether an organization’s mail credits are bought when they run low.',
  fields: (t) => ({
    enabled: t.exposeBoolean('rechargeEnabled', { description: 'Whether they are.' }),
    threshold: t.float({
      nullable: true,
      description: 'Credits below which a pack is bought; null until one was named.',
      resolve: ({ rechargeThreshold }) => (rechargeThreshold === null ? null : Number(rechargeThreshold)),
    }),
    card: t.exposeString('rechargeCard', {
      nullable: true,
      description: 'The card that is charged where the balance does not cover a pack, for example `visa 4242`.',
    }),
    stoppedBecause: t.exposeString('rechargeStopped', {
      nullable: true,
      description: 'Why the platform turned it off; null after somebody has set it.',
    }),
  }),
});

const BillingRef = builder.objectRef<Billing>('OrganizationBilling').implement({
  description: 'An organization’s prepaid balance, in micro-dollars.',
  fields: (t) => ({
    orgId: t.exposeString('orgId', { description: 'Native id of the organization, a UUID.' }),
    availableUsdMicros: t.float({
      description: 'What can be spent.',
      resolve: ({ available }) => Number(available),
    }),
    heldUsdMicros: t.float({
      description: 'What is set aside for work that runs or a payment that settles.',
      resolve: ({ held }) => Number(held),
    }),
    owedUsdMicros: t.float({
      description: 'What was taken back after refunds and disputes, and is spent already: the next credit pays it.',
      resolve: ({ owed }) => Number(owed),
    }),
    emailCredits: t.float({
      description: 'Mails that were paid for and can be sent beyond a day’s allowance.',
      resolve: ({ emailCredits }) => Number(emailCredits),
    }),
    autoRecharge: t.field({
      type: AutoRechargeRef,
      description: 'Whether mail credits are bought when they run low.',
      resolve: (billing) => billing,
    }),
    history: t.field({
      type: LedgerEntryConnection,
      nullable: true,
      ...fieldOf(listHistory),
      args: { ...pageArgs, ...historyInputs.args },
      resolve: async ({ orgId }, args, ctx) =>
        listConnection(
          await run(listHistory, ctx, { org: orgId, ...historyInputs.read(args), ...listWindowOf(args) }),
          args,
        ),
    }),
  }),
});

/** Balances of several organizations in one statement, however many ask. */
const billingOf = loaderOf((ctx, orgIds: readonly string[]) => loadBilling(ctx, orgIds) as Promise<Billing[]>);

builder.objectField(OrganizationRef, 'billing', (t) =>
  t.field({
    type: BillingRef,
    nullable: true,
    ...fieldOf(getBilling),
    resolve: ({ id }, _args, ctx) => billingOf(ctx).load(id),
  }),
);

changeField('setAutoRecharge', setAutoRecharge, {
  type: BillingRef,
  input: 'Whether mail credits are bought when they run low.',
  argument: 'What is to hold.',
  result: ({ orgId }, ctx) => billingOf(ctx).load(orgId),
});

readField('billingLookup', lookupBilling, { type: BillingRef });

changeField('addOrganizationCredit', addCredit, {
  type: LedgerEntryRef,
  input: 'What is put into an organization’s balance.',
  argument: 'The credit.',
  result: ({ entry }) => entry,
});
