import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { activeWallet } from '../files/wallets.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/billing.ts';
import { findOrg, orgFlag } from '../resolve.ts';
import { exportHistory } from './billing-export.ts';

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
    operationCommand('billing history', rows['billing.listHistory'], {
      takes: [take('org')],
      examples: [['The latest', 'billing history --limit 5']],
    }),
  ]),
};
