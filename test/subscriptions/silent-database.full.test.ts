import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../db/pool.ts';
import { roomFeed } from '../../resolvers/rooms/shared/room-feed.ts';
import { createFeedHub } from '../../subscriptions/feed-hub.ts';
import { localSignals } from '../../subscriptions/signals.ts';
import { createControlDatabase } from '../helpers/control-database.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';
import { until } from '../helpers/until.ts';

const control = await createControlDatabase();
const way = await startPgProxy(control.url);
const statements: string[] = [];
// Far beyond the life of this test, so that it is not what helps.
const db = openDatabase({ url: way.url, statementMs: 3_600_000, onStatement: (text) => statements.push(text) });
const hub = createFeedHub({ db, signals: localSignals(), log: pino({ level: 'silent' }), backstopMs: 50 });
afterAll(async () => {
  await hub.close();
  await way.close();
  await db.close();
  await control.drop();
});

const orgId = randomUUID();
/** Written by another node, whose signal is lost. */
const write = (seq: number) =>
  control.sql(
    `with head as (
       insert into feed_heads (org_id, kind, feed_id, position) values ($1, 'room', 'hall', $2)
       on conflict (org_id, kind, feed_id) do update set position = $2 returning position
     )
     insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
       importance, ack_required, recipients)
     select $1, 'hall', position, 'msg_' || position, 'prs_1', 'ada', 'prn_1', 'hello', 'normal', false, '[]' from head`,
    [orgId, seq],
  );

test('a connection that falls silent during a read holds up the feeds of its node for seconds, not for good', async () => {
  await write(1);
  const stop = new AbortController();
  const rows = hub.follow(roomFeed(orgId, 'hall'), 0n, { signal: stop.signal });
  expect((await rows.next()).value).toMatchObject([{ seq: 1n }]);
  for (const [seq, read] of [
    [2, /with ordinality/],
    [3, /from "room_messages"/],
  ] as const) {
    way.stall();
    statements.length = 0;
    // Heads are looked up by themselves, rows when the feed is said to have moved.
    if (seq === 3) hub.publish(roomFeed(orgId, 'hall').name, 3n);
    await until(() => expect(statements.some((text) => read.test(text))).toBe(true));
    way.mend();
    await write(seq);
    expect((await rows.next()).value).toMatchObject([{ seq: BigInt(seq) }]);
  }
  stop.abort();
});
