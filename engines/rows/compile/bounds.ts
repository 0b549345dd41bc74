import { integer, type Sql, sql } from '../sql/sql.ts';

/** Largest body that is given, in bytes: it is held in memory on its way. */
export const bodyBytesMax = 16 * 1024 * 1024;

/** Characters of headers that a project's SQL decides: clients and proxies hang up on an answer with more than 16 KiB. */
export const headersMax = 8_192;

/** Days that an interval can have. */
const daysMax = 2 ** 31;

/**
 * Fails with the first row by which a list grows larger than a body may be, so that PostgreSQL never holds more than
 * that; true when there is any row. Sums of intervals are refused when their days overflow, and sums of nothing else
 * that is counted so cheaply. A single row that is too large by itself is left to who sees the whole.
 *
 * @param size the bytes of one row
 */
export const isBounded = (size: Sql): Sql =>
  sql`sum(make_interval(days => least(${size}, ${integer(bodyBytesMax - 1)}) * ${integer(daysMax / bodyBytesMax)})) is not null`;

/** What a refusal of PostgreSQL says of where it comes from. */
export interface Refused {
  readonly code?: string | undefined;
  readonly routine?: string | undefined;
}

/** Whether {@link isBounded} has failed: no tenant's statement adds up so many days but on purpose. */
export const isUnbounded = ({ code, routine }: Refused): boolean =>
  code === '22008' &&
  routine !== undefined &&
  /^(?:finite_)?interval_pl$|^interval_accum|^do_interval_accum$/.test(routine);
