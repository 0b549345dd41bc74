import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { local } from '../failure.ts';

export interface ReadOptions {
  /** The code for a file that cannot be used. @default BAD_FILE */
  readonly code?: string;
  /** Refuses a file that users other than its owner can read or write. */
  readonly secret?: true;
}

/**
 * Reads the JSON object of a file.
 *
 * @returns undefined when there is no file
 * @throws BAD_FILE, or the given code, for anything but a JSON object, and for a secret that others can read
 */
export async function readJsonFile(
  path: string,
  { code = 'BAD_FILE', secret }: ReadOptions = {},
): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    const file = await open(path, constants.O_RDONLY);
    try {
      // Checks the open file, not its name, which may point to another file meanwhile.
      const { mode, uid } = await file.stat();
      if (secret === true) refuseOpenFile(path, mode, uid, code);
      text = await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error instanceof Error && 'code' in error && 'syscall' in error
      ? local(code, `${path} cannot be read: ${String(error.code)}.`, { details: { path } })
      : error;
  }
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The text may be a secret, so the parser's message is not shown.
  }
  throw local(code, `${path} holds no JSON object.`, { details: { path } });
}

function refuseOpenFile(path: string, mode: number, uid: number, code: string): void {
  // Windows has no such modes.
  if (process.getuid === undefined) return;
  if ((mode & 0o077) !== 0)
    throw local(code, `${path} can be read or written by others than its owner.`, {
      hint: `Others may have read it. If nobody did: chmod 600 ${path}`,
      details: { path, mode: (mode & 0o777).toString(8).padStart(4, '0'), wanted: '0600' },
    });
  if (uid !== process.getuid())
    throw local(code, `${path} belongs to another user.`, { details: { path, owner: uid } });
}

/** Whether the system call failed with one of these codes, such as `EEXIST`. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

export const isThere = (error: unknown): boolean => hasCode(error, 'EEXIST');

export const isAbsent = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ENOTDIR');

export interface WriteOptions {
  /** @default readable only by its owner */
  readonly mode?: number;
  /** Fails with EEXIST if the file exists, also when another process creates it at the same moment. */
  readonly isNew?: boolean;
}

/** Writes a file atomically, and creates its folders. */
export async function writeJsonFile(
  path: string,
  value: unknown,
  { mode = 0o600, isNew = false }: WriteOptions = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: mode === 0o600 ? 0o700 : 0o777 });
  const partly = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(partly, 'wx', mode);
    try {
      await file.writeFile(`${JSON.stringify(value, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    if (isNew) await link(partly, path);
    else await rename(partly, path);
  } finally {
    await rm(partly, { force: true });
  }
}

/** Whether the path itself is a symbolic link. */
export async function isSymlink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
