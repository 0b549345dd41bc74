import type { Cli } from '../cli.ts';
import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { activeWallet } from '../files/wallets.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/billing.ts';
import { findOrg, orgFlag, requireOrg } from '../resolve.ts';
import { exportHistory } from './billing-export.ts';
import { topup } from './billing-topup.ts';

const balance: Command = {
  words: 'billing balance',
  summary: 'The prepaid balance of an organization, or of the one behind a wallet or an address.',
  positionals: [
    {
      name: 'whose',
      optional: true,
      about: 'An organization, a wallet or a mail address. Else the organization in use, or your wallet’s.',
    },
  ],
  flags: [orgFlag],
  examples: [
    ['Yours', 'billing balance'],
    ['Of an organization', 'billing balance 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70'],
  ],
  operations: ['billing.get', 'billing.lookup'],
  async run({ cli, positionals: { whose }, flags }) {
    if (whose?.includes('@') === true) return perform(cli, rows['billing.lookup'], { email: whose });
    if (whose?.startsWith('0x') === true) return perform(cli, rows['billing.lookup'], { wallet: whose });
    const org = await findOrg(cli, { 'the argument': whose, '--org': flags.text('org') });
    if (org !== undefined) return perform(cli, rows['billing.get'], { org });
    return perform(cli, rows['billing.lookup'], { wallet: (await activeWallet(cli)).address });
  },
};

/** The organization that is named, or is behind a wallet or an address. */
async function orgOf(cli: Cli, whose: string | undefined, named: string | undefined): Promise<string> {
  const lookup = whose?.includes('@') === true ? 'email' : whose?.startsWith('0x') === true ? 'wallet' : undefined;
  if (lookup === undefined) return requireOrg(cli, { 'the argument': whose, '--org': named });
  return String((await perform(cli, rows['billing.lookup'], { [lookup]: whose })).org_id);
}

const inputs = rows['billing.createCheckout'].inputs;

const checkout: Command = {
  words: 'billing checkout',
  summary: 'Begin a payment by card for the prepaid balance, a tier or mail credits: it answers the page to pay on.',
  positionals: [
    {
      name: 'whose',
      optional: true,
      about: 'An organization, a wallet or a mail address. Else the organization in use.',
    },
  ],
  flags: [
    {
      name: 'product',
      type: 'string',
      required: true,
      placeholder: 'product',
      about: '`balance-topup`, `tier` or `email-pack`.',
    },
    { name: 'amount', type: 'integer', about: inputs.amount_usd_micros.about },
    { name: 'tier', type: 'string', choices: ['hobby', 'team'], about: inputs.tier.about },
    { name: 'save-card', type: 'boolean', about: inputs.save_card.about },
    { name: 'success-url', type: 'string', about: inputs.success_url.about },
    { name: 'cancel-url', type: 'string', about: inputs.cancel_url.about },
    { name: 'idempotency-key', type: 'string', placeholder: 'key', about: 'The same key begins one payment.' },
    orgFlag,
  ],
  examples: [
    ['Twenty dollars', 'billing checkout --product balance-topup --amount 20000000'],
    ['A tier', 'billing checkout --product tier --tier hobby'],
  ],
  operations: ['billing.createCheckout', 'billing.lookup'],
  async run({ cli, positionals: { whose }, flags }) {
    const given = {
      org: await orgOf(cli, whose, flags.text('org')),
      product: flags.text('product')!.replaceAll('-', '_'),
      amount_usd_micros: flags.number('amount'),
      tier: flags.text('tier'),
      save_card: flags.is('save-card') ? true : undefined,
      success_url: flags.text('success-url'),
      cancel_url: flags.text('cancel-url'),
    };
    return perform(cli, rows['billing.createCheckout'], given, { flags });
  },
};

const autoRecharge: Command = {
  words: 'billing auto-recharge',
  summary: rows['billing.setAutoRecharge'].summary,
  positionals: [
    { name: 'org_id', optional: true, only: /^[0-9a-f]{8}-[0-9a-f-]{27}$/i, about: inputs.org.about },
    { name: 'state', about: 'on or off. Where credits are low already, a pack is bought at once.' },
  ],
  flags: [
    { name: 'threshold', type: 'integer', min: 0, about: rows['billing.setAutoRecharge'].inputs.threshold.about },
    { name: 'idempotency-key', type: 'string', placeholder: 'key', about: 'The same key does it once.' },
    orgFlag,
  ],
  examples: [['Below 500 credits', 'billing auto-recharge on --threshold 500']],
  operations: ['billing.setAutoRecharge'],
  async run({ cli, positionals, flags }) {
    const isOn = ['on', 'true'].includes(positionals.state!);
    if (!isOn && !['off', 'false'].includes(positionals.state!))
      throw badUsage('<state> is on or off.', { field: 'state' });
    const { org_id, enabled } = await perform(
      cli,
      rows['billing.setAutoRecharge'],
      {
        org: await requireOrg(cli, { 'the argument': positionals.org_id, '--org': flags.text('org') }),
        enabled: isOn,
        threshold: flags.number('threshold'),
      },
      { flags },
    );
    return { org_id, enabled, updated: true };
  },
};

export const group: Group = {
  name: 'billing',
  about: ['svc billing: what an organization has paid in advance, and what moved it. Amounts are micro-dollars.'],
  commands: everyCommand(rows, [
    balance,
    operationCommand('billing create-email', rows['billing.createEmailOrganization'], {
      takes: [take('email')],
      about: ['Who signs in with the address has the organization. Until then a wallet can be linked to it.'],
      examples: [['Of an address', 'billing create-email ada@example.com']],
    }),
    operationCommand('billing link-wallet', rows['billing.linkWallet'], {
      takes: [take('org_id'), take('wallet', { optional: true })],
      texts: { wallet: 'The wallet, which has to sign; the one in use unless told.' },
      set: async ({ cli, positionals: { wallet } }) => ({ wallet: wallet ?? (await activeWallet(cli)).address }),
      examples: [['The wallet in use', 'billing link-wallet 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
    exportHistory,
    checkout,
    topup,
    autoRecharge,
    operationCommand('billing checkout-status', rows['billing.getCheckout'], {
      takes: [take('topup', { name: 'topup_id' })],
      examples: [['Whether it is paid', 'billing checkout-status 7d4f0a3e-1f0b-4d5e-9a51-0c8c3f6e2b10']],
    }),
    operationCommand('billing history', rows['billing.listHistory'], {
      takes: [take('org')],
      examples: [['The latest', 'billing history --limit 5']],
    }),
  ]),
};
