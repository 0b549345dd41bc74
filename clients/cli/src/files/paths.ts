import { join } from 'node:path';
import type { Cli } from '../cli.ts';

/** The folder of settings, wallets and keys: `SVC_CONFIG_DIR`, by default `.config/svc` in the home directory. */
export const configDir = ({ env, home }: Cli): string => env.SVC_CONFIG_DIR ?? join(home, '.config', 'svc');

/** The folder of one wallet's files. For the wallet `default` it is the config directory itself. */
export const profileDir = (cli: Cli, wallet: string): string =>
  wallet === 'default' ? configDir(cli) : join(configDir(cli), 'profiles', wallet);

export const walletFile = (cli: Cli, wallet: string): string =>
  wallet === 'default' && cli.env.SVC_ALLOWANCE_PATH !== undefined
    ? cli.env.SVC_ALLOWANCE_PATH
    : join(profileDir(cli, wallet), 'allowance.json');
