import { join } from 'node:path';
import type { Cli } from '../cli.ts';
import { changeJsonFile, merged } from './change-json-file.ts';
import { readJsonFile } from './json-file.ts';
import { configDir } from './paths.ts';
import { findWallet, walletName } from './wallets.ts';

/** The selection made by `use`, for one wallet on one gateway. */
interface Chosen {
  readonly project_id?: string;
  readonly org_id?: string;
}

const file = (cli: Cli) => join(configDir(cli), 'state.json');

async function place(cli: Cli, apiBase: string): Promise<string> {
  const name = await walletName(cli);
  return [apiBase, name, (await findWallet(cli, name))?.address.toLowerCase() ?? ''].join(' ');
}

/** The selected project and organization, by gateway, wallet and address. */
export async function chosen(cli: Cli, apiBase: string): Promise<Chosen> {
  const active = (await readJsonFile(file(cli)))?.active as Record<string, Chosen> | undefined;
  return active?.[await place(cli, apiBase)] ?? {};
}

/** Stores a selection; null removes it. */
export async function choose(
  cli: Cli,
  apiBase: string,
  change: Readonly<{ project_id?: string | null; org_id?: string | null }>,
): Promise<void> {
  const at = await place(cli, apiBase);
  await changeJsonFile(file(cli), (state) => {
    const active = (state?.active ?? {}) as Record<string, Record<string, unknown>>;
    return { ...state, active: { ...active, [at]: merged(active[at], change) } };
  });
}
