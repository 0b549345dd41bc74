import { resolve } from 'node:path';
import { balancesOf } from '../balances.ts';
import type { Cli } from '../cli.ts';
import type { Command, Group } from '../command.ts';
import { badUsage, Failure, local, runCommand } from '../failure.ts';
import { configDir } from '../files/paths.ts';
import { keptKeys } from '../files/project-keys.ts';
import { findOrMakeWallet, findWallet, switchRail, type Wallet, walletName } from '../files/wallets.ts';
import { readText } from '../input.ts';
import { nearest } from '../nearest.ts';
import { apiBase, keepApiBase } from '../net/api-base.ts';
import { call } from '../net/gateway.ts';
import { note } from '../progress.ts';
import { type Starter, starters, writeStarter } from '../starters.ts';

const rails = ['x402', 'mpp'];

/** The refusal of a word behind `svc init` that is neither a rail nor a template. */
function notInitialised(word: string): Failure {
  const templates = starters.map(({ name }) => name);
  const near = nearest(word, [...rails, ...templates]);
  return badUsage(`There is no template ${word}. Templates are ${templates.join(', ')}.`, {
    field: 'template',
    hint:
      near === undefined
        ? 'svc init --help tells what each is, and of the rail of a wallet.'
        : `Did you mean svc init ${near}?`,
    details: { templates, rails },
  });
}

const init: Command = {
  words: 'init',
  summary: 'Make a wallet, if there is none, and see what it can do.',
  about: [
    'There is no password and no account to be opened: the wallet signs what you send. Its key stands in a file that only you can read. Run again, it changes nothing.',
    'A gateway that gives test money away sends some to a wallet that is new.',
    'With the name of a template it writes the files of an application instead, which svc up then brings up: see below.',
    'With --api-base that gateway is the one that commands mean from then on, where neither --api-base nor SVC_API_BASE names another.',
  ],
  positionals: [
    {
      name: 'rail',
      optional: true,
      choices: rails,
      refusal: notInitialised,
      about: 'How the wallet pays: x402 unless told.',
    },
  ],
  flags: [
    {
      name: 'switch-rail',
      type: 'boolean',
      about: 'Have a wallet that pays by another rail pay by this one from now on.',
    },
    {
      name: 'voucher',
      type: 'string',
      placeholder: 'code',
      about: 'Redeem this code for the wallet’s organization; - reads it from standard input.',
    },
  ],
  examples: [
    ['Begin', 'init'],
    ['On another gateway, from now on', 'init --api-base https://api.example.com'],
  ],
  operations: ['tiers.getStatus', 'billing.lookup', 'allowance.faucet'],
  async run({ cli, positionals, flags }) {
    const name = await walletName(cli);
    const rail = (positionals.rail ?? (flags.is('switch-rail') ? 'x402' : undefined)) as Wallet['rail'] | undefined;
    const isSwitch = requireRail(cli, rail, await findWallet(cli, name), flags.is('switch-rail'));
    const given = flags.text('voucher');
    const code = given === '-' ? (await readText(cli, '-')).trim() : given;
    const found = await findOrMakeWallet(cli, name);
    const { isNew } = found;
    const wallet = isSwitch ? await switchRail(cli, found.wallet, rail!) : found.wallet;
    note(cli, isNew ? `Made the wallet ${name}: ${wallet.address}` : `The wallet ${name} is there already.`);
    const { url, source } = await apiBase(cli);
    if (source === '--api-base') await keepApiBase(cli, url);
    const redeemed = code === undefined ? {} : await redeem(cli, code);
    const gift = isNew ? await askFaucet(cli, wallet.address) : {};
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
      ...redeemed,
      ...gift,
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

/**
 * Whether a wallet has to switch to another rail.
 *
 * @throws RAIL_SWITCH_REQUIRES_CONFIRM without the confirmation, UNSUPPORTED_OPTION for an unsupported rail
 */
function requireRail(
  cli: Cli,
  rail: Wallet['rail'] | undefined,
  wallet: Wallet | undefined,
  isConfirmed: boolean,
): boolean {
  if (rail === undefined || rail === wallet?.rail) return false;
  // Without its flag the suggested command would select another wallet.
  const named = cli.wallet === undefined ? '' : `--wallet ${cli.wallet} `;
  if (wallet !== undefined && !isConfirmed)
    throw local('RAIL_SWITCH_REQUIRES_CONFIRM', `The wallet ${wallet.name} pays by ${wallet.rail}.`, {
      field: 'switch-rail',
      ...(rail === 'mpp'
        ? { hint: 'Gateways of this version are paid by x402 alone.' }
        : { nextActions: [runCommand(`svc ${named}init ${rail} --switch-rail`, `From then on it pays by ${rail}.`)] }),
    });
  if (rail === 'mpp')
    throw local('UNSUPPORTED_OPTION', 'Gateways of this version are paid by x402 alone.', { field: 'rail' });
  return wallet !== undefined;
}

/**
 * Redeems a voucher. A rejected voucher does not prevent the creation of the wallet. Contract 04, sections 1.7 and
 * 3.5.
 */
async function redeem(cli: Cli, code: string): Promise<{ voucher: unknown } | { voucher_error: object }> {
  try {
    const { body } = await call(cli, { method: 'POST', path: '/vouchers/v1/redemptions', body: { code } });
    return { voucher: body };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code: why, message, http, details = {} } = error.envelope;
    const told = why === 'ROUTE_NOT_FOUND' ? 'This gateway redeems no vouchers.' : message;
    return { voucher_error: { code: why, message: told, ...(http === undefined ? {} : { http }), details } };
  }
}

/**
 * Asks for test money for a new wallet. A gateway that gives none away, or none now, does not prevent the creation of the
 * wallet. Contract 04, section 1.6.
 */
async function askFaucet(cli: Cli, address: string): Promise<object> {
  try {
    const { body } = await call(cli, { method: 'POST', path: '/faucet/v1', body: { address } });
    return { faucet: body };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message, http } = error.envelope;
    const isNone = http === undefined || code === 'FAUCET_NOT_CONFIGURED' || code === 'ROUTE_NOT_FOUND';
    return isNone ? {} : { faucet_error: { code, message, http } };
  }
}

/** Returns null when an optional read fails. */
async function orNull<Body>(answer: Promise<{ body: Body }>): Promise<Body | null> {
  try {
    return (await answer).body;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** `svc init <template>`. Contract 04, section 3.5. */
const initStarter = (starter: Starter): Command => ({
  words: `init ${starter.name}`,
  summary: starter.summary,
  about: [
    `${starter.about} Nothing is overwritten, and no gateway is asked: svc up in the folder brings the application up.`,
  ],
  positionals: [
    {
      name: 'folder',
      optional: true,
      about: `Where its files go, a new or empty folder: ${starter.name} unless told, . for this one.`,
    },
  ],
  examples: [
    ['In a folder of its own', `init ${starter.name} my-app`],
    ['In this folder', `init ${starter.name} .`],
  ],
  async run({ cli, positionals }) {
    const folder = positionals.folder ?? starter.name;
    const files = await writeStarter(cli, starter, folder);
    return {
      template: starter.name,
      folder: resolve(cli.cwd, folder),
      files,
      next_step: `svc up${folder === '.' ? '' : ` ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)}`}`,
    };
  },
});

export const group: Group = { name: 'init', about: [init.summary], commands: [init, ...starters.map(initStarter)] };
