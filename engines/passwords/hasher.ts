import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createThreads, ThreadsBusyError } from '../../core/threads.ts';
import { argonCost, saltLength } from './argon-cost.ts';
import type { ArgonAnswer, ArgonTask } from './argon-worker.ts';

/** Hashes passwords with Argon2id, beside the event loop. */
export interface PasswordHasher {
  /**
   * @param party whose user it is: parties take turns
   * @returns the PHC form, with its salt and cost
   * @throws HasherBusyError
   */
  readonly hash: (password: string, party?: string) => Promise<string>;
  /**
   * Whether a password is the one of a hash. Without a hash it is not, and to find out takes as long.
   *
   * @throws HasherBusyError
   */
  readonly verify: (hash: string | undefined, password: string, party?: string) => Promise<boolean>;
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
  /** Of these, passwords of one party: more are turned away while others are still taken. @default 32 */
  readonly shareMax?: number;
}

/** A hasher whose threads start with the first password. */
export function createPasswordHasher({
  threads: most = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2))),
  waitingMax = 256,
  shareMax = 32,
}: HasherOptions = {}): PasswordHasher {
  const program = new URL('./argon-worker.ts', import.meta.url);
  const threads = createThreads<ArgonTask, ArgonAnswer>({ program, most, waitingMax, shareMax });

  async function ask(party: string | undefined, password: string, hash?: string): Promise<string | boolean> {
    const task = { password, salt: randomBytes(saltLength), hash };
    const { result } = await threads.ask(task, party).catch((error: unknown) => {
      throw error instanceof ThreadsBusyError ? new HasherBusyError('Too many passwords wait.') : error;
    });
    if (result === undefined) throw new Error('A password could not be hashed.');
    return result;
  }

  return {
    hash: async (password, party) => String(await ask(party, password)),
    async verify(known, password, party) {
      // The library takes no empty password; it is as wrong as any other, and takes as long.
      const same = (await ask(party, password === '' ? 'x' : password, known ?? nobodys)) === true;
      return known !== undefined && password !== '' && same;
    },
    close: threads.close,
  };
}

const unpadded = (length: number) => randomBytes(length).toString('base64').replace(/=+$/, '');
const { memorySize, iterations, parallelism, hashLength } = argonCost;

/** Of a password that nobody has, for users who have none: made up, so that there is nothing to wait for. */
const nobodys = `$argon2id$v=19$m=${memorySize},t=${iterations},p=${parallelism}$${unpadded(saltLength)}$${unpadded(hashLength)}`;
