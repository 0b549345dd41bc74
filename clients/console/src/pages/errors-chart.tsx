import { BarChart } from '../parts/bar-chart.tsx';
import type { ErrorsQuery } from './errors.graphql.ts';

type Counts = NonNullable<NonNullable<ErrorsQuery['project']>['errors']>['counts'];

const stepMs = { HOUR: 3_600_000, DAY: 86_400_000 } as const;

// Days are in UTC, as the gateway counts them. Hours coincide in nearly all time zones.
const spellings = {
  HOUR: new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
  DAY: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
} as const;

const titles = { HOUR: 'Failures by the hour', DAY: 'Failures by the day, in UTC' } as const;

/** How often a failure occurred over time. */
export function ErrorsChart({ counts: { bucket, startsAt, values } }: { readonly counts: Counts }) {
  const first = Date.parse(startsAt);
  return (
    <BarChart
      title={titles[bucket]}
      series={[{ name: 'failures', fill: 'fill-bad' }]}
      bars={values.map((value, at) => {
        const from = first + at * stepMs[bucket];
        return { from, label: spellings[bucket].format(from), values: [value] };
      })}
    />
  );
}

/** Time spans that the user can choose, in hours, with the bucket size of each. */
export const spans = [
  { hours: 6, bucket: 'HOUR', name: 'Last 6 hours' },
  { hours: 24, bucket: 'HOUR', name: 'Last 24 hours' },
  { hours: 168, bucket: 'DAY', name: 'Last 7 days' },
  { hours: 720, bucket: 'DAY', name: 'Last 30 days' },
] as const;

/** The bucket size of a time span. */
export const bucketOf = (hours: number): Counts['bucket'] => spans.find((span) => span.hours === hours)!.bucket;

/** The start of a time span of this many hours, rounded to the hour. It therefore changes once an hour. */
export const sinceHours = (hours: number): string =>
  new Date((Math.floor(Date.now() / stepMs.HOUR) - hours) * stepMs.HOUR).toISOString();

/** Interval of queries for data without a feed, in milliseconds. */
export const askEveryMs = 60_000;
