import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of one batch. */
const batch = 1_000;

/** What `look` finds, or nothing where it was removed meanwhile. */
async function unlessGone<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const namesIn = async (folder: string) => (await unlessGone(() => readdir(folder))) ?? [];
const changedBefore = (moment: Date, found: Stats | undefined) => found !== undefined && found.mtime < moment;

/** Batches of those names for which `isOld` says so. */
async function* those(names: readonly string[], isOld: (name: string) => Promise<boolean>) {
  let found: string[] = [];
  for (const name of names) {
    if (!(await isOld(name))) continue;
    found.push(name);
    if (found.length < batch) continue;
    yield found;
    found = [];
  }
  if (found.length > 0) yield found;
}

/** The names of files in a folder that nobody has written to since a moment. */
export async function* filesBefore(folder: string, moment: Date): AsyncGenerator<readonly string[]> {
  yield* those(await namesIn(folder), async (name) =>
    changedBefore(moment, await unlessGone(() => stat(join(folder, name)))),
  );
}

/** The names of folders in a folder in which nothing was written, added or removed since a moment. */
export async function* foldersBefore(folder: string, moment: Date): AsyncGenerator<readonly string[]> {
  yield* those(await namesIn(folder), async (name) => {
    const path = join(folder, name);
    if (!changedBefore(moment, await unlessGone(() => stat(path)))) return false;
    for (const file of await namesIn(path)) {
      const found = await unlessGone(() => stat(join(path, file)));
      if (found !== undefined && found.mtime >= moment) return false;
    }
    return true;
  });
}
