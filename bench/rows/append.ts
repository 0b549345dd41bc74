import type pg from 'pg';
import { createPool, inTransaction, type Statement } from '../../db/pool.ts';
import type { RoomMessage } from '../../db/schema/rooms.ts';
import { appendMessage } from '../../resolvers/rooms/shared/room-feed.ts';
import { familyCpuSeconds } from '../processes.ts';
import type { Round } from '../race.ts';
import { atLeast, compare, type Line } from '../report.ts';
import type { Stage } from '../stage.ts';

const senders = 16;
const sequence = 'bench_positions';

/** A message into a room as a send writes it, and the same row with a position that nobody waits for. */
type Way = 'ordered' | 'unordered';

/**
 * Messages by 16 connections into 16 rooms and into one, each in a transaction as a send's last statement, against the same
 * inserts without the lock by which a room's messages become visible in order.
 */
export async function append(stage: Stage): Promise<Line[]> {
  const pool = createPool({ url: stage.databaseUrl, max: senders });
  try {
    await pool.query(`create sequence if not exists ${sequence} start 1000000000`);
    const lines: Line[] = [];
    for (const [rooms, least] of [
      [senders, 0.8],
      [1, 0.2],
    ] as const) {
      lines.push(
        ...compare('append', await race(stage, pool, rooms), {
          name: `messages appended by ${senders} connections into ${rooms === 1 ? 'one room' : `${rooms} rooms`} : without the lock`,
          ours: 'ordered',
          reference: 'unordered',
          target: atLeast(least),
        }).filter(({ ours }) => !Number.isNaN(ours)),
      );
    }
    return lines;
  } finally {
    await pool.end();
  }
}

/** One way, then the other, round by round; the first round of each is for warming up. */
async function race(stage: Stage, pool: pg.Pool, rooms: number): Promise<Record<Way, Round[]>> {
  const seen: Record<Way, Round[]> = { ordered: [], unordered: [] };
  for (let round = -1; round < stage.options.rounds; round++) {
    for (const way of ['ordered', 'unordered'] as const) {
      const measured = await write(stage, pool, rooms, way);
      if (round >= 0) seen[way].push(measured);
    }
  }
  return seen;
}

async function write(stage: Stage, pool: pg.Pool, rooms: number, way: Way): Promise<Round> {
  const { writtenOrgId } = stage.dataset;
  const databaseCpu = await familyCpuSeconds(stage.postmaster);
  const startedAt = performance.now();
  let written = 0;
  await Promise.all(
    Array.from({ length: senders }, async (_, nth) => {
      const roomKey = `append-${rooms}-${way}-${nth % rooms}`;
      for (; performance.now() - startedAt < stage.options.seconds * 1_000; written++) {
        const { statement, values } = appendMessage(messageIn(writtenOrgId, roomKey));
        await inTransaction(pool, async (_client, last) =>
          last({ statement: way === 'ordered' ? statement : withoutLock(statement), values }),
        );
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1_000;
  const databaseUsed = (await familyCpuSeconds(stage.postmaster)) - databaseCpu;
  return {
    perSecond: written / took,
    cpu: Number.NaN,
    databaseCpu: (databaseUsed / written) * 1e6,
    p50: Number.NaN,
    p99: Number.NaN,
  };
}

const messageIn = (orgId: string, roomKey: string): RoomMessage =>
  ({
    orgId,
    roomKey,
    seq: 0n,
    id: `msg_${crypto.randomUUID()}`,
    senderPresenceId: 'prs_bench',
    senderName: 'bench',
    principalId: 'prn_bench',
    body: 'x'.repeat(1024),
    threadId: null,
    importance: 'normal',
    ackRequired: false,
    recipients: [],
    idempotencyKey: null,
    createdAt: new Date(),
  }) as RoomMessage;

/** The head's row is what senders wait for; a sequence gives positions to whoever asks. */
function withoutLock({ name, text }: Statement): Statement {
  const unordered = text.replace(
    /with head as \([\s\S]*?returning "feed_heads"\."position"\s*\)/,
    // Whether it is told of is a value that the head alone uses.
    `with head as (select nextval('${sequence}') as position where $14::boolean is not null)`,
  );
  if (unordered === text) throw new Error(`The lock is not where it was looked for: ${text}`);
  return { name: `${name}.unordered`, text: unordered };
}
