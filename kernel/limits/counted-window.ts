import { sha256Hex } from '../../core/keys.ts';
import type { countedWindow } from '../../db/columns.ts';
import { type Column, type SQL, sql, type Table } from '../../db/drizzle.ts';
import { computed, excluded, nameOf, namesOf, setOf } from '../../db/sql.ts';
import type { Throttle } from './limits.ts';
import { assertWithinRate } from './rate-limit.ts';

/** A table with the columns of `countedWindow`: of the control database, or of a project's own. */
export type WindowTable = Table & Readonly<Record<keyof ReturnType<typeof countedWindow>, Column>>;

/** The attempts of a window, and the seconds until it ends. */
export interface WindowCount {
  readonly count: number;
  readonly wait: number;
}

/** Names a window. The subject may be the address of a stranger, so the table holds its digest. */
export const windowKey = (kind: string, subject: string): string => `${kind}:${sha256Hex(subject)}`;

/** A count grows no further, so that no flood of attempts overflows it. */
const countMax = sql.raw('1000000');

/**
 * Counts one attempt. A window begins with its first attempt. Simultaneous attempts wait for the row, so each counts.
 *
 * @param source where the key is selected from, such as `from chosen`
 */
export function countAttempt(windows: WindowTable, key: SQL, seconds: SQL, source: SQL = sql``): SQL {
  const ended = sql`${windows.windowEnds} <= now()`;
  return sql`insert into ${windows} (${namesOf(windows.key, windows.count, windows.windowEnds)})
    select ${key}, 1, now() + make_interval(secs => ${seconds}::int) ${source}
    on conflict (${nameOf(windows.key)}) do update ${setOf(windows, {
      count: sql`case when ${ended} then 1 else least(${windows.count} + 1, ${countMax}) end`,
      windowEnds: sql`case when ${ended} then ${excluded(windows.windowEnds)} else ${windows.windowEnds} end`,
    })}`;
}

/** What {@link countAttempt} returns: the columns of a {@link WindowCount}. */
export const windowCount = ({ count, windowEnds }: WindowTable) => ({
  count: computed<number>('integer', sql`${count}`),
  wait: computed<number>('integer', sql`ceil(extract(epoch from ${windowEnds} - now()))::int`),
});

/** Forgets the attempts of a window: the next attempt begins a new one. */
export const forgetAttempts = (windows: WindowTable, key: SQL): SQL =>
  sql`delete from ${windows} where ${windows.key} = ${key}`;

/**
 * Refuses an attempt that was counted and is one too many.
 *
 * @throws RATE_LIMITED until the window ends
 */
export function assertWithinWindow({ times, seconds }: Throttle, { count, wait }: WindowCount): void {
  // A window that another transaction began while this one waited for the row ends a moment after its own time is over.
  if (count > times) assertWithinRate(Math.min(seconds, Math.max(1, wait)));
}
