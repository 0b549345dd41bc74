import { pino } from 'pino';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../db/pool.ts';
import { Turns } from '../../db/turns.ts';
import type { AuthorityEntry, AuthorityLoss, AuthorityWatch } from '../../resolvers/authority.ts';
import type { FeedName } from '../../resolvers/feeds.ts';
import { Audiences } from '../../subscriptions/audiences.ts';
import { createFeedHub } from '../../subscriptions/feed-hub.ts';
import type { Reader } from '../../subscriptions/follower.ts';
import { localSignals } from '../../subscriptions/signals.ts';
import { createControlDatabase } from '../helpers/control-database.ts';
import { append, createLog, type LogRow, newFeed, testFeed } from './log-feed.ts';

const control = await createControlDatabase();
const db = openDatabase({ url: control.url });
await createLog(db);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(async () => {
  await db.close();
  await control.drop();
});

const patience = { timeout: 30_000 };
const log = pino({ level: 'silent' });

const unwatchable = 'unwatchable';

/** Ends whoever it is told to. */
function startAuthority() {
  const watched = new Map<string, (reason: AuthorityLoss) => void>();
  const authority: AuthorityWatch = {
    watch: ({ principalId }, onLost) => {
      if (principalId === unwatchable) throw new Error('It cannot be watched.');
      watched.set(principalId!, onLost);
      return () => void watched.delete(principalId!);
    },
    holds: async () => true,
    changed: () => {},
  };
  return { authority, watched };
}

interface Sent {
  readonly text: string;
  readonly bytes: number;
}

/** Somebody who notes what it is sent, and takes no more while it is `full`. */
class NotingReader implements Reader<Sent> {
  readonly batches: string[][] = [];
  readonly arrays: (readonly Sent[])[] = [];
  full = false;
  /** What came for it while it took nothing. */
  missedBytes = 0;
  ended: { readonly error: unknown } | undefined;
  readonly #turns: Turns;
  #drained = Promise.withResolvers<void>();

  /** @param turns shared by the subscriptions of one socket */
  constructor(turns = new Turns(8)) {
    this.#turns = turns;
  }

  drained(): Promise<void> {
    return this.#drained.promise;
  }

  /** Takes everything, so that there is room again. */
  drain(): void {
    this.full = false;
    this.#drained.resolve();
    this.#drained = Promise.withResolvers();
  }

  turn<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(run);
  }

  miss(bytes: number): void {
    if (this.full) this.missedBytes += bytes;
  }

  send(events: readonly Sent[]): void {
    if (this.full) throw new Error('It is full.');
    this.arrays.push(events);
    this.batches.push(events.map(({ text }) => text));
  }

  end(error?: unknown): void {
    if (this.ended !== undefined) throw new Error('It ended twice.');
    this.ended = { error };
  }

  get texts(): string[] {
    return this.batches.flat();
  }
}

function start(rested: () => Promise<void> = async () => {}) {
  const hub = createFeedHub({ db, signals: localSignals(), log, backstopMs: 5 });
  cleanups.push(() => hub.close());
  const { authority, watched } = startAuthority();
  const audiences = new Audiences({ feeds: hub, authority }, rested);
  const name = newFeed();
  const executed: string[] = [];
  let readers = 0;

  const subscribe = (
    position: bigint,
    {
      key = 'all',
      alone = false,
      head = position,
      first,
      reset = false,
      as = `reader-${readers++}`,
      saying = '',
      turns,
    }: SubscribeOptions = {},
  ) => {
    const reader = new NotingReader(turns);
    const subscription = audiences.subscribe<LogRow, string, Sent>({
      opened: {
        feed: testFeed(name),
        position,
        head,
        reset,
        first,
        authority: { principalId: as } as AuthorityEntry,
        revoked: () => new Error('revoked') as never,
        toEvent: ({ body }, again) => (again ? `again ${body}` : body),
      },
      key: alone ? undefined : key,
      render: async (text) => {
        if (text === 'unspeakable') throw new Error('It cannot be said.');
        executed.push(text);
        return { text: saying + text, bytes: text.length };
      },
      reader,
    });
    cleanups.push(() => subscription.stop());
    return { reader, subscription };
  };
  const send = async (...bodies: string[]) => hub.publish(name, await append(db, name, bodies));
  return { hub, name, subscribe, send, executed, watched };
}

interface SubscribeOptions {
  readonly key?: string;
  readonly alone?: boolean;
  readonly head?: bigint;
  readonly first?: number;
  readonly reset?: boolean;
  readonly as?: string;
  /** Begins each of its texts. */
  readonly saying?: string;
  readonly turns?: Turns;
}

const has = (reader: NotingReader, texts: readonly string[]) =>
  vi.waitFor(() => expect(reader.texts).toEqual(texts), patience);
const numbered = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `m${from + index}`);

async function setBack({ orgId }: FeedName, position: number): Promise<void> {
  await db.pool.query('delete from test_log where org_id = $1 and seq > $2', [orgId, position]);
  await db.pool.query('update feed_heads set position = $2 where org_id = $1', [orgId, position]);
}

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
  await vi.waitFor(() => expect(executed).toHaveLength(8), patience);
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

test('a feed that was set back is sent from its earliest row again', async () => {
  const { subscribe, send, name } = start();
  const all = [subscribe(0n).reader, subscribe(0n).reader];
  await send('one', 'two', 'three');
  for (const reader of all) await has(reader, ['one', 'two', 'three']);
  await setBack(name, 1);
  for (const reader of all) await has(reader, ['one', 'two', 'three', 'one']);
  await send('another two');
  for (const reader of all) await has(reader, ['one', 'two', 'three', 'one', 'another two']);
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
  await vi.waitFor(() => expect(all.map(({ reader }) => reader.ended)).toEqual(all.map(() => ({ error }))), patience);
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
  await vi.waitFor(() => {
    for (const { reader } of all) expect(reader.ended).toEqual({ error: undefined });
  }, patience);
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
