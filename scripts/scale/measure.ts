import type pg from 'pg';
import type { CapturedPlans, Executed } from './captured-plans.ts';
import type { HotRequest } from './requests.ts';

/** What one request costs the database. */
export interface Cost {
  readonly name: string;
  readonly statements: number;
  /** Time in Postgres, in milliseconds, without planning. */
  readonly databaseMs: number;
  /** Pages of 8 KiB that were looked at. */
  readonly buffers: number;
  /** Rows read of big tables. */
  readonly rowsRead: number;
  /** Big tables that were read from end to end, each with the beginning of its statement. */
  readonly seqScans: readonly string[];
}

/** Asks before anything counts: prepared statements get their lasting plan at the sixth use, and caches fill. */
const warmUps = 10;

export const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Asks one after the other, and adds up what the database did for each; medians over `times` answers, for work that
 * goes on behind an answer may fall into the time of the next one.
 *
 * @param big tables of which no statement may read many rows to answer a client; a small one is a handful of pages
 */
export async function costOf(
  { name, ask }: HotRequest,
  { plans, big, times }: { plans: CapturedPlans; big: ReadonlySet<string>; times: number },
): Promise<Cost> {
  for (let n = 0; n < warmUps; n++) await ask();
  plans.take();
  const seen: Executed[][] = [];
  for (let n = 0; n < times; n++) {
    await ask();
    seen.push(plans.take());
  }
  const sum = (pick: (one: Executed) => number) =>
    seen.map((executed) => executed.reduce((total, one) => total + pick(one), 0));
  const rowsOfBig = ({ rowsRead }: Executed) =>
    [...rowsRead].reduce((total, [table, rows]) => total + (big.has(table) ? rows : 0), 0);
  const scans = ({ seqScans, text }: Executed) =>
    seqScans.filter((table) => big.has(table)).map((table) => `${table}: ${text.slice(0, 60)}`);
  return {
    name,
    statements: median(seen.map((executed) => executed.length)),
    databaseMs: median(sum(({ ms }) => ms)),
    buffers: median(sum(({ buffers }) => buffers)),
    rowsRead: median(sum(rowsOfBig)),
    seqScans: [...new Set(seen.flat().flatMap(scans))],
  };
}

/** Median time of a request, in milliseconds, as the client sees it. */
export async function timeOf({ ask }: HotRequest, times: number): Promise<number> {
  for (let n = 0; n < warmUps; n++) await ask();
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const startedAt = performance.now();
    await ask();
    taken.push(performance.now() - startedAt);
  }
  return median(taken);
}

export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly heapBytes: number;
  readonly indexes: readonly { readonly name: string; readonly bytes: number }[];
}

/** Every table of the control database, largest first. Rows as the last `analyze` saw them. */
export async function tableSizes(client: pg.ClientBase): Promise<TableSize[]> {
  const { rows } = await client.query<TableSize>(`
    select c.relname as "table", greatest(c.reltuples, 0)::float8 as rows, pg_table_size(c.oid)::float8 as "heapBytes",
      coalesce((select json_agg(json_build_object('name', i.relname, 'bytes', pg_relation_size(i.oid)) order by i.relname)
        from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = c.oid), '[]') as indexes
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    order by pg_total_relation_size(c.oid) desc`);
  return rows;
}

/** Tables with so many rows that no statement may read them from end to end to answer a client. */
export const bigTables = (sizes: readonly TableSize[], rowsMin: number): ReadonlySet<string> =>
  new Set(sizes.filter(({ rows }) => rows >= rowsMin).map(({ table }) => table));
