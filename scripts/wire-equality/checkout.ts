import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout that this script belongs to. */
export const ownCheckout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: ownCheckout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

/** Sources of one build. */
export interface Checkout {
  readonly folder: string;
  /** For the report: a commit, or that it is the working tree. */
  readonly name: string;
  readonly remove: () => Promise<void>;
}

export const workingTree: Checkout = { folder: ownCheckout, name: 'the working tree', remove: async () => undefined };

/** A commit in a temporary worktree, with packages and a console, ready to start. */
export async function checkOut(commit: string): Promise<Checkout> {
  const id = git('rev-parse', '--verify', `${commit}^{commit}`);
  const parent = await mkdtemp(join(tmpdir(), 'svc-wire-'));
  const folder = join(parent, id.slice(0, 10));
  git('worktree', 'add', '--quiet', '--detach', folder, id);
  const remove = async () => {
    git('worktree', 'remove', '--force', folder);
    await rm(parent, { recursive: true, force: true });
  };
  try {
    await addPackages(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, name: git('log', '-1', '--format=%h %s', id), remove };
}

/** The packages of this checkout where they are the same, which takes no time; else those of the commit. */
async function addPackages(folder: string): Promise<void> {
  const [wanted, there] = await Promise.all(
    [folder, ownCheckout].map((one) => readFile(join(one, 'package-lock.json'), 'utf8')),
  );
  if (wanted === there) await symlink(join(ownCheckout, 'node_modules'), join(folder, 'node_modules'));
  else if (spawnSync('npm', ['ci'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
    throw new Error(`npm ci failed in ${folder}.`);
}

/** Builds the console where it has changed since. */
export function buildConsole({ folder }: Checkout): void {
  const script = join(folder, 'scripts/build-console.ts');
  if (existsSync(script))
    spawnSync(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
