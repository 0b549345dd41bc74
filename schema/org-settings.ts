import { getPayout, loadPayouts } from '../resolvers/orgs/get-payout.ts';
import { renameOrg } from '../resolvers/orgs/rename-org.ts';
import { setPayoutWallet } from '../resolvers/orgs/set-payout-wallet.ts';
import type { PayoutRecovery } from '../resolvers/orgs/shared/payout-recovery.ts';
import { builder } from './builder.ts';
import { loaderOf } from './loader.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';

const PayoutStatusEnum = builder.enumType('PayoutStatus', {
  description: 'Whether it is settled where an organization’s earnings go.',
  values: {
    READY: { value: 'ready', description: 'There is one wallet for them.' },
    REQUIRED: { value: 'required', description: 'There is no wallet: one has to be named.' },
    AMBIGUOUS: { value: 'ambiguous', description: 'There are several wallets: one has to be named.' },
  } as const,
});

const PayoutModeEnum = builder.enumType('PayoutMode', {
  description: 'How the wallet for an organization’s earnings was found.',
  values: {
    DEFAULT: { value: 'default', description: 'An owner named it.' },
    SINGLE_ACTIVE_WALLET: {
      value: 'single_active_wallet',
      description: 'It is the only one among the active members from billing upwards.',
    },
  } as const,
});

const PayoutRef = builder.objectRef<PayoutRecovery>('OrganizationPayout').implement({
  description: 'Where an organization’s own earnings go.',
  fields: (t) => ({
    defaultWallet: t.exposeString('defaultWallet', {
      nullable: true,
      description: 'The wallet that an owner named, in lower case; null for none.',
    }),
    status: t.expose('status', { type: PayoutStatusEnum, description: 'Whether it is settled.' }),
    mode: t.expose('mode', { type: PayoutModeEnum, nullable: true, description: 'How the wallet was found.' }),
    wallet: t.exposeString('wallet', {
      nullable: true,
      description: 'Where earnings go; null while it is not settled.',
    }),
    activeWallets: t.exposeInt('activeWallets', {
      description: 'Wallets of active members from billing upwards.',
    }),
  }),
});

/** Of several organizations at once, however many ask. */
const payoutsOf = loaderOf((ctx, orgIds: readonly string[]) => loadPayouts(ctx, orgIds) as Promise<PayoutRecovery[]>);

builder.objectField(OrganizationRef, 'payout', (t) =>
  t.field({
    type: PayoutRef,
    nullable: true,
    ...fieldOf(getPayout),
    resolve: ({ id }, _args, ctx) => payoutsOf(ctx).load(id),
  }),
);

changeField('renameOrganization', renameOrg, {
  type: OrganizationRef,
  input: 'What an organization is called from now on.',
  argument: 'The name.',
  describe: {
    display_name: 'Name for people, at most 100 characters. It has to be given: null takes the name away.',
  },
  result: (org) => ({ ...org, role: 'owner' as const }),
});

changeField('setPayoutWallet', setPayoutWallet, {
  type: OrganizationRef,
  input: 'Where an organization’s own earnings go from now on.',
  argument: 'The wallet.',
  describe: { wallet_address: 'Address, in any letter case. It has to be given: null is for none.' },
  result: ({ org }) => ({ ...org, role: 'owner' as const }),
});
