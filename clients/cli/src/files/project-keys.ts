import { join } from 'node:path';
import type { Cli } from '../cli.ts';
import { changeJsonFile } from './change-json-file.ts';
import { readJsonFile } from './json-file.ts';
import { configDir } from './paths.ts';

/** Keys of a project, as stored on this machine. */
export interface ProjectKeys {
  readonly anon_key?: string;
  readonly service_key?: string;
  readonly saved_at: string;
}

type Kept = Readonly<Record<string, Readonly<Record<string, ProjectKeys>>>>;

const file = (cli: Cli) => join(configDir(cli), 'credentials', 'project-keys.v1.json');

/** All stored keys for one gateway, by project. @throws BAD_FILE, also for a file that others can read */
export async function keptKeys(cli: Cli, apiBase: string): Promise<Readonly<Record<string, ProjectKeys>>> {
  return (await all(cli))[apiBase] ?? {};
}

const all = async (cli: Cli): Promise<Kept> => keysOf(await readJsonFile(file(cli), { secret: true }));

const keysOf = (found: Readonly<Record<string, unknown>> | undefined): Kept => (found?.keys ?? {}) as Kept;

/** Stores keys of a project; a key that is not given remains as stored. */
export async function keepKeys(
  cli: Cli,
  apiBase: string,
  projectId: string,
  keys: { readonly anon_key?: string; readonly service_key?: string },
): Promise<void> {
  const saved_at = new Date().toISOString();
  await changeJsonFile(
    file(cli),
    (found) => {
      const kept = keysOf(found);
      const saved = { ...kept[apiBase]?.[projectId], ...keys, saved_at };
      return { version: 1, keys: { ...kept, [apiBase]: { ...kept[apiBase], [projectId]: saved } } };
    },
    { secret: true },
  );
}

/** @returns whether there were any */
export async function forgetKeys(cli: Cli, apiBase: string, projectId: string): Promise<boolean> {
  let wasKept = false;
  await changeJsonFile(
    file(cli),
    (found) => {
      const kept = keysOf(found);
      const { [projectId]: forgotten, ...others } = kept[apiBase] ?? {};
      wasKept = forgotten !== undefined;
      return wasKept ? { version: 1, keys: { ...kept, [apiBase]: others } } : undefined;
    },
    { secret: true },
  );
  return wasKept;
}
