import { type ReadOptions, readJsonFile, type WriteOptions, writeJsonFile } from './json-file.ts';
import { locked } from './lock.ts';

/**
 * Changes the JSON object of a file, so that of several processes each sees what the one before it wrote.
 *
 * @param change given what is there, undefined for no file; what it answers is put in place, and undefined leaves all as it is
 * @returns what the file holds then
 * @throws BAD_FILE, or the given code
 */
export const changeJsonFile = (
  path: string,
  change: (found: Record<string, unknown> | undefined) => Record<string, unknown> | undefined,
  options: ReadOptions & Pick<WriteOptions, 'mode'> = {},
): Promise<Record<string, unknown> | undefined> =>
  locked(path, async () => {
    const found = await readJsonFile(path, options);
    const changed = change(found);
    if (changed !== undefined) await writeJsonFile(path, changed, options);
    return changed ?? found;
  });

/** What was there with a change on top of it; null takes a member out, and undefined leaves it. */
export const merged = (
  found: Readonly<Record<string, unknown>> | undefined,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    Object.entries({ ...found, ...Object.fromEntries(given) }).filter(([, value]) => value !== null),
  );
};
