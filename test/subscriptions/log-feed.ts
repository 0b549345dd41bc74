import { randomUUID } from 'node:crypto';
import { afterAll, afterEach } from 'vitest';
import { type Database, inTransaction, openDatabase, type Statement } from '../../db/pool.ts';
import type { Feed, FeedName } from '../../kernel/feeds/feeds.ts';
import { createControlDatabase } from '../helpers/control-database.ts';

export interface LogRow {
  readonly seq: bigint;
  readonly body: string;
}

export const newFeed = (): FeedName => ({ orgId: randomUUID(), kind: 'room', feedId: randomUUID() });

/** Makes the table behind the feeds of these tests: the least that a feed's rows need. */
export const createLog = (db: Database) =>
  db.pool.query(`create table test_log (
    org_id uuid, feed_id text, seq bigint, body text not null, primary key (org_id, feed_id, seq))`);

/** A log of a test file’s own, in a control database that goes with the file; each test’s cleanups run after it. */
export async function openLog() {
  const control = await createControlDatabase();
  const statements: string[] = [];
  const db = openDatabase({ url: control.url, onStatement: (text) => statements.push(text) });
  await createLog(db);
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  afterAll(async () => {
    await db.close();
    await control.drop();
  });
  return { control, db, /** What the database was asked. */ statements, cleanups };
}

/** Rows of the test log as a feed; `reads` records the page sizes asked for. */
export function testFeed(name: FeedName, reads: number[] = []): Feed<LogRow> {
  return {
    name,
    cursorPrefix: 'mcr_',
    positionOf: ({ seq }) => seq,
    sizeOf: ({ body }) => body.length,
    fetch: async (db, after, limit) => {
      reads.push(limit);
      const rows = await db.rows<{ head: bigint; floor: bigint; seq: bigint | null; body: string }>({
        statement: read,
        values: [name.orgId, name.feedId, after, limit],
      });
      return {
        head: rows[0]!.head,
        floor: rows[0]!.floor,
        rows: rows.flatMap(({ seq, body }) => (seq === null ? [] : [{ seq, body }])),
      };
    },
  };
}

/** Appends rows in one transaction, each position taken from the head under its lock; `abandon` rolls back instead. */
export async function append(db: Database, { orgId, feedId }: FeedName, bodies: readonly string[], abandon = false) {
  let head = 0n;
  const abandoned = new Error('abandoned');
  try {
    await inTransaction(db.pool, async (client) => {
      for (const body of bodies) {
        const { rows } = await client.query<{ seq: bigint }>(write, [orgId, feedId, body]);
        head = rows[0]!.seq;
      }
      if (abandon) throw abandoned;
    });
  } catch (error) {
    if (error !== abandoned) throw error;
  }
  return head;
}

const read: Statement = {
  name: 'test.log.read',
  text: `select coalesce(h.position, 0) as head, coalesce(h.floor, 0) as floor, m.seq, m.body
    from (select) one
    left join feed_heads h on h.org_id = $1 and h.kind = 'room' and h.feed_id = $2
    left join lateral (
      select seq, body from test_log where org_id = $1 and feed_id = $2 and seq > $3 order by seq limit $4
    ) m on true
    order by m.seq`,
};

const write = `with head as (
    insert into feed_heads (org_id, kind, feed_id, position) values ($1, 'room', $2, 1)
    on conflict (org_id, kind, feed_id) do update set position = feed_heads.position + 1
    returning position
  )
  insert into test_log (org_id, feed_id, seq, body) select $1, $2, position, $3 from head returning seq`;
