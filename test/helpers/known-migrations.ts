import { readFile } from 'node:fs/promises';

/** How many migrations this version of the program knows. */
export async function knownMigrations(): Promise<number> {
  const journal = await readFile(new URL('../../db/migrations/meta/_journal.json', import.meta.url), 'utf8');
  return (JSON.parse(journal) as { entries: unknown[] }).entries.length;
}
