import { parentPort } from 'node:worker_threads';
import { argon2id, argon2Verify, bcrypt, bcryptVerify } from 'hash-wasm';
import { type ArgonCost, argonForm } from './argon-cost.ts';
import { bcryptBytes, bcryptCostOf } from './bcrypt-form.ts';

/** A worker hashes a password, or says whether it is the one of a hash. */
export type PasswordTask = HashTask | VerifyTask;

interface HashTask {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly cost: ArgonCost;
}

interface VerifyTask {
  readonly password: string;
  readonly hash: string;
  /** Argon2id hash of no password. */
  readonly decoy: string;
  /** Highest cost of bcrypt among the users who may be meant; undefined where none has such a hash. */
  readonly bcryptCost: number | undefined;
}

export interface PasswordAnswer {
  /** Undefined: it could not be done, for a reason that is never shown, since it may hold the password. */
  readonly result: string | boolean | undefined;
}

const noSalt = new Uint8Array(16);

/** Does the work of bcrypt for nothing. */
const workOf = (password: Uint8Array, costFactor: number) =>
  bcrypt({ password, salt: noSalt, costFactor, outputType: 'binary' });

/**
 * Every check does the same work, whatever hash the user has: once Argon2id and, where users have bcrypt hashes, bcrypt
 * of the highest cost among them. A lower cost is filled up: 2^4 + (2^4 + 2^5) is 2^6.
 */
async function verified({ password, hash, decoy, bcryptCost }: VerifyTask): Promise<boolean> {
  const cost = bcryptCostOf(hash);
  const argon = await argon2Verify({ password, hash: cost === undefined ? hash : decoy });
  const bytes = Buffer.from(password).subarray(0, bcryptBytes);
  if (cost === undefined) {
    if (bcryptCost !== undefined) await workOf(bytes, bcryptCost);
    return argon;
  }
  const right = await bcryptVerify({ password: bytes, hash });
  for (let more = cost; more < (bcryptCost ?? cost); more += 1) await workOf(bytes, more);
  return right;
}

parentPort!.on('message', async (task: PasswordTask) => {
  const work =
    'hash' in task
      ? verified(task)
      : argon2id({ ...argonForm, ...task.cost, password: task.password, salt: task.salt, outputType: 'encoded' });
  const result = await work.catch(() => undefined);
  parentPort!.postMessage({ result } satisfies PasswordAnswer);
});
