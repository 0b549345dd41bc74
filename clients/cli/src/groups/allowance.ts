import type { Command, Group } from '../command.ts';
import { local } from '../failure.ts';
import { activeWallet, findWallet, newWallet, shownWallet, walletName } from '../files/wallets.ts';
import { call } from '../net/gateway.ts';
import { operationCommand, perform } from '../operation-command.ts';
import { rows as faucet } from '../operations/allowance.ts';
import { rows } from '../operations/billing.ts';

const status: Command = {
  words: 'allowance status',
  summary: 'The wallet in use: its address, and whether there is one. Nothing is asked of any gateway.',
  examples: [['Which one signs?', 'allowance status']],
  async run({ cli }) {
    const name = await walletName(cli);
    const wallet = await findWallet(cli, name);
    return wallet === undefined
      ? { name, address: null, created: null, funded: false, rail: null, configured: false }
      : { ...shownWallet(wallet), configured: true };
  },
};

const create: Command = {
  words: 'allowance create',
  summary: 'Make the wallet in use, when there is none.',
  examples: [['A fresh key', 'allowance create']],
  async run({ cli }) {
    const name = await walletName(cli);
    if ((await findWallet(cli, name)) !== undefined)
      throw local('ALLOWANCE_EXISTS', `There is a wallet ${name} already.`, {
        hint: 'svc wallets new makes another one.',
      });
    return shownWallet(await newWallet(cli, name));
  },
};

const exportAddress: Command = {
  words: 'allowance export',
  summary: 'The address of the wallet in use, and never its key.',
  examples: [['To be paid', 'allowance export']],
  run: async ({ cli }) => ({ address: (await activeWallet(cli)).address }),
};

const balance: Command = {
  words: 'allowance balance',
  summary: 'The prepaid balance behind the wallet in use.',
  examples: [['What is left', 'allowance balance']],
  operations: ['billing.lookup'],
  async run({ cli }) {
    const { address } = await activeWallet(cli);
    return (await call(cli, { method: 'GET', path: '/orgs/v1/lookup', query: { wallet: address } })).body;
  },
};

const fund = operationCommand('allowance fund', faucet['allowance.faucet'], {
  flags: { address: null },
  more: [{ name: 'address', type: 'string', about: 'The wallet that gets it; the one in use unless told.' }],
  set: async ({ cli, flags }) => ({ address: flags.text('address') ?? (await activeWallet(cli)).address }),
  about: ['The test money is USDC on base-sepolia: it pays what a gateway sells for test money.'],
  examples: [['For the wallet in use', 'allowance fund']],
});

const checkout: Command = {
  words: 'allowance checkout',
  summary: 'Begin a payment by card for the prepaid balance behind the wallet in use: it answers the page to pay on.',
  flags: [
    {
      name: 'amount',
      type: 'integer',
      required: true,
      about: 'Micro-dollars, at least 500,000 and whole cents (a multiple of 10,000).',
    },
  ],
  examples: [['Five dollars', 'allowance checkout --amount 5000000']],
  operations: ['billing.lookup', 'billing.createCheckout'],
  async run({ cli, flags }) {
    const { address } = await activeWallet(cli);
    const { org_id: org } = await perform(cli, rows['billing.lookup'], { wallet: address });
    const wanted = { org, product: 'balance_topup', amount_usd_micros: flags.number('amount') };
    return perform(cli, rows['billing.createCheckout'], wanted);
  },
};

export const group: Group = {
  name: 'allowance',
  about: ['svc allowance: the wallet in use. `svc wallets` has all of them.'],
  commands: [status, create, fund, exportAddress, balance, checkout],
};
