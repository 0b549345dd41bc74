import { parentPort } from 'node:worker_threads';
import { argon2id, argon2Verify } from 'hash-wasm';
import { argonCost } from './argon-cost.ts';

/** What a worker is asked: to hash a password, or to say whether it is the one of a hash. */
export interface ArgonTask {
  readonly password: string;
  readonly salt: Uint8Array;
  /** Undefined: hash. */
  readonly hash: string | undefined;
}

export interface ArgonAnswer {
  /** Undefined: it could not be done, for a reason that is nobody's to see, since it may hold the password. */
  readonly result: string | boolean | undefined;
}

parentPort!.on('message', async ({ password, salt, hash }: ArgonTask) => {
  const work =
    hash === undefined
      ? argon2id({ ...argonCost, password, salt, outputType: 'encoded' })
      : argon2Verify({ password, hash });
  const result = await work.catch(() => undefined);
  parentPort!.postMessage({ result } satisfies ArgonAnswer);
});
