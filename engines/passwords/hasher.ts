import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createThreads, ThreadsBusyError } from '../../core/threads.ts';
import { type ArgonCost, argonCost, argonForm, saltLength } from './argon-cost.ts';
import type { PasswordAnswer, PasswordTask } from './password-worker.ts';

/** Hashes passwords with Argon2id beside the event loop, and checks those that were hashed with bcrypt elsewhere. */
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
   * @param hash Argon2id in the PHC form, or bcrypt, which looks at the first 72 bytes of a password
   * @throws HasherBusyError
   */
  readonly verify: (hash: string | undefined, password: string, options?: VerifyOptions) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export interface VerifyOptions {
  /** Whose user it is: parties take turns. */
  readonly party?: string;
  /** Highest cost of bcrypt among all users who may be meant: a check takes as long for each of them, and for an absent user. */
  readonly bcryptCost?: number | undefined;
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
  /** @default what OWASP asks for */
  readonly cost?: ArgonCost | undefined;
}

/** A hasher whose threads start with the first password. */
export function createPasswordHasher({
  threads: most = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2))),
  waitingMax = 256,
  shareMax = 32,
  cost = argonCost,
}: HasherOptions = {}): PasswordHasher {
  const program = new URL('./password-worker.ts', import.meta.url);
  const threads = createThreads<PasswordTask, PasswordAnswer>({ program, most, waitingMax, shareMax });
  const decoy = decoyOf(cost);

  async function ask(party: string | undefined, task: PasswordTask): Promise<string | boolean> {
    const { result } = await threads.ask(task, party).catch((error: unknown) => {
      throw error instanceof ThreadsBusyError ? new HasherBusyError('Too many passwords wait.') : error;
    });
    if (result === undefined) throw new Error('A password could not be hashed.');
    return result;
  }

  return {
    hash: async (password, party) => String(await ask(party, { password, salt: randomBytes(saltLength), cost })),
    async verify(known, password, { party, bcryptCost } = {}) {
      // The library takes no empty password; it is as wrong as any other, and takes as long.
      const tried = password === '' ? 'x' : password;
      const same = (await ask(party, { password: tried, hash: known ?? decoy, decoy, bcryptCost })) === true;
      return known !== undefined && password !== '' && same;
    },
    close: threads.close,
  };
}

const unpadded = (length: number) => randomBytes(length).toString('base64').replace(/=+$/, '');

/** Of a password that no user has, for users without one: made up, so that there is nothing to wait for. */
const decoyOf = ({ memorySize, iterations }: ArgonCost) =>
  `$argon2id$v=19$m=${memorySize},t=${iterations},p=${argonForm.parallelism}$${unpadded(saltLength)}$${unpadded(argonForm.hashLength)}`;
