import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { interval } from '../../db/intervals.ts';
import { type ErrorFingerprint, errorCounts } from '../../db/schema/errors.ts';
import { computed, type RowOf, statement, typed } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type ErrorsFilter, filteredRows, filterParams, valuesOf } from './filtered-rows.ts';
import { keyArrays, keysOf } from './reported.ts';

/** How long occurrences are counted by the hour, in days. */
export const countsKeptDays = 30;

/** SQL of the first hour that counts of are kept: whole days, so that no day shows a part of itself. */
export const countedSince = sql`date_trunc('day', now(), 'UTC') - ${interval(`${countsKeptDays} days`)}`;

export const countBuckets = ['hour', 'day'] as const;
export type CountBucket = (typeof countBuckets)[number];

/** How often something happened in hours or days that follow each other, those without any too. */
export interface ErrorCounts {
  readonly bucket: CountBucket;
  /** When the first bucket begins, in UTC. */
  readonly startsAt: Date;
  /** Occurrences in each bucket, oldest first. */
  readonly values: readonly number[];
}

export const ErrorCountsWire = z
  .object({
    bucket: z.enum(countBuckets),
    starts_at: z.iso.datetime(),
    values: z.array(z.number()),
  })
  .meta({ id: 'ErrorCounts' });

export const countsToWire = ({ bucket, startsAt, values }: ErrorCounts): z.infer<typeof ErrorCountsWire> => ({
  bucket,
  starts_at: startsAt.toISOString(),
  values: [...values],
});

/** What is counted between two moments; the database’s clock says what is now. */
export interface CountWindow {
  /** @default 24 hours before `until` */
  readonly since?: Date | undefined;
  /** @default now */
  readonly until?: Date | undefined;
  readonly bucket: CountBucket;
}

/** A row whose occurrences are counted. */
export interface Counted extends CountWindow {
  readonly row: Pick<ErrorFingerprint, 'orgId' | 'projectId' | 'fingerprintId' | 'function'>;
}

/**
 * How often each of some rows, which the caller has been shown, came up, in one statement. Buckets that the window
 * touches count as a whole; those before {@link countedSince} and after now are not answered.
 */
export async function loadCounts(
  { services }: Pick<Context, 'services'>,
  asked: readonly Counted[],
): Promise<readonly ErrorCounts[]> {
  const rows = rowsStatement.with({
    orgIds: asked.map(({ row }) => row.orgId),
    projectIds: asked.map(({ row }) => row.projectId),
    ...keysOf(asked.map(({ row }) => row)),
    since: asked.map(({ since }) => since ?? null),
    until: asked.map(({ until }) => until ?? null),
    buckets: asked.map(({ bucket }) => bucket),
  });
  const found = await services.db.rows(rows);
  return found.map((one, at) => filled(one, asked[at]!.bucket));
}

/** How often all rows together came up that a list lets through, in the list’s own window. */
export async function loadTotal(
  { services }: Pick<Context, 'services'>,
  asked: ErrorsFilter,
  bucket: CountBucket,
): Promise<ErrorCounts> {
  const [total] = await services.db.rows(totalStatement.with({ ...valuesOf(asked), bucket }));
  return filled(total!, bucket);
}

/** The buckets that hold anything, by their places among all. */
const countsRow = {
  startsAt: computed<Date>('timestamp with time zone', sql`w.starts_at`),
  buckets: computed<number>('integer', sql`w.buckets`),
  counts: computed<Readonly<Record<string, number>> | null>('json', sql`found.counts`),
};

function filled({ startsAt, buckets, counts }: RowOf<typeof countsRow>, bucket: CountBucket): ErrorCounts {
  const values = new Array<number>(buckets).fill(0);
  for (const [at, count] of Object.entries(counts ?? {})) values[Number(at)] = count;
  return { bucket, startsAt, values };
}

/**
 * SQL of a row: where the first bucket of a window begins, how many there are, how long each is, and where the last
 * one ends.
 */
const windowOf = (since: SQL, until: SQL, bucket: SQL): SQL => sql`(
    select w.starts_at, w.step, greatest(0, 1 + extract(epoch from w.last - w.starts_at) / extract(epoch from w.step))::int
        as buckets, w.last + w.step as ends_at
    from (
      select greatest(${countedSince}, date_trunc(${bucket},
          coalesce(${since}, coalesce(${until}, now()) - interval '24 hours'), 'UTC')) as starts_at,
        date_trunc(${bucket}, least(coalesce(${until}, now()), now()), 'UTC') as last,
        case ${bucket} when 'day' then interval '24 hours' else interval '1 hour' end as step
    ) w
  )`;

/**
 * SQL that gathers hours into the buckets of a window `w`: first those that are the same, which may be thousands.
 *
 * @param hours a statement that yields `starts_at` and `count`
 */
const gathered = (hours: SQL): SQL => sql`(
    select json_object_agg(b.at, b.count) as counts from (
      select floor(extract(epoch from s.starts_at - w.starts_at) / extract(epoch from w.step))::int as at, sum(s.count) as count
      from (select h.starts_at, sum(h.count) as count from (${hours}) h group by h.starts_at) s group by 1
    ) b
  )`;

/** SQL of the hours of one row, in a window `w`. @param row alias of whatever names it */
const hoursOf = (row: SQL, { orgId, projectId }: { readonly orgId: SQL; readonly projectId: SQL }): SQL =>
  sql`select ${errorCounts.startsAt}, ${errorCounts.count} from ${errorCounts}
    where ${errorCounts.orgId} = ${orgId} and ${errorCounts.projectId} = ${projectId}
      and ${errorCounts.fingerprintId} = ${row}.fingerprint_id and ${errorCounts.function} = ${row}.function
      and ${errorCounts.startsAt} >= w.starts_at and ${errorCounts.startsAt} < w.ends_at`;

const rowsStatement = statement(
  'errors.counts',
  {
    params: {
      orgIds: typed<readonly string[]>('uuid[]'),
      projectIds: typed<readonly string[]>('text[]'),
      ...keyArrays,
      since: typed<readonly (Date | null)[]>('timestamp with time zone[]'),
      until: typed<readonly (Date | null)[]>('timestamp with time zone[]'),
      buckets: typed<readonly CountBucket[]>('text[]'),
    },
    row: countsRow,
  },
  ({ orgIds, projectIds, fingerprintIds, functions, since, until, buckets }, row) => sql`select ${row}
    from unnest(${orgIds}::uuid[], ${projectIds}::text[], ${fingerprintIds}::text[], ${functions}::text[],
        ${since}::timestamptz[], ${until}::timestamptz[], ${buckets}::text[])
        with ordinality as g(org_id, project_id, fingerprint_id, function, since, until, bucket, ord),
      lateral ${windowOf(sql`g.since`, sql`g.until`, sql`g.bucket`)} w,
      lateral ${gathered(hoursOf(sql`g`, { orgId: sql`g.org_id`, projectId: sql`g.project_id` }))} found
    order by g.ord`,
);

// Row by row, each by its key (`offset 0`): there are 5,000 at most, whereas an index over the hours alone, which retention
// has, would lead to everybody's.
const totalStatement = statement(
  'errors.total-counts',
  { params: { ...filterParams, bucket: typed<CountBucket>('text') }, row: countsRow },
  ({ bucket, ...given }, row) => sql`with ${filteredRows(given)}, w as materialized (
      select w.* from asked, lateral ${windowOf(sql`asked.since`, sql`asked.until`, sql`${bucket}::text`)} w
    )
    select ${row} from w, lateral ${gathered(sql`select c.* from rows r, lateral (
        ${hoursOf(sql`r`, given)} offset 0
      ) c where r.shown and (${given.newIn}::text is null or r.new)`)} found`,
);
