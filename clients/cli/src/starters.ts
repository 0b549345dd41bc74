import { mkdir, open, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cli } from './cli.ts';
import { local } from './failure.ts';
import { isAbsent } from './files/json-file.ts';

/** An application that `svc init` begins: its files are in `clients/cli/starters/<name>`. */
export interface Starter {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** What is done with it beside `svc up`, in sentences. */
  readonly about: string;
}

export const starters: readonly Starter[] = [
  {
    name: 'static',
    summary: 'Begin a plain site: pages, a style sheet, and a page for what is not there.',
    about: 'There is nothing to build. Files of public/ are served as they are.',
  },
  {
    name: 'vite',
    summary: 'Begin a page of React, built by Vite, with sign-in and a table of notes.',
    about: 'svc up installs its packages by npm and builds it on this machine. Each user sees their own notes.',
  },
  {
    name: 'hono',
    summary: 'Begin an API of Hono: a function behind routes, with a table of todos.',
    about: 'The gateway fetches Hono when it builds the function. Each signed-in user has todos of their own.',
  },
  {
    name: 'ssr',
    summary: 'Begin a site whose pages a function renders out of a table.',
    about: 'Files of public/ are served as they are, and the function renders every other page.',
  },
  {
    name: 'astro',
    summary: 'Begin a site of Astro, with notes in Markdown, built into files.',
    about: 'svc up installs its packages by npm and builds it on this machine. Pages on a server are svc init ssr.',
  },
  {
    name: 'agent',
    summary: 'Begin an agent: a function that answers what is said to it in the project’s room.',
    about:
      'It acts under a delegate’s token, the secret AGENT_TOKEN. It comes by every 15 minutes, and npm start has it answer at once.',
  },
];

/** The id that the files of every starter have in place of the application's own. */
const placeholder = 'my-app';

/** npm leaves files called `.gitignore` out of packages. */
const namesOfPackage: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** What may be in a folder before an application begins there. */
const besideApps = ['.git', '.svc', '.svc.json', '.svc.local.json'];

/** The id of an application in a folder of this name, by the rule of `app.id`. */
const appIdOf = (folder: string, otherwise: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[-0-9]+|-+$/g, '')
    .slice(0, 64) || otherwise;

/**
 * Writes the files of a starter. Nothing is overwritten, and where a file cannot be written none is left behind.
 *
 * @param folder absent, or without files
 * @returns the paths that were written, from the folder
 * @throws Failure BAD_FILE for a folder with files, for a file in the way, and for what cannot be written
 */
export async function writeStarter(cli: Cli, { name }: Starter, folder: string): Promise<string[]> {
  const target = resolve(cli.cwd, folder);
  await requireEmpty(target, folder);
  const files = await filesOf(name, appIdOf(target, name));
  const made: string[] = [];
  const written: string[] = [];
  try {
    for (const { path, content } of files) {
      const file = join(target, path);
      const first = await mkdir(dirname(file), { recursive: true });
      if (first !== undefined) made.push(first);
      const handle = await open(file, 'wx');
      written.push(file);
      await handle.writeFile(content).finally(() => handle.close());
    }
  } catch (error) {
    for (const file of written) await rm(file, { force: true });
    for (const first of made) await removeEmpty(first);
    throw local('BAD_FILE', `The files of ${name} cannot be written: ${(error as Error).message}`, {
      field: 'folder',
      details: { path: (error as NodeJS.ErrnoException).path ?? target },
    });
  }
  return files.map(({ path }) => path);
}

/** @throws Failure BAD_FILE unless the folder is absent or has nothing but what may be beside an application */
async function requireEmpty(target: string, folder: string): Promise<void> {
  let names: string[];
  try {
    names = await readdir(target);
  } catch (error) {
    if (isAbsent(error)) return;
    const isFile = (error as NodeJS.ErrnoException).code === 'ENOTDIR';
    throw local('BAD_FILE', isFile ? `${folder} is or goes through a file.` : `${folder} cannot be read.`, {
      field: 'folder',
      details: { path: target },
    });
  }
  const inTheWay = names.sort().find((one) => !besideApps.includes(one));
  if (inTheWay === undefined) return;
  throw local('BAD_FILE', `${folder} is not empty: ${inTheWay} is there already.`, {
    hint: 'Name a folder that is new or empty. Nothing was written.',
    field: 'folder',
    details: { path: join(target, inTheWay) },
  });
}

/** The files of a starter, with the id of the application in place of the placeholder. */
async function filesOf(name: string, id: string): Promise<{ readonly path: string; readonly content: string }[]> {
  // Beside the folder of this module, in the sources and in the package alike.
  const from = fileURLToPath(new URL(`../starters/${name}`, import.meta.url));
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => relative(from, join(one.parentPath, one.name)));
  const files = await Promise.all(
    paths.map(async (path) => ({
      path: join(dirname(path), namesOfPackage[basename(path)] ?? basename(path)).replaceAll(sep, '/'),
      content: (await readFile(join(from, path), 'utf8')).replaceAll(placeholder, id),
    })),
  );
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Removes a folder and those below it, as far as they are empty. */
async function removeEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const below = entries.filter((one) => one.isDirectory()).map((one) => join(one.parentPath, one.name));
  for (const one of [...below.sort((a, b) => b.length - a.length), folder]) await rmdir(one).catch(() => undefined);
}
