import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../db/make-folder.ts';

/** Bits of a file's mode that let anybody but its owner in. */
const othersMask = 0o077;

interface SecretKind<Value> {
  /** Reads what a file holds; undefined: it is damaged. */
  readonly read: (text: string) => Value | undefined;
  /** A new secret as text. */
  readonly make: () => string;
  /** What to throw for a file that is damaged. */
  readonly damaged: () => Error;
}

/**
 * The secret that a file keeps, made when there is no file. Only the file's owner may read it. Processes that start
 * together agree on one.
 */
export async function keptSecret<Value>(
  path: string,
  { read, make, damaged }: SecretKind<Value>,
): Promise<{ readonly value: Value; readonly made: boolean }> {
  await makeFolder(dirname(path));
  let text = await readSecretFile(path);
  const made = text === undefined;
  if (made) {
    await makeSecretFile(path, make());
    text = await readSecretFile(path);
  }
  const value = read(text!.trim());
  if (value === undefined) throw damaged();
  return { value, made };
}

/** What the file holds, or undefined when there is no file. Access by others is taken away. */
async function readSecretFile(path: string): Promise<string | undefined> {
  try {
    const content = await readFile(path, 'utf8');
    if (process.platform !== 'win32' && ((await stat(path)).mode & othersMask) !== 0) await chmod(path, 0o600);
    return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function makeSecretFile(path: string, secret: string): Promise<void> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${secret}\n`);
    await file.sync();
    await file.close();
    // A link appears whole or not at all, and never replaces the file of a process that was faster.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await file.close();
    await unlink(draft);
  }
}
