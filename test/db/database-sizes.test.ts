import { expect, test } from 'vitest';
import { DatabaseSizes } from '../../db/database-sizes.ts';

/** A server that answers when it is told to, on a clock of the test's own. */
function server() {
  const asked: { readonly names: readonly string[]; readonly answer: (bytes: number) => void; fail: () => void }[] = [];
  let now = 0;
  const sizes = new DatabaseSizes({
    now: () => now,
    measure: (names) => {
      const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, number>>();
      asked.push({
        names,
        answer: (bytes) => resolve(new Map(names.map((name) => [name, bytes]))),
        fail: () => reject(new Error('away')),
      });
      return promise;
    },
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  return { sizes, asked, turn, pass: (ms: number) => void (now += ms) };
}

test('all who ask at once are answered by one look, and for half a minute by none', async () => {
  const { sizes, asked, turn, pass } = server();
  const waiting = Promise.all([
    sizes.bytes(['a']),
    sizes.bytes(['b', 'a']),
    ...Array(20)
      .fill(['b'])
      .map((b) => sizes.bytes(b)),
  ]);
  await turn();
  expect(asked.map(({ names }) => names)).toEqual([['a', 'b']]);
  asked[0]!.answer(5);
  expect((await waiting).slice(0, 2)).toEqual([[5], [5, 5]]);
  pass(29_999);
  expect(await sizes.bytes(['a', 'b'])).toEqual([5, 5]);
  expect(asked).toHaveLength(1);
  pass(1);
  const later = sizes.bytes(['a']);
  await turn();
  asked[1]!.answer(7);
  expect(await later).toEqual([7]);
});

test('what is asked for while a look is under way is in the next one', async () => {
  const { sizes, asked, turn } = server();
  const first = sizes.bytes(['a']);
  await turn();
  const second = sizes.bytes(['b']);
  asked[0]!.answer(1);
  await turn();
  expect(asked.map(({ names }) => names)).toEqual([['a'], ['b']]);
  asked[1]!.answer(2);
  expect([await first, await second]).toEqual([[1], [2]]);
});

test('of a server that fails the last known size is told, 0 where there was none, and it is left alone for a while', async () => {
  const { sizes, asked, turn, pass } = server();
  const known = sizes.bytes(['a']);
  await turn();
  asked[0]!.answer(5);
  await known;
  pass(30_000);
  const stale = sizes.bytes(['a', 'b']);
  await turn();
  asked[1]!.fail();
  expect(await stale).toEqual([5, 0]);
  expect(await sizes.bytes(['a', 'b'])).toEqual([5, 0]);
  expect(asked).toHaveLength(2);
  pass(5_000);
  const back = sizes.bytes(['a', 'b']);
  await turn();
  asked[2]!.answer(9);
  expect(await back).toEqual([9, 9]);
});

test('nobody waits for a look that has been under way for long', async () => {
  const { sizes, asked, turn, pass } = server();
  void sizes.bytes(['a']);
  await turn();
  pass(2_000);
  expect(await sizes.bytes(['a', 'b'])).toEqual([0, 0]);
  asked[0]!.answer(3);
  await turn();
  expect(await sizes.bytes(['a'])).toEqual([3]);
});

test('many databases are measured some hundreds at a time, and one that was dropped is told as empty at once', async () => {
  const { sizes, asked, turn } = server();
  const names = Array.from({ length: 450 }, (_, at) => `p_${at}`);
  const all = sizes.bytes(names);
  for (let batch = 0; batch < 3; batch++) {
    await turn();
    asked[batch]!.answer(1);
  }
  expect(await all).toEqual(names.map(() => 1));
  expect(asked.map((ask) => ask.names.length)).toEqual([200, 200, 50]);
  sizes.gone('p_7');
  expect(await sizes.bytes(['p_7', 'p_8'])).toEqual([0, 1]);
});
