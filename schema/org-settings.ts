import { getPayout, loadPayouts } from '../resolvers/orgs/get-payout.ts';
import type { PayoutRecovery } from '../resolvers/orgs/payout-recovery.ts';
import { renameOrg } from '../resolvers/orgs/rename-org.ts';
import { setPayoutWallet } from '../resolvers/orgs/set-payout-wallet.ts';
import { builder } from './builder.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { loaderOf } from './loader.ts';
import { fieldOf } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { run } from './run.ts';

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

const RenameOrganizationInput = builder.inputType('RenameOrganizationInput', {
  description: 'What an organization is called from now on.',
  fields: (t) => ({
    ...orgField(t),
    displayName: t.string({
      required: false,
      description: 'Name for people, at most 100 characters. It has to be given: null takes the name away.',
    }),
    ...keyField(t),
  }),
});

const SetPayoutWalletInput = builder.inputType('SetPayoutWalletInput', {
  description: 'Where an organization’s own earnings go from now on.',
  fields: (t) => ({
    ...orgField(t),
    walletAddress: t.string({
      required: false,
      description: 'Address, in any letter case. It has to be given: null is for none.',
    }),
    ...keyField(t),
  }),
});

// Null and absent differ here: nothing is taken away by leaving something out.
builder.mutationFields((t) => ({
  renameOrganization: t.field({
    type: OrganizationRef,
    nullable: true,
    ...fieldOf(renameOrg),
    authScopes: { credential: true },
    args: { input: t.arg({ type: RenameOrganizationInput, description: 'The name.' }) },
    resolve: async (_root, { input: { org, displayName, idempotencyKey } }, ctx) => {
      const given = { org: nativeId('Organization', org), display_name: displayName as string | null };
      return { ...(await run(renameOrg, keyed(ctx, idempotencyKey ?? undefined), given)), role: 'owner' as const };
    },
  }),
  setPayoutWallet: t.field({
    type: OrganizationRef,
    nullable: true,
    ...fieldOf(setPayoutWallet),
    authScopes: { credential: true },
    args: { input: t.arg({ type: SetPayoutWalletInput, description: 'The wallet.' }) },
    resolve: async (_root, { input: { org, walletAddress, idempotencyKey } }, ctx) => {
      const given = { org: nativeId('Organization', org), wallet_address: walletAddress as string | null };
      const set = await run(setPayoutWallet, keyed(ctx, idempotencyKey ?? undefined), given);
      return { ...set.org, role: 'owner' as const };
    },
  }),
}));
