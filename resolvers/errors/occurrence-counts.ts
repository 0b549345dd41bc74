import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { ErrorFingerprint } from '../../db/schema/errors.ts';
import type { Context } from '../context.ts';
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

/** SQL that gathers the hours `c` of a window `w` into its buckets. @param from where they are from, and which they are */
const gathered = (from: string) => `(
    select json_object_agg(b.at, b.count) as counts from (
      select floor(extract(epoch from c.starts_at - w.starts_at) / extract(epoch from w.step))::int as at, sum(c.count) as count
      from ${from} and c.starts_at >= w.starts_at and c.starts_at < w.ends_at group by 1
    ) b
  )`;

const rowsStatement: Statement = {
  name: 'errors.counts',
  text: `select w.starts_at as "startsAt", w.buckets, found.counts
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::text[])
        with ordinality as g(org_id, project_id, fingerprint_id, function, since, until, bucket, ord),
      lateral ${windowOf('g.since', 'g.until', 'g.bucket')} w,
      lateral ${gathered(`error_counts c where c.org_id = g.org_id and c.project_id = g.project_id
        and c.fingerprint_id = g.fingerprint_id and c.function = g.function`)} found
    order by g.ord`,
};

// $9 the bucket.
const totalStatement: Statement = {
  name: 'errors.total-counts',
  text: `with ${askedRows}
    select w.starts_at as "startsAt", w.buckets, found.counts
    from asked, lateral ${windowOf('asked.since', 'asked.until', '$9::text')} w,
      lateral ${gathered(`rows r join error_counts c on c.org_id = $1 and c.project_id = $2
        and c.fingerprint_id = r.fingerprint_id and c.function = r.function
        where r.shown and ($8::text is null or r.new)`)} found`,
};
