import { expect, test } from 'vitest';
import { audienceWorld, has, numbered } from './audience-world.ts';
import { append } from './log-feed.ts';

const { db, setBack, start } = await audienceWorld();

test('a hundred who subscribed alike cost one execution of each event, and are given the very same', async () => {
  const { subscribe, send, executed } = start();
  const all = Array.from({ length: 100 }, () => subscribe(0n).reader);
  await send('m1', 'm2', 'm3');
  for (const reader of all) await has(reader, ['m1', 'm2', 'm3']);
  expect(executed).toEqual(['m1', 'm2', 'm3']);
  // What was read together is handed over together.
  for (const reader of all) expect(reader.arrays).toEqual([all[0]!.arrays[0]]);
  expect(new Set(all.map(({ arrays }) => arrays[0]))).toHaveLength(1);
});

test('whoever has a key of its own, or none, is executed for alone', async () => {
  const { subscribe, send, executed } = start();
  const all = [{ key: 'a' }, { key: 'a' }, { key: 'b' }, { alone: true }, { alone: true }].map(
    (options) => subscribe(0n, options).reader,
  );
  await send('m1');
  for (const reader of all) await has(reader, ['m1']);
  expect(executed).toHaveLength(4);
});

test('what becomes due while a server rests leaves in one go', async () => {
  let rest = Promise.withResolvers<void>();
  const { subscribe, send } = start(() => rest.promise);
  const { reader } = subscribe(0n);
  await send('m1');
  await has(reader, ['m1']);
  for (const body of ['m2', 'm3', 'm4']) await send(body);
  // Somebody else gets them, so they are there to be had; whoever rests does not.
  const { reader: other } = subscribe(0n, { alone: true });
  await has(other, numbered(4));
  expect(reader.texts).toEqual(['m1']);
  rest.resolve();
  rest = Promise.withResolvers();
  await has(reader, numbered(4));
  expect(reader.batches).toEqual([['m1'], ['m2', 'm3', 'm4']]);
});

test('who comes from far behind reads by itself, and then shares', async () => {
  const { subscribe, send, executed } = start();
  await send(...numbered(120));
  const { reader: there } = subscribe(120n);
  const { reader: late } = subscribe(3n, { head: 120n });
  await has(late, numbered(117, 4));
  executed.length = 0;
  await send('m121');
  await has(late, numbered(118, 4));
  await has(there, ['m121']);
  expect(executed).toEqual(['m121']);
});

test('who is a moment behind is given what was executed already', async () => {
  const { subscribe, send, executed } = start();
  const { reader: there } = subscribe(0n);
  await send(...numbered(5));
  await has(there, numbered(5));
  const { reader: late } = subscribe(2n, { head: 5n });
  expect(late.texts).toEqual(numbered(3, 3));
  expect(executed).toEqual(numbered(5));
});

test('who was ahead of its audience when it joined gets nothing twice', async () => {
  const { subscribe, send, name } = start();
  // The audience begins where the first one found the feed.
  const { reader: behind } = subscribe(0n);
  await append(db, name, ['m1', 'm2']);
  const { reader: ahead } = subscribe(2n);
  await send('m3');
  await has(behind, numbered(3));
  await has(ahead, ['m3']);
});

test('who begins anew is told so once, and then shares', async () => {
  const { subscribe, send, executed } = start();
  await send('m1', 'm2');
  const { reader: there } = subscribe(2n);
  const { reader } = subscribe(0n, { head: 2n, reset: true });
  await has(reader, ['again m1', 'm2']);
  executed.length = 0;
  await send('m3');
  await has(reader, ['again m1', 'm2', 'm3']);
  await has(there, ['m3']);
  expect(executed).toEqual(['m3']);
});

test('each ends after as many as it asked for, in the middle of what the others get', async () => {
  const { subscribe, send } = start();
  await send('m1');
  const [all, three, one] = [subscribe(0n), subscribe(0n, { first: 3 }), subscribe(0n, { first: 1 })];
  await has(one.reader, ['m1']);
  await send('m2', 'm3', 'm4');
  await has(all.reader, numbered(4));
  expect(three.reader.texts).toEqual(numbered(3));
  expect([one, three, all].map(({ reader }) => reader.ended)).toEqual([
    { error: undefined },
    { error: undefined },
    undefined,
  ]);
});

test('a feed that was set back is sent from its earliest row again, and its followers are told so', async () => {
  const { subscribe, send, name } = start();
  const all = [subscribe(0n).reader, subscribe(0n).reader];
  await send('one', 'two', 'three');
  for (const reader of all) await has(reader, ['one', 'two', 'three']);
  await setBack(name, 1);
  for (const reader of all) await has(reader, ['one', 'two', 'three', 'again one']);
  await send('another two');
  for (const reader of all) await has(reader, ['one', 'two', 'three', 'again one', 'another two']);
});
