import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createThreads, ThreadsBusyError } from '../../core/threads.ts';
import type { ArgonAnswer, ArgonTask } from './argon-worker.ts';

/** Hashes passwords with Argon2id, beside the event loop. */
export interface PasswordHasher {
  /** @returns the PHC form, with its salt and cost. @throws HasherBusyError */
  readonly hash: (password: string) => Promise<string>;
  /**
   * Whether a password is the one of a hash. Without a hash it is not, and to find out takes as long.
   *
   * @throws HasherBusyError
   */
  readonly verify: (hash: string | undefined, password: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** More passwords wait than can be hashed in bearable time. */
export class HasherBusyError extends Error {
  override readonly name = 'HasherBusyError';
}

export interface HasherOptions {
  /** Threads, each with 19 MiB while it works. @default half the processors, one to four */
  readonly threads?: number;
  /** Passwords that may wait. @default 256 */
  readonly waitingMax?: number;
}

/** A hasher whose threads start with the first password. */
export function createPasswordHasher({
  threads: most = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2))),
  waitingMax = 256,
}: HasherOptions = {}): PasswordHasher {
  const program = new URL('./argon-worker.ts', import.meta.url);
  const threads = createThreads<ArgonTask, ArgonAnswer>({ program, most, waitingMax });
  /** Of a password that nobody has, for users who have none. */
  let nobodys: Promise<string> | undefined;

  async function ask(password: string, hash?: string): Promise<string | boolean> {
    const { result } = await threads.ask({ password, salt: randomBytes(16), hash }).catch((error: unknown) => {
      throw error instanceof ThreadsBusyError ? new HasherBusyError('Too many passwords wait.') : error;
    });
    if (result === undefined) throw new Error('A password could not be hashed.');
    return result;
  }

  const hash = async (password: string) => String(await ask(password));

  return {
    hash,
    async verify(known, password) {
      nobodys ??= hash(randomBytes(24).toString('base64url'));
      // The library takes no empty password; it is as wrong as any other, and takes as long.
      const same = (await ask(password === '' ? 'x' : password, known ?? (await nobodys))) === true;
      return known !== undefined && password !== '' && same;
    },
    close: threads.close,
  };
}
