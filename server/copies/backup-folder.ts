import { appendFile, chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { syncFolder } from '../../core/sync-folder.ts';
import { acquireFolderLock, type FolderLock } from '../../db/embedded/folder-lock.ts';
import { makeFolder } from '../../db/make-folder.ts';
import { partShape } from '../../engines/copies/archive.ts';
import { ContentStore } from '../../engines/copies/content-store.ts';
import type { Part } from '../../engines/copies/parts.ts';
import { ManifestError, partsOfManifest, type ReadManifest, readManifest } from './manifest.ts';

/** A folder that is none for backups. */
export class BackupFolderError extends Error {
  override readonly name = 'BackupFolderError';
}

const inUse = (folder: string, pid: number) =>
  `The backup folder ${folder} is in use by process ${pid}; wait until that one has ended.`;

/** Tells a folder of backups from any other: nothing is removed from a folder that lacks it. */
const markerName = 'svc-backups.json';
/** The file of a finished backup. */
const runFile = /^(\d{8}T\d{6}Z-[0-9a-f]{6})\.json$/;

/** A folder of backups: `runs/<id>.json` for each, and `objects/ab/<sha256>` for what they are made of. */
export class BackupFolder {
  readonly path: string;
  readonly #runs: string;
  readonly #journal: string;

  constructor(path: string) {
    this.path = resolve(path);
    this.#runs = join(this.path, 'runs');
    this.#journal = join(this.path, 'journal.jsonl');
  }

  /** Removes what a run that was killed left behind. Only for the holder of the lock. */
  async clean(): Promise<void> {
    for (const name of await readdir(this.#runs)) if (name.endsWith('.new')) await rm(join(this.#runs, name));
    await rm(join(this.path, 'tmp'), { recursive: true, force: true });
  }

  /**
   * Makes the folder, for its owner alone. One that is there is taken when it is empty or a folder of backups.
   *
   * @throws BackupFolderError
   */
  async make(): Promise<void> {
    if (await makeFolder(this.path)) await chmod(this.path, 0o700);
    const names = await readdir(this.path);
    if (!names.includes(markerName)) {
      // One that was made before there was a marker has a finished backup.
      if (names.length > 0 && (await this.runs()).length === 0)
        throw new BackupFolderError(
          `${this.path} holds other things than backups; name a folder that is empty or does not exist yet.`,
        );
      await writeFile(join(this.path, markerName), `${JSON.stringify({ format: 1 })}\n`, { mode: 0o600 });
    }
    await mkdir(this.#runs, { recursive: true, mode: 0o700 });
  }

  /** Takes the folder for this process. @throws EmbeddedPostgresError when another one has it */
  lock(): Promise<FolderLock> {
    return acquireFolderLock(this.path, inUse);
  }

  /** Identifiers of finished backups, the oldest first. */
  async runs(): Promise<string[]> {
    const names = await readdir(this.#runs).catch(() => []);
    return names.flatMap((name) => runFile.exec(name)?.[1] ?? []).sort();
  }

  /** Changes whenever the file of a run does; undefined where there is none. */
  async stampOf(id: string): Promise<string | undefined> {
    const found = await stat(join(this.#runs, `${id}.json`), { bigint: true }).catch(() => undefined);
    return found === undefined ? undefined : `${found.ino} ${found.size} ${found.mtimeNs}`;
  }

  /** @throws ManifestError */
  async read(id: string): Promise<ReadManifest> {
    const name = join('runs', `${id}.json`);
    const text = await readFile(join(this.path, name), 'utf8').catch(() => undefined);
    if (text === undefined) throw new ManifestError(`There is no backup ${id} in ${this.path}.`);
    const found = readManifest(text, name);
    // An old backup under a newer name would be the latest one.
    if (found.manifest.id !== id)
      throw new ManifestError(`The manifest ${name} is the one of the backup ${found.manifest.id}.`);
    return found;
  }

  /** The store, which knows what earlier runs and one that was cut short have stored. */
  async openStore(): Promise<ContentStore> {
    const known: Part[] = await this.#journalled();
    for (const id of await this.runs()) {
      // One that is damaged only costs the space of storing again what it knows of.
      const found = await this.read(id).catch(() => undefined);
      if (found !== undefined) known.push(...partsOfManifest(found.manifest));
    }
    const store = new ContentStore(this.path, known, (part) =>
      appendFile(this.#journal, `${JSON.stringify(part)}\n`, { mode: 0o600 }),
    );
    return store;
  }

  async #journalled(): Promise<Part[]> {
    const text = await readFile(this.#journal, 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => {
      try {
        return [partShape.parse(JSON.parse(line))];
      } catch {
        // The last line of a process that was killed, or nothing that this program wrote.
        return [];
      }
    });
  }

  /** Adds a finished backup. It is there as a whole or not at all. */
  async add(id: string, text: string): Promise<void> {
    const path = join(this.#runs, `${id}.json`);
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    await syncFolder(this.#runs);
    await rm(this.#journal, { force: true });
  }

  /** Removes all backups but the latest, and what those alone were made of. @returns what was removed */
  async prune(keep: number): Promise<{ readonly runs: string[]; readonly bytes: number }> {
    const all = await this.runs();
    const kept = all.slice(-keep);
    // Read before anything is removed: what cannot be read needs unknown parts.
    const needed = new Set<string>();
    for (const id of kept) for (const { sha256 } of partsOfManifest((await this.read(id)).manifest)) needed.add(sha256);
    const gone = all.slice(0, -keep);
    for (const id of gone) await rm(join(this.#runs, `${id}.json`));
    await syncFolder(this.#runs);
    return { runs: gone, bytes: await new ContentStore(this.path).retain(needed) };
  }
}
