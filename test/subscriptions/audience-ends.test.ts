import { expect, test } from 'vitest';
import { Turns } from '../../db/turns.ts';
import { until } from '../helpers/until.ts';
import { audienceWorld, has, numbered, unwatchable } from './audience-world.ts';

const { start } = await audienceWorld();

test('who takes too slowly is sent nothing more, holds up nobody, and misses nothing', async () => {
  const { subscribe, send, executed } = start();
  const [slow, quick] = [subscribe(0n).reader, subscribe(0n).reader];
  await send('m1');
  await has(slow, ['m1']);
  slow.full = true;
  for (let n = 2; n <= 200; n++) await send(`m${n}`);
  await has(quick, numbered(200));
  expect(slow.texts).toEqual(['m1']);
  slow.drain();
  await has(slow, numbered(200));
  executed.length = 0;
  await send('m201');
  for (const reader of [slow, quick]) await has(reader, numbered(201));
  expect(executed).toEqual(['m201']);
});

test('who takes nothing is told how much it was not sent, of what came meanwhile alone', async () => {
  const { subscribe, send } = start();
  await send(...numbered(5));
  const [slow, quick] = [subscribe(0n), subscribe(5n)];
  await has(slow.reader, numbered(5));
  slow.reader.full = true;
  await send('four', 'seven77');
  await has(quick.reader, ['four', 'seven77']);
  await send('again');
  await has(quick.reader, ['four', 'seven77', 'again']);
  expect([slow.reader.missedBytes, quick.reader.missedBytes]).toEqual([16, 0]);
  slow.reader.drain();
  await has(slow.reader, [...numbered(5), 'four', 'seven77', 'again']);
  await send('together');
  await has(slow.reader, [...numbered(5), 'four', 'seven77', 'again', 'together']);
  expect(slow.reader.missedBytes).toBe(16);
});

test('a batch of large rows is made up and handed over in pieces, each once and in order', async () => {
  let rest = Promise.withResolvers<void>();
  const { subscribe, send } = start(() => rest.promise);
  const { reader } = subscribe(0n);
  await send('first');
  await has(reader, ['first']);
  // Two of them are more than leave together.
  const large = numbered(4).map((text) => text.padEnd(150_000, '.'));
  await send(...large, 'small', 'smaller');
  rest.resolve();
  rest = Promise.withResolvers();
  await has(reader, ['first', ...large, 'small', 'smaller']);
  expect(reader.batches.map(({ length }) => length)).toEqual([1, 1, 1, 1, 3]);
  rest.resolve();
});

test('of what is made up for a reader that takes nothing, little waits, however many subscriptions it has', async () => {
  const { subscribe, send, executed } = start();
  await send(...numbered(3));
  const turns = new Turns(8);
  const subscriptions = Array.from({ length: 60 }, () => subscribe(0n, { alone: true, turns }));
  // Told before anything is made up for them, which takes a read of the feed.
  for (const { reader } of subscriptions) reader.full = true;
  await until(() => expect(executed).toHaveLength(8));
  await send('m4');
  expect(executed).toHaveLength(8);
  for (const { reader } of subscriptions) reader.drain();
  for (const { reader } of subscriptions) await has(reader, numbered(4));
  expect(executed).toHaveLength(4 * 60);
});

test('one that loses its right ends, and the others go on', async () => {
  const { subscribe, send, watched } = start();
  const [leaving, staying] = [subscribe(0n, { as: 'leaver' }), subscribe(0n, { as: 'stayer' })];
  await send('m1');
  await has(leaving.reader, ['m1']);
  watched.get('leaver')!('revoked');
  expect(leaving.reader.ended).toEqual({ error: new Error('revoked') });
  await send('m2');
  await has(staying.reader, ['m1', 'm2']);
  expect(leaving.reader.texts).toEqual(['m1']);
  expect([...watched.keys()]).toEqual(['stayer']);
});

test('the last one that leaves ends the following, and who comes later begins a new one', async () => {
  const { subscribe, send, hub } = start();
  const both = [subscribe(0n), subscribe(0n)];
  await send('m1');
  for (const { reader } of both) await has(reader, ['m1']);
  expect(hub.followed()).toBe(1);
  for (const { subscription } of both) subscription.stop();
  expect(hub.followed()).toBe(0);
  await send('m2');
  const { reader } = subscribe(1n, { head: 2n });
  await has(reader, ['m2']);
  expect(both.map(({ reader: { texts, ended } }) => [texts, ended])).toEqual([
    [['m1'], undefined],
    [['m1'], undefined],
  ]);
});

test('an event that cannot be made ends those it was for; who comes after it begins anew', async () => {
  const { subscribe, send, hub } = start();
  const all = [subscribe(0n), subscribe(0n), subscribe(0n, { alone: true })];
  await send('m1', 'm2');
  for (const { reader } of all) await has(reader, ['m1', 'm2']);
  await send('unspeakable');
  const error = new Error('It cannot be said.');
  await until(() => expect(all.map(({ reader }) => reader.ended)).toEqual(all.map(() => ({ error }))));
  expect(hub.followed()).toBe(0);
  const { reader } = subscribe(3n);
  await send('m4');
  await has(reader, ['m4']);
});

test('when the hub closes, everybody ends without an error', async () => {
  const { subscribe, send, hub } = start();
  const all = [subscribe(0n), subscribe(0n), subscribe(0n, { alone: true })];
  await send('m1');
  for (const { reader } of all) await has(reader, ['m1']);
  await hub.close();
  await until(() => {
    for (const { reader } of all) expect(reader.ended).toEqual({ error: undefined });
  });
});

test('one that cannot even begin leaves nothing behind for those who subscribe alike', async () => {
  const { subscribe, send, hub } = start();
  expect(() => subscribe(0n, { as: unwatchable, saying: 'from its grave: ' })).toThrow('It cannot be watched.');
  expect(hub.followed()).toBe(0);
  const { reader } = subscribe(0n);
  expect(() => subscribe(0n, { as: unwatchable })).toThrow('It cannot be watched.');
  await send('m1');
  await has(reader, ['m1']);
});
