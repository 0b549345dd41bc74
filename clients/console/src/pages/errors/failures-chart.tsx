import './failures-chart.css';
import { useMemo } from 'react';
import { Chart, type Mark } from '../../design/chart.tsx';
import { When } from '../../design/when.tsx';
import type { ErrorsQuery } from './errors.graphql.ts';

type Counts = NonNullable<NonNullable<ErrorsQuery['project']>['errors']>['counts'];

const stepSeconds = { HOUR: 3_600, DAY: 86_400 } as const;
const titles = { HOUR: 'Errors by the hour', DAY: 'Errors by the day, in UTC' } as const;

/** The first failure under a release. */
export interface ReleaseSeen {
  readonly release: string;
  readonly at: string;
}

interface FailuresChartProps {
  readonly counts: Counts;
  readonly releases: readonly ReleaseSeen[];
}

/** How often failures occurred over time, with the first failure under each release marked. */
export function FailuresChart({ counts: { bucket, startsAt, values }, releases }: FailuresChartProps) {
  const first = Date.parse(startsAt) / 1_000;
  const step = stepSeconds[bucket];
  const times = useMemo(() => values.map((_value, at) => first + at * step), [values, first, step]);
  const series = useMemo(() => [{ name: 'Errors', values }], [values]);
  // A bar stands for its whole hour or day, so the mark is at the bar.
  const inSight = releases.filter(({ at }) => Date.parse(at) / 1_000 >= first);
  const marks = inSight.map(
    ({ release, at }): Mark => ({
      at: first + Math.floor((Date.parse(at) / 1_000 - first) / step) * step,
      name: release,
    }),
  );
  return (
    <>
      <Chart
        title={titles[bucket]}
        kind="bars"
        emptyTitle="No errors in this time"
        times={times}
        series={series}
        marks={marks}
      />
      {inSight.length > 0 && (
        <ul className="releases" aria-label="Releases">
          {inSight.map(({ release, at }) => (
            <li key={release} className="small">
              <code>{release}</code> <span className="quiet">first failed</span> <When at={at} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The first failure under each release, among these failures. At most `most` releases, the newest ones. */
export function releasesOf(
  failures: readonly { readonly firstSeen: string; readonly firstSeenReleaseId: string | null }[],
  most = 6,
): readonly ReleaseSeen[] {
  const first = new Map<string, string>();
  for (const { firstSeen, firstSeenReleaseId: release } of failures) {
    if (release === null) continue;
    const known = first.get(release);
    if (known === undefined || Date.parse(firstSeen) < Date.parse(known)) first.set(release, firstSeen);
  }
  const seen = [...first].map(([release, at]): ReleaseSeen => ({ release, at }));
  return seen.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)).slice(-most);
}
