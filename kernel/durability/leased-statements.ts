import { type Column, getTableName, type SQL, sql, type Table } from '../../db/drizzle.ts';
import { computed, nameOf, statement, typed } from '../../db/sql.ts';

/** Rows that wait for a node to do something with them. */
export interface LeasedTable {
  readonly table: Table;
  readonly id: Column;
  /** Who takes turns: the project. An index begins with it and `dueAt`, and another one with `dueAt`, where that is set. */
  readonly lane: Column;
  /** When a node has to look at the row; while one has it, the end of its lease. Null for what is over. */
  readonly dueAt: Column;
  /** Names the hold of a node; null while none has it. */
  readonly lease: Column;
}

/** A row in the hands of this node. */
export interface LeasedItem {
  readonly id: string;
  readonly lane: string;
  /** Every write to the row names it: a node whose lease was taken over writes nothing. */
  readonly lease: string;
}

/** Lanes that one statement looks into. */
const lanesMax = 500;

/**
 * The statements of leased work, by the clock of the database alone. Any number of nodes run them side by side: what one
 * takes the others pass by.
 */
export function leasedStatements({ table, id, lane, dueAt, lease }: LeasedTable, leaseSeconds: number) {
  const name = getTableName(table).replaceAll('_', '-');
  const leased = sql.raw(`now() + make_interval(secs => ${leaseSeconds})`);
  const waits = sql`${dueAt} is not null`;
  const laneAfter = (after: SQL) =>
    sql`(select ${lane} from ${table} where ${waits} and ${lane} > ${after} order by ${lane} limit 1)`;

  /** Whether any row is due. */
  const anyDue = statement(
    `leased.any-${name}`,
    { row: { due: computed<boolean>('boolean', sql`exists (select from ${table} where ${dueAt} <= now())`) } },
    (_none, row) => sql`select ${row}`,
  );

  /**
   * Takes rows that are due, of one lane after the other, the longest due of each first. Answers one row at least, without
   * an id where nothing was taken.
   */
  const take = statement(
    `leased.take-${name}`,
    {
      params: {
        /** Lanes behind this one are looked into. */
        after: typed<string>('text'),
        count: typed<number>('bigint'),
        /** Rows of one lane that this node may have. */
        perLane: typed<number>('bigint'),
        /** Lanes of which this node has rows, and how many. */
        busy: typed<readonly string[]>('text[]'),
        busyCounts: typed<readonly number[]>('bigint[]'),
      },
      row: {
        id: computed<string | null>('text', sql`held.id`),
        lane: computed<string | null>('text', sql`held.lane`),
        lease: computed<string | null>('text', sql`held.lease`),
        /** The last lane that was looked into; null when there is none behind it. */
        lastLane: computed<string | null>('text', sql`looked.last_lane`),
      },
    },
    ({ after, count, perLane, busy, busyCounts }, row) => sql`with recursive lanes (lane, at) as (
        select ${laneAfter(after)}, 1
        union all
        select ${laneAfter(sql`lanes.lane`)}, lanes.at + 1 from lanes
          where lanes.lane is not null and lanes.at < ${sql.raw(String(lanesMax))}
      ), due as materialized (
        select due.id from lanes cross join lateral (
          select ${id} as id from ${table} where ${lane} = lanes.lane and ${dueAt} <= now() order by ${dueAt}
          limit greatest(${perLane} - coalesce((
            select busy.count from unnest(${busy}::text[], ${busyCounts}::bigint[]) as busy (lane, count)
            where busy.lane = lanes.lane), 0), 0)
          for update skip locked
        ) due
        where lanes.lane is not null limit ${count}
      ), held as (
        update ${table} set ${nameOf(dueAt)} = ${leased}, ${nameOf(lease)} = gen_random_uuid()::text
        from due where ${id} = due.id
        returning ${id} as id, ${lane} as lane, ${lease} as lease
      ), looked as (
        select case when count(*) < ${sql.raw(String(lanesMax))} or bool_or(lane is null) then null else max(lane) end as last_lane
        from lanes
      )
      select ${row} from looked left join held on true order by held.lane`,
  );

  /** Keeps rows for another lease. Answers those that this node still has. */
  const renew = statement(
    `leased.renew-${name}`,
    {
      params: { ids: typed<readonly string[]>('text[]'), leases: typed<readonly string[]>('text[]') },
      row: { id: computed<string>('text', sql`${id}`) },
    },
    ({ ids, leases }, row) => sql`update ${table} set ${nameOf(dueAt)} = ${leased}
      from unnest(${ids}::text[], ${leases}::text[]) as mine (id, lease)
      where ${id} = mine.id and ${lease} = mine.lease returning ${row}`,
  );

  /** Frees what a process held that is known to be gone: its rows are due at once. */
  const free = statement(
    `leased.free-${name}`,
    {},
    () => sql`update ${table} set ${nameOf(dueAt)} = now() - interval '1 second'
      where ${lease} is not null and ${dueAt} > now()`,
  );

  return { anyDue, take, renew, free };
}

export type LeasedStatements = ReturnType<typeof leasedStatements>;

/** Whether a node still has a row: its id, or nothing. */
export const heldStatement = ({ table, id, lease }: Pick<LeasedTable, 'table' | 'id' | 'lease'>) =>
  statement(
    `leased.held-${getTableName(table).replaceAll('_', '-')}`,
    {
      params: { id: typed<string>('text'), lease: typed<string>('text') },
      row: { id: computed<string>('text', sql`${id}`) },
    },
    (given, row) => sql`select ${row} from ${table} where ${id} = ${given.id} and ${lease} = ${given.lease}`,
  );

export type HeldStatement = ReturnType<typeof heldStatement>;

/**
 * Gives a row back that another attempt is to be made at.
 *
 * @param attempts how often it was begun; `uncounted` attempts are taken off, which came to nothing by no fault of its own
 */
export const putOffStatement = ({ table, id, dueAt, lease }: Omit<LeasedTable, 'lane'>, attempts: Column) =>
  statement(
    `leased.put-off-${getTableName(table).replaceAll('_', '-')}`,
    {
      params: {
        id: typed<string>('text'),
        lease: typed<string>('text'),
        seconds: typed<number>('double precision'),
        uncounted: typed<number>('integer'),
      },
    },
    (given) => sql`update ${table} set ${nameOf(attempts)} = ${attempts} - ${given.uncounted}::int,
      ${nameOf(dueAt)} = now() + make_interval(secs => ${given.seconds}), ${nameOf(lease)} = null
      where ${id} = ${given.id} and ${lease} = ${given.lease}`,
  );

export type PutOffStatement = ReturnType<typeof putOffStatement>;
