import type pg from 'pg';

export interface DatabaseClockOptions {
  /** Asked on a connection of its own, so that no request waits for the clock and the clock waits for none. */
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly warn: (message: string, facts: Record<string, unknown>) => void;
}

export interface DatabaseClock {
  /** The time of the control database, to some milliseconds. */
  readonly now: () => Date;
  readonly close: () => void;
}

/** How long the database's answer is counted on, in milliseconds. */
const everyMs = 10_000;

/** An answer that took longer says too little about when it was given, in milliseconds. */
const roundTripMsMax = 1_000;

/** Offset of the machine's own clock from which the operator is warned, in milliseconds. */
const awayMs = 5_000;

/**
 * One clock for all nodes. What a statement compares with `now()` and what a node compares itself is held against the
 * same clock, and a node whose own clock is set forward or back goes on as if nothing had happened: between two answers
 * of the database, time is counted by the monotonic clock, which cannot be set.
 *
 * @throws when the database does not tell its time at the start
 */
export async function createDatabaseClock({ pool, warn }: DatabaseClockOptions): Promise<DatabaseClock> {
  /** The database's time at the origin of the monotonic clock, in milliseconds of the epoch. */
  let origin = 0;
  let isAway = false;

  async function look(roundTripMax: number): Promise<void> {
    const askedAt = performance.now();
    const { rows } = await pool.query<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    );
    const answeredAt = performance.now();
    if (answeredAt - askedAt > roundTripMax) return;
    origin = rows[0]!.ms - (askedAt + answeredAt) / 2;
    const away = Date.now() - (origin + answeredAt);
    if (Math.abs(away) > awayMs && !isAway)
      warn('The clock of this machine and the one of its database differ; the database’s counts.', {
        seconds: Math.round(away / 1000),
      });
    isAway = Math.abs(away) > awayMs;
  }

  await look(Number.POSITIVE_INFINITY);
  // While the database is away, the monotonic clock alone is as good as ever.
  const timer = setInterval(() => void look(roundTripMsMax).catch(() => undefined), everyMs).unref();
  return {
    now: () => new Date(origin + performance.now()),
    close: () => clearInterval(timer),
  };
}
