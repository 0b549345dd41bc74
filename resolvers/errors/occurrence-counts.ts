import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { ErrorFingerprint } from '../../db/schema/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type AskedErrors, askedRows, valuesOf } from './asked-rows.ts';

/** How long occurrences are counted by the hour, in days. */
export const countsKeptDays = 30;

/** SQL of the first hour that counts of are kept: whole days, so that no day shows a part of itself. */
export const countedSince = `date_trunc('day', now(), 'UTC') - interval '${countsKeptDays} days'`;

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

export const ErrorCountsWire = z.object({
  bucket: z.enum(countBuckets),
  starts_at: z.iso.datetime(),
  values: z.array(z.number()),
});

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
  const values = [
    asked.map(({ row }) => row.orgId),
    asked.map(({ row }) => row.projectId),
    asked.map(({ row }) => row.fingerprintId),
    asked.map(({ row }) => row.function),
    asked.map(({ since }) => since ?? null),
    asked.map(({ until }) => until ?? null),
    asked.map(({ bucket }) => bucket),
  ];
  const found = await services.db.rows<Found>(rowsStatement, values);
  return found.map((one, at) => filled(one, asked[at]!.bucket));
}

/** How often all rows together came up that a list lets through, in the list’s own window. */
export async function loadTotal(
  { services }: Pick<Context, 'services'>,
  asked: AskedErrors,
  bucket: CountBucket,
): Promise<ErrorCounts> {
  const [total] = await services.db.rows<Found>(totalStatement, [...valuesOf(asked), bucket]);
  return filled(total!, bucket);
}

/** The buckets that hold anything, by their places among all. */
interface Found {
  readonly startsAt: Date;
  readonly buckets: number;
  readonly counts: Readonly<Record<string, number>> | null;
}

function filled({ startsAt, buckets, counts }: Found, bucket: CountBucket): ErrorCounts {
  const values = new Array<number>(buckets).fill(0);
  for (const [at, count] of Object.entries(counts ?? {})) values[Number(at)] = count;
  return { bucket, startsAt, values };
}

/**
 * SQL of a row: where the first bucket of a window begins, how many there are, how long each is, and where the last
 * one ends.
 */
const windowOf = (since: string, until: string, bucket: string) => `(
    select w.starts_at, w.step, greatest(0, 1 + extract(epoch from w.last - w.starts_at) / extract(epoch from w.step))::int
        as buckets, w.last + w.step as ends_at
    from (
      select greatest(${countedSince}, date_trunc(${bucket}, coalesce(${since}, coalesce(${until}, now()) - interval '24 hours'), 'UTC')) as starts_at,
        date_trunc(${bucket}, least(coalesce(${until}, now()), now()), 'UTC') as last,
        case ${bucket} when 'day' then interval '24 hours' else interval '1 hour' end as step
    ) w
  )`;

/**
 * SQL that gathers hours into the buckets of a window `w`: first those that are the same, which may be thousands.
 *
 * @param hours a statement that yields `starts_at` and `count`
 */
const gathered = (hours: string) => `(
    select json_object_agg(b.at, b.count) as counts from (
      select floor(extract(epoch from s.starts_at - w.starts_at) / extract(epoch from w.step))::int as at, sum(s.count) as count
      from (select h.starts_at, sum(h.count) as count from (${hours}) h group by h.starts_at) s group by 1
    ) b
  )`;

/** SQL of the hours of one row, in a window `w`. @param row alias of whatever names it */
const hoursOf = (row: string, { org, project }: { readonly org: string; readonly project: string }) =>
  `select c.starts_at, c.count from error_counts c
    where c.org_id = ${org} and c.project_id = ${project} and c.fingerprint_id = ${row}.fingerprint_id
      and c.function = ${row}.function and c.starts_at >= w.starts_at and c.starts_at < w.ends_at`;

const rowsStatement: Statement = {
  name: 'errors.counts',
  text: `select w.starts_at as "startsAt", w.buckets, found.counts
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::text[])
        with ordinality as g(org_id, project_id, fingerprint_id, function, since, until, bucket, ord),
      lateral ${windowOf('g.since', 'g.until', 'g.bucket')} w,
      lateral ${gathered(hoursOf('g', { org: 'g.org_id', project: 'g.project_id' }))} found
    order by g.ord`,
};

// Row by row, each by its key (`offset 0`): there are 5,000 at most, whereas an index over the hours alone, which retention
// has, would lead to everybody's. $9 the bucket.
const totalStatement: Statement = {
  name: 'errors.total-counts',
  text: `with ${askedRows}, w as materialized (
      select w.* from asked, lateral ${windowOf('asked.since', 'asked.until', '$9::text')} w
    )
    select w.starts_at as "startsAt", w.buckets, found.counts
    from w, lateral ${gathered(`select c.* from rows r, lateral (
        ${hoursOf('r', { org: '$1', project: '$2' })} offset 0
      ) c where r.shown and ($8::text is null or r.new)`)} found`,
};
