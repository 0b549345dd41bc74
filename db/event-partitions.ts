import type pg from 'pg';
import { inTransaction, sqlState } from './pool.ts';

/** The days that events are kept, one branch of the table for each. */
const branches = [90, 365] as const;

/** Months that have their partitions ahead of time: housekeeping may fail for so long, and still no row is refused. */
const monthsAhead = 3;

/** Lock under which partitions are made and dropped; any number that nothing else uses. */
const partitionsLock = 7_306_021;

/** How long readers and writers may be held up by the dropping of a partition, in milliseconds; then it is left for later. */
const lockMs = 250;

/** Organizations whose floors are raised in one transaction: an append to one of them waits for no more than that. */
const orgsAtOnce = 200;

/**
 * Makes the partitions of events for this month and the next ones, and for the month before: a transaction that began
 * before midnight writes there, and so does a database whose clock is set back. Waits for no reader or writer of events.
 */
export async function makeEventPartitions(pool: pg.Pool | pg.Client): Promise<void> {
  const { rows: missing } = await pool.query<{ name: string; branch: string; from: string; upto: string }>(
    `select name, branch, "from", upto from (
      select b.branch || to_char(m.month, '_YYYYMM') as name, b.branch, m.month::text as "from",
        (m.month + interval '1 month')::text as upto
      from (select 'events_' || days as branch from unnest($1::int[]) as days) b,
        generate_series(date_trunc('month', now() at time zone 'UTC') - interval '1 month',
          date_trunc('month', now() at time zone 'UTC') + make_interval(months => $2), interval '1 month') as m (month)
    ) wanted where to_regclass(name) is null order by name`,
    [branches, monthsAhead],
  );
  for (const { name, branch, from, upto } of missing) {
    // One at a time, and not as `partition of`, which would lock the whole table. Names and moments are the database's own.
    // The catalog is asked itself: what `to_regclass` remembers of a table that was not there may be older than the lock.
    const make = `do $$ begin
      perform pg_advisory_xact_lock(${partitionsLock});
      if not exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = '${branch}'::regclass and c.relname = '${name}') then
        create table ${name} (like ${branch} including defaults including constraints);
        alter table ${branch} attach partition ${name} for values from ('${from}+00') to ('${upto}+00');
      end if;
    end $$`;
    await pool.query(make);
  }
}

/**
 * Drops the partitions that are past their time with all they hold. First, in batches, it raises the floors of the
 * organizations that have events there: from then on no reader sees what is below them, whether it is dropped at once
 * or, since the partition is in use for too long or the process dies, the next time.
 *
 * @returns the names of those dropped
 */
export async function dropEventPartitions(pool: pg.Pool, signal?: AbortSignal): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; days: number }>(
    `select c.relname as name, days from unnest($1::int[]) as days
     join pg_inherits i on i.inhparent = to_regclass('events_' || days) join pg_class c on c.oid = i.inhrelid
     where to_timestamp(right(c.relname, 6) || '+00', 'YYYYMMTZH') + interval '1 month' + make_interval(days => days) <= now()
     order by 1`,
    [branches],
  );
  const dropped: string[] = [];
  for (const { name, days } of rows) {
    try {
      await raiseFloors(pool, name, days, signal);
      await drop(pool, name, days);
      dropped.push(name);
    } catch (error) {
      // In use, or dropped by another node meanwhile.
      const state = sqlState(error);
      if (state !== lockNotAvailable && state !== undefinedTable) throw error;
    }
  }
  return dropped;
}

const undefinedTable = '42P01';
const lockNotAvailable = '55P03';

async function raiseFloors(pool: pg.Pool, name: string, days: number, signal: AbortSignal | undefined): Promise<void> {
  // Nothing comes into a month that is so long over, so what goes with it is known before.
  let last: string | null = null;
  do {
    signal?.throwIfAborted();
    const page: pg.QueryResult<{ last: string | null }> = await pool.query(floorsSql(name, days), [last, orgsAtOnce]);
    last = page.rows[0]!.last;
  } while (last !== null);
}

/**
 * Raises the floors of the next organizations after `$1` that have events in a partition. It looks at one row for each of
 * them, however many events there are, and locks their heads in the order in which everybody does.
 */
const floorsSql = (name: string, days: number) => `with recursive org (id) as (
    (select org_id from ${name} where $1::uuid is null or org_id > $1 order by org_id limit 1)
    union all
    select (select e.org_id from ${name} e where e.org_id > org.id order by e.org_id limit 1) from org where org.id is not null
  ), page as (select id from org where id is not null limit $2
  ), gone as (
    select p.id, (select e.position from ${name} e where e.org_id = p.id order by e.position desc limit 1) as position
    from page p
  ), head as (
    select h.org_id, g.position from feed_heads h join gone g on g.id = h.org_id
    where h.kind = 'events' and h.feed_id = 'all' and h.floor < g.position order by h.org_id for update of h
  ), raised as (
    update feed_heads h set floor = head.position from head
    where h.org_id = head.org_id and h.kind = 'events' and h.feed_id = 'all' and h.floor < head.position
  )${
    days === Math.max(...branches)
      ? `, long as (
    insert into event_floors as f (org_id, position) select id, position from gone order by id
    on conflict (org_id) do update set position = excluded.position where f.position < excluded.position
  )`
      : ''
  }
  select max(id::text) as last from page`;

/** Locks the branch and not its partitions one by one, which might be a wait for each. */
const drop = (pool: pg.Pool, name: string, days: number): Promise<void> =>
  inTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(${partitionsLock})`);
    await client.query(`set local lock_timeout = ${lockMs}`);
    await client.query(`lock table only events_${days} in access exclusive mode`);
    await client.query(`drop table ${name}`);
  });
