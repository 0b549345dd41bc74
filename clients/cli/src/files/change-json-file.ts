import { type ReadOptions, readJsonFile, type WriteOptions, writeJsonFile } from './json-file.ts';
import { locked } from './lock.ts';

/**
 * Updates the JSON object of a file under a lock, so that concurrent processes do not overwrite each other's changes.
 *
 * @param change receives the current content, undefined if there is no file; returns the new content, or undefined to
 * leave it unchanged
 * @returns the content of the file afterwards
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

/** Merges a change into the content; null removes a member, and undefined leaves it. */
export const merged = (
  found: Readonly<Record<string, unknown>> | undefined,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    Object.entries({ ...found, ...Object.fromEntries(given) }).filter(([, value]) => value !== null),
  );
};
