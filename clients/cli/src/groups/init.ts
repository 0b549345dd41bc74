import { balancesOf } from '../balances.ts';
import type { Command, Group } from '../command.ts';
import { Failure, local } from '../failure.ts';
import { configDir } from '../files/paths.ts';
import { keptKeys } from '../files/project-keys.ts';
import { findOrMakeWallet, walletName } from '../files/wallets.ts';
import { apiBase, keepApiBase } from '../net/api-base.ts';
import { call } from '../net/gateway.ts';
import { note } from '../progress.ts';

const init: Command = {
  words: 'init',
  summary: 'Make a wallet, if there is none, and see what it can do.',
  about: [
    'There is no password and no account to be opened: the wallet signs what you send. Its key stands in a file that only you can read. Run again, it changes nothing.',
    'With --api-base that gateway is the one that commands mean from then on, where neither --api-base nor SVC_API_BASE names another.',
  ],
  positionals: [
    { name: 'rail', optional: true, choices: ['x402', 'mpp'], about: 'How the wallet pays: x402 unless told.' },
  ],
  examples: [
    ['Begin', 'init'],
    ['On another gateway, from now on', 'init --api-base https://api.example.com'],
  ],
  operations: ['tiers.getStatus', 'billing.lookup'],
  async run({ cli, positionals }) {
    if (positionals.rail === 'mpp')
      throw local('RAIL_SWITCH_REQUIRES_CONFIRM', 'This gateway is paid by x402 alone.', { field: 'rail' });
    const name = await walletName(cli);
    const { wallet, isNew } = await findOrMakeWallet(cli, name);
    note(cli, isNew ? `Made the wallet ${name}: ${wallet.address}` : `The wallet ${name} is there already.`);
    const { url, source } = await apiBase(cli);
    if (source === '--api-base') await keepApiBase(cli, url);
    const [tier, balance, organizations] = await Promise.all([
      orNull(call(cli, { method: 'GET', path: '/tiers/v1/status' })),
      orNull(call(cli, { method: 'GET', path: '/orgs/v1/lookup', query: { wallet: wallet.address } })),
      orNull(call<{ organizations?: readonly unknown[] }>(cli, { method: 'GET', path: '/orgs/v1' })),
    ]);
    const projects_saved = Object.keys(await keptKeys(cli, url)).length;
    const owned = Object.values(organizations ?? {}).find(Array.isArray)?.length ?? 0;
    return {
      config_dir: configDir(cli),
      wallet: { local_label: name, server_label: null, address: wallet.address, created: isNew },
      rail: wallet.rail,
      network: 'base-sepolia',
      api_base: url,
      reachable: organizations !== null,
      balances: balancesOf(balance),
      tier: tier?.tier ?? null,
      projects_saved,
      next_step:
        organizations === null
          ? 'svc dev'
          : owned === 0
            ? 'svc org create --name "My team"'
            : projects_saved === 0
              ? 'svc projects provision'
              : 'svc status',
    };
  },
};

/** A read that may fail without anything being lost. */
async function orNull<Body>(answer: Promise<{ body: Body }>): Promise<Body | null> {
  try {
    return (await answer).body;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

export const group: Group = { name: 'init', about: [init.summary], commands: [init] };
