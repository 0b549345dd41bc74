import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cli } from './cli.ts';
import { local } from './failure.ts';

const product = 'svc-gateway';

/** The folder of the gateway's own clone. @throws FILE_NOT_FOUND */
export async function gatewayFolder(cli: Cli): Promise<string> {
  const { SVC_GATEWAY_DIR: set } = cli.env;
  const beginnings = set === undefined ? [cli.cwd, dirname(fileURLToPath(import.meta.url))] : [resolve(cli.cwd, set)];
  for (const beginning of beginnings)
    for (let folder = beginning; ; folder = dirname(folder)) {
      if (await isGateway(folder)) return folder;
      if (dirname(folder) === folder || set !== undefined) break;
    }
  throw local('FILE_NOT_FOUND', 'There is no gateway to start from here.', {
    hint: 'Clone the gateway, run npm ci in it, and name it by SVC_GATEWAY_DIR.',
  });
}

async function isGateway(folder: string): Promise<boolean> {
  try {
    return (JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { name?: string }).name === product;
  } catch {
    return false;
  }
}
