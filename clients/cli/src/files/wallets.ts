import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Cli } from '../cli.ts';
import { local, runCommand } from '../failure.ts';
import { readBinding, spelling } from './bindings.ts';
import { changeJsonFile } from './change-json-file.ts';
import { isAbsent, isThere, readJsonFile, writeJsonFile } from './json-file.ts';
import { configDir, profileDir, walletFile } from './paths.ts';

/** A wallet as stored in its file. Its key is used only to sign, and is never shown. */
export interface Wallet {
  readonly name: string;
  readonly address: string;
  readonly privateKey: string;
  readonly created?: string;
  readonly funded?: boolean;
  readonly rail: 'x402' | 'mpp';
}

/** The members of a wallet that may be shown. */
export const shownWallet = ({ name, address, created, funded = false, rail }: Wallet) => ({
  name,
  address,
  created: created ?? null,
  funded,
  rail,
});

/**
 * The name of the active wallet: `--wallet`, else `SVC_WALLET`, the binding file, `wallets use`, and `default`.
 *
 * @throws WALLET_SELECTION_CONFLICT when environment and binding name different ones
 */
export async function walletName(cli: Cli): Promise<string> {
  const { wallet: flag, env } = cli;
  if (flag !== undefined) return checkedName(flag);
  const set = env.SVC_WALLET ?? env.SVC_PROFILE;
  const { wallet: bound } = await readBinding(cli);
  if (set !== undefined && bound !== undefined && set !== bound)
    throw local('WALLET_SELECTION_CONFLICT', `SVC_WALLET names ${set}, and the binding file ${bound}.`, {
      hint: 'Name the one that is meant with --wallet.',
      details: { environment: set, binding: bound },
    });
  return checkedName(set ?? bound ?? (await usedWallet(cli)));
}

/** The wallet that `wallets use` selected. */
export async function usedWallet(cli: Cli): Promise<string> {
  const config = await readJsonFile(join(configDir(cli), 'config.json'));
  return typeof config?.active_wallet === 'string' ? config.active_wallet : 'default';
}

export async function useWallet(cli: Cli, name: string): Promise<void> {
  await changeJsonFile(join(configDir(cli), 'config.json'), (config) => ({ ...config, active_wallet: name }));
}

/** @throws BAD_WALLET_NAME */
export function checkedName(name: string): string {
  if (spelling.wallet.test(name)) return name;
  throw local('BAD_WALLET_NAME', `${JSON.stringify(name)} is no name of a wallet.`, {
    hint: 'Small letters, digits, - and _, at most 64, a letter or digit first.',
  });
}

/** The wallet with this name, if it exists. @throws BAD_WALLET_FILE, also for one that others can read */
export async function findWallet(cli: Cli, name: string): Promise<Wallet | undefined> {
  const path = walletFile(cli, name);
  const found = await readJsonFile(path, { code: 'BAD_WALLET_FILE', secret: true });
  if (found === undefined) return undefined;
  const { address, privateKey, created, funded, rail } = found;
  if (!isHex(address, 40) || !isHex(privateKey, 64))
    throw local('BAD_WALLET_FILE', `${path} holds no wallet.`, { details: { path } });
  return {
    name,
    address,
    privateKey,
    rail: rail === 'mpp' ? 'mpp' : 'x402',
    ...(typeof created === 'string' ? { created } : {}),
    ...(typeof funded === 'boolean' ? { funded } : {}),
  };
}

const isHex = (value: unknown, digits: number): value is string =>
  typeof value === 'string' && value.length === digits + 2 && /^0x[0-9a-fA-F]+$/.test(value);

/**
 * The wallet that signs requests, if there is one.
 *
 * @throws WALLET_NOT_FOUND for a wallet that this call names: no other wallet may sign in its place
 */
export async function signingWallet(cli: Cli): Promise<Wallet | undefined> {
  const name = await walletName(cli);
  const found = await findWallet(cli, name);
  const isNamed = (cli.wallet ?? cli.env.SVC_WALLET ?? cli.env.SVC_PROFILE) !== undefined;
  if (found === undefined && isNamed && name !== 'default') throw walletNotFound(name);
  return found;
}

/** The active wallet. @throws NO_WALLET */
export async function activeWallet(cli: Cli): Promise<Wallet> {
  const name = await walletName(cli);
  const wallet = await findWallet(cli, name);
  if (wallet !== undefined) return wallet;
  throw local('NO_WALLET', `There is no wallet ${name} on this machine.`, {
    hint: 'svc init makes one.',
    nextActions: [{ type: 'initialize_wallet', command: 'svc init', why: 'A wallet is how you sign in.' }],
  });
}

/** Creates a wallet with a new key. @throws WALLET_EXISTS */
export async function newWallet(cli: Cli, name: string): Promise<Wallet> {
  const { randomKey } = await import('../net/signing.ts');
  return keepWallet(cli, name, randomKey());
}

/** Returns the wallet with this name, and creates it if needed. Another process may create it at the same moment. */
export async function findOrMakeWallet(cli: Cli, name: string): Promise<{ wallet: Wallet; isNew: boolean }> {
  const there = await findWallet(cli, name);
  if (there !== undefined) return { wallet: there, isNew: false };
  try {
    return { wallet: await newWallet(cli, name), isNew: true };
  } catch (error) {
    const other = await findWallet(cli, name);
    if (other === undefined) throw error;
    return { wallet: other, isNew: false };
  }
}

/** @throws WALLET_EXISTS, BAD_PRIVATE_KEY */
export async function keepWallet(cli: Cli, name: string, privateKey: string): Promise<Wallet> {
  const { addressOf } = await import('../net/signing.ts');
  const path = walletFile(cli, checkedName(name));
  const address = addressOf(privateKey);
  const created = new Date().toISOString();
  try {
    // Never overwrites a key that another process has just written.
    await writeJsonFile(path, { address, privateKey, created, funded: false, rail: 'x402' }, { isNew: true });
  } catch (error) {
    if (!isThere(error)) throw error;
    throw local('WALLET_EXISTS', `There is a wallet ${name} already.`, { hint: 'Give another name.' });
  }
  return { name, address, privateKey, created, funded: false, rail: 'x402' };
}

/** Sets the payment rail of a wallet. */
export async function switchRail(cli: Cli, wallet: Wallet, rail: Wallet['rail']): Promise<Wallet> {
  const change = (found: object | undefined) => ({ ...found, rail });
  await changeJsonFile(walletFile(cli, wallet.name), change, { code: 'BAD_WALLET_FILE', secret: true });
  return { ...wallet, rail };
}

/** Names of all wallets on this machine, `default` first. */
export async function walletNames(cli: Cli): Promise<string[]> {
  let named: string[] = [];
  try {
    named = await readdir(join(configDir(cli), 'profiles'));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  const there: string[] = [];
  for (const name of ['default', ...named.filter((one) => spelling.wallet.test(one)).sort()])
    if ((await readJsonFile(walletFile(cli, name), { code: 'BAD_WALLET_FILE', secret: true })) !== undefined)
      there.push(name);
  return there;
}

/** @throws WALLET_NOT_FOUND, WALLET_EXISTS, WALLET_PROTECTED for the wallet `default` */
export async function renameWallet(cli: Cli, from: string, to: string): Promise<void> {
  refuseDefault(from, 'renamed');
  if ((await findWallet(cli, checkedName(from))) === undefined) throw walletNotFound(from);
  if ((await findWallet(cli, checkedName(to))) !== undefined)
    throw local('WALLET_EXISTS', `There is a wallet ${to} already.`);
  try {
    await rename(profileDir(cli, from), profileDir(cli, to));
  } catch {
    throw local('WALLET_RENAME_FAILED', `${profileDir(cli, to)} is in the way.`, { details: { from, to } });
  }
  if ((await usedWallet(cli)) === from) await useWallet(cli, to);
}

/** @throws WALLET_NOT_FOUND, WALLET_PROTECTED for `default` and for the active wallet */
export async function removeWallet(cli: Cli, name: string): Promise<void> {
  refuseDefault(name, 'removed');
  if ((await findWallet(cli, checkedName(name))) === undefined) throw walletNotFound(name);
  if ((await usedWallet(cli)) === name)
    throw local('WALLET_PROTECTED', `${name} is the wallet in use.`, {
      nextActions: [runCommand('svc wallets use default', 'Another wallet has to be in use first.')],
    });
  await rm(dirname(walletFile(cli, name)), { recursive: true });
}

export const walletNotFound = (name: string) =>
  local('WALLET_NOT_FOUND', `There is no wallet ${name} on this machine.`, {
    nextActions: [runCommand('svc wallets list', 'It lists those that there are.')],
  });

function refuseDefault(name: string, what: string): void {
  if (name === 'default') throw local('WALLET_PROTECTED', `The wallet default cannot be ${what}.`);
}
