import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { syncFolder } from '../../core/sync-folder.ts';
import { acquireFolderLock, type FolderLock } from '../../db/embedded/folder-lock.ts';
import { makeFolder } from '../../db/make-folder.ts';
import { previousSecretFile } from '../root-secret.ts';
import { unfinishedRestore } from '../unfinished-restore.ts';
import { RestoreError } from './restore-error.ts';

interface State {
  readonly run: string;
  /** Everything is there and verified, and is being moved to its place. */
  readonly moving: boolean;
}

const inUse = (folder: string, pid: number) => `A restore into ${folder} is under way (process ${pid}).`;

/**
 * Where a data folder is made before it takes its place: a folder inside of it, so that a rename is enough. While it is
 * there no gateway starts on the data folder.
 */
export class Staging {
  readonly target: string;
  readonly path: string;
  readonly #state: string;

  constructor(dataDir: string) {
    this.target = resolve(dataDir);
    this.path = unfinishedRestore(this.target);
    this.#state = join(this.path, 'restore.json');
  }

  /** A restore that was cut short. */
  async begun(): Promise<State | undefined> {
    const text = await readFile(this.#state, 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as State);
  }

  /** @throws RestoreError when the data folder is in use; root secrets may be there already */
  async requireEmpty(): Promise<void> {
    const names = await readdir(this.target).catch(() => []);
    const roots = ['secret.key', previousSecretFile];
    const others = names.filter((name) => !roots.includes(name) && join(this.target, name) !== this.path);
    if (others.length > 0)
      throw new RestoreError(
        `The data folder ${this.target} is not empty; name another one by SVC_DATA_DIR, or move that one away.`,
      );
  }

  /** Makes the folder for this process alone. */
  async make(run: string): Promise<FolderLock> {
    await makeFolder(this.target);
    // Passable for the user that Postgres runs as, as the data folder itself is.
    await mkdir(this.path, { recursive: true, mode: 0o755 });
    const lock = await acquireFolderLock(this.path, inUse);
    if ((await this.begun()) === undefined) await this.#note({ run, moving: false });
    return lock;
  }

  async #note(state: State): Promise<void> {
    await writeFile(`${this.#state}.new`, JSON.stringify(state), { mode: 0o600, flush: true });
    await rename(`${this.#state}.new`, this.#state);
    await syncFolder(this.path);
  }

  /** Writes a small file of secrets. */
  async write(name: string, text: string): Promise<void> {
    const path = join(this.path, name);
    await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
  }

  async markMoving(): Promise<void> {
    await this.#note({ run: (await this.begun())!.run, moving: true });
  }

  /** Puts everything in its place; what a process that was killed has moved stays. The database comes last. */
  async move(onMoved: (name: string) => void): Promise<void> {
    const own = /^(restore\.json|gateway\.lock)/;
    const names = (await readdir(this.path)).filter((name) => !own.test(name));
    for (const name of names.sort((one, other) => Number(one === 'postgres') - Number(other === 'postgres'))) {
      await rename(join(this.path, name), join(this.target, name));
      onMoved(name);
    }
    await syncFolder(this.target);
  }

  /** Removes what was made, unless it is being moved. */
  async giveUp(): Promise<void> {
    if ((await this.begun())?.moving !== true) await rm(this.path, { recursive: true, force: true });
  }

  /** Removes the folder once everything has been moved. */
  async clear(): Promise<void> {
    if ((await this.begun())?.moving !== true) return;
    const left = (await readdir(this.path)).filter((name) => !/^(restore\.json|gateway\.lock)/.test(name));
    if (left.length === 0) await rm(this.path, { recursive: true, force: true });
  }
}
