import { join } from 'node:path';
import type { Cli } from '../cli.ts';
import { local } from '../failure.ts';
import { changeJsonFile } from '../files/change-json-file.ts';
import { readJsonFile } from '../files/json-file.ts';
import { configDir } from '../files/paths.ts';

export interface ApiBase {
  /** Without a slash at its end. */
  readonly url: string;
  readonly source: '--api-base' | 'SVC_API_BASE' | 'target.json' | 'default';
}

/** Where `npm start` and `svc dev` serve. */
const here = 'http://localhost:4000';

/** The gateway's address: `--api-base`, else `SVC_API_BASE`, `target.json` in the config directory, and this machine. */
export async function apiBase(cli: Cli): Promise<ApiBase> {
  if (cli.apiBase !== undefined) return { url: checked(cli.apiBase, '--api-base'), source: '--api-base' };
  const { SVC_API_BASE: set } = cli.env;
  if (set !== undefined && set !== '') return { url: checked(set, 'SVC_API_BASE'), source: 'SVC_API_BASE' };
  const target = (await readJsonFile(join(configDir(cli), 'target.json')))?.api_base;
  if (typeof target === 'string') return { url: checked(target, 'target.json'), source: 'target.json' };
  return { url: here, source: 'default' };
}

/**
 * The process as it is beside another gateway, for what is done there.
 *
 * @param url undefined: `SVC_CORE_URL`, and where there is none the gateway of other commands
 */
export async function atCore(cli: Cli, url: string | undefined): Promise<Cli & { readonly isElsewhere: boolean }> {
  const { url: usual } = await apiBase(cli);
  const { SVC_CORE_URL: set } = cli.env;
  const named =
    url !== undefined
      ? checked(url, '--core-url')
      : cli.apiBase === undefined && set !== undefined && set !== ''
        ? checked(set, 'SVC_CORE_URL')
        : usual;
  if (named === usual) return { ...cli, isElsewhere: false };
  // Tokens and names of the environment belong to the usual gateway: the other one does not see them.
  const { SVC_DELEGATE_TOKEN: _token, SVC_SERVICE_KEY: _key, SVC_ORG: _org, SVC_ROOM: _room, ...env } = cli.env;
  return { ...cli, apiBase: named, env, isElsewhere: true };
}

/** Keeps an address as the one that is meant where none is named. */
export async function keepApiBase(cli: Cli, url: string): Promise<void> {
  const change = { api_base: url, target_kind: 'core', updated_at: new Date().toISOString() };
  await changeJsonFile(join(configDir(cli), 'target.json'), (found) => ({ ...found, ...change }));
}

function checked(text: string, source: string): string {
  const url = URL.parse(text);
  if (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.search === ''
  )
    return url.href.replace(/\/+$/, '');
  throw local('BAD_HOST', `${source} is no address of a gateway such as https://api.example.com.`);
}
