import { bcrypt } from 'hash-wasm';
import { afterAll, expect, test } from 'vitest';
import { createPasswordHasher, HasherBusyError } from '../../engines/passwords/hasher.ts';

const hasher = createPasswordHasher({ threads: 1 });
afterAll(() => hasher.close());

test('a bcrypt hash of any cost fits its password alone, beside hashes of a higher cost too', async () => {
  for (const costFactor of [4, 6]) {
    const hash = await bcrypt({ password: 'secret', salt: new Uint8Array(16), costFactor });
    for (const bcryptCost of [undefined, 6]) {
      expect(await hasher.verify(hash, 'secret', { bcryptCost })).toBe(true);
      for (const wrong of ['Secret', '']) expect(await hasher.verify(hash, wrong, { bcryptCost })).toBe(false);
      expect(await hasher.verify(undefined, 'secret', { bcryptCost })).toBe(false);
      expect(await hasher.verify(await hasher.hash('secret'), 'secret', { bcryptCost })).toBe(true);
    }
  }
});

test('the event loop goes on turning while passwords are hashed', async () => {
  await hasher.hash('warm');
  let turns = 0;
  let hashing = true;
  const turn = () => {
    turns += 1;
    if (hashing) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all([hasher.hash('one'), hasher.hash('two'), hasher.verify(undefined, 'three')]);
  hashing = false;
  // On the thread of the event loop each hash would be one turn.
  expect(turns).toBeGreaterThan(100);
});

test('more passwords than may wait are turned away, and the others are still done', async () => {
  const small = createPasswordHasher({ threads: 1, waitingMax: 4 });
  const answers = await Promise.allSettled(Array.from({ length: 20 }, (_one, at) => small.hash(`secret ${at}`)));
  const done = answers.filter(({ status }) => status === 'fulfilled');
  expect(done.length).toBe(5);
  for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(HasherBusyError);
  await small.close();
  await expect(small.hash('secret')).rejects.toThrow(HasherBusyError);
});

test('who has no password is turned away like others while too many wait, and no longer', async () => {
  const small = createPasswordHasher({ threads: 1, waitingMax: 1 });
  const busy = [small.hash('one'), small.hash('two')];
  await expect(small.verify(undefined, 'three')).rejects.toThrow(HasherBusyError);
  await Promise.all(busy);
  expect(await small.verify(undefined, 'three')).toBe(false);
  await small.close();
});

test('whoever shares the hasher has a share of its queue, and a turn after each of the others', async () => {
  const shared = createPasswordHasher({ threads: 1, waitingMax: 8, shareMax: 4 });
  const order: string[] = [];
  const ask = (sharer: string) =>
    shared.hash('secret', sharer).then(
      () => order.push(sharer),
      (error: unknown) => expect(error).toBeInstanceOf(HasherBusyError),
    );
  const asked = ['flood', 'flood', 'flood', 'flood', 'flood', 'flood', 'flood', 'one', 'one', 'two'].map(ask);
  await Promise.all(asked);
  expect(order).toEqual(['flood', 'flood', 'one', 'two', 'flood', 'one', 'flood', 'flood']);
  await shared.close();
});

test('what is no hash is an error that holds neither the hash nor the password, and the thread goes on', async () => {
  const failed = await hasher.verify('$argon2id$broken', 'hunter2').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Error);
  expect(String((failed as Error).stack)).not.toMatch(/hunter2|broken/);
  expect(await hasher.verify(await hasher.hash('secret'), 'secret')).toBe(true);
});
