import { pino } from 'pino';
import { expect } from 'vitest';
import { Turns } from '../../db/turns.ts';
import type { AuthorityEntry, AuthorityLoss, AuthorityWatch } from '../../kernel/access/authority-watch.ts';
import type { FeedName } from '../../kernel/feeds/feeds.ts';
import { Audiences } from '../../subscriptions/audiences.ts';
import { createFeedHub } from '../../subscriptions/feed-hub.ts';
import type { Reader } from '../../subscriptions/follower.ts';
import { localSignals } from '../../subscriptions/signals.ts';
import { until } from '../helpers/until.ts';
import { append, type LogRow, newFeed, openLog, testFeed } from './log-feed.ts';

/** A principal whose right nobody can watch. */
export const unwatchable = 'unwatchable';

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
export class NotingReader implements Reader<Sent> {
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

/** Audiences of a test file’s own, over a log of its own. */
export async function audienceWorld() {
  const { db, cleanups } = await openLog();
  const log = pino({ level: 'silent' });

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

  async function setBack({ orgId }: FeedName, position: number): Promise<void> {
    await db.pool.query('delete from test_log where org_id = $1 and seq > $2', [orgId, position]);
    await db.pool.query('update feed_heads set position = $2 where org_id = $1', [orgId, position]);
  }

  return { db, start, setBack };
}

export const has = (reader: NotingReader, texts: readonly string[]) => until(() => expect(reader.texts).toEqual(texts));
export const numbered = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `m${from + index}`);
