import type { ReactNode } from 'react';
import { bytes, count } from '../../design/amounts.ts';
import { Chart } from '../../design/chart.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Panel, Section } from '../../design/section.tsx';
import { Skeleton } from '../../design/status.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { Choice } from './choice.tsx';
import { ProjectMetricsDocument, type ProjectMetricsQuery } from './project.graphql.ts';

type Points = NonNullable<ProjectMetricsQuery['project']>['metrics']['points'];

const ranges = [
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
] as const;
type Range = (typeof ranges)[number][0];

const enums = { hour: 'HOUR', day: 'DAY', week: 'WEEK', month: 'MONTH' } as const;
const spoken = {
  hour: 'the last hour',
  day: 'the last day',
  week: 'the last week',
  month: 'the last 30 days',
} as const;

/** How often the charts are renewed while the page is visible, in milliseconds. */
const everyMs = 10_000;

const milliseconds = (value: number): string =>
  value >= 1_000
    ? `${(value / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
    : `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ms`;

/** Charts of how busy a project is. They come from what the gateway keeps, so a reload loses nothing. */
export function Traffic({ projectId }: { readonly projectId: string }) {
  const [asked, setRange] = useSearch('range', 'day');
  const range: Range = Object.hasOwn(enums, asked) ? (asked as Range) : 'day';
  const answer = useAsk(ProjectMetricsDocument, { project: projectId, range: enums[range] });
  useWhileVisible(everyMs, answer.again);
  return (
    <Section
      title="Traffic"
      about={`Requests of every kind in ${spoken[range]}. Renewed every ten seconds.`}
      actions={<Choice label="Range of the charts" options={ranges} value={range} onChange={setRange} />}
    >
      <Loaded answer={answer} loading={<Skeleton lines={8} />}>
        {({ project }) => project !== null && <Charts points={project.metrics.points} />}
      </Loaded>
    </Section>
  );
}

function Charts({ points }: { readonly points: Points }) {
  const times = points.map(({ at }) => Date.parse(at) / 1_000);
  const of = (read: (point: Points[number]) => number | null) => points.map(read);
  const sum = (read: (point: Points[number]) => number) => points.reduce((total, point) => total + read(point), 0);
  const last = points.at(-1);
  const requests = sum((point) => point.requests);
  const errors = sum((point) => point.clientErrors + point.serverErrors);
  return (
    <div className="traffic">
      <Measured title="Requests" value={count(requests)}>
        <Chart
          title="Requests"
          kind="bars"
          times={times}
          series={[{ name: 'Requests', values: of((point) => point.requests) }]}
          emptyTitle="No requests yet"
        />
      </Measured>
      <Measured title="Errors" value={count(errors)}>
        <Chart
          title="Errors"
          times={times}
          series={[
            { name: 'Refused (4xx)', values: of((point) => point.clientErrors) },
            { name: 'Failed (5xx)', values: of((point) => point.serverErrors) },
          ]}
          emptyTitle="No errors"
        />
      </Measured>
      <Measured title="Latency" value={slowest(points)}>
        <Chart
          title="Latency"
          times={times}
          series={[
            { name: 'p50', values: of((point) => point.p50Ms) },
            { name: 'p95', values: of((point) => point.p95Ms) },
          ]}
          format={milliseconds}
          steps="any"
          emptyTitle="No requests yet"
        />
      </Measured>
      <Measured title="Storage" value={last?.storageBytes == null ? undefined : bytes(last.storageBytes)}>
        <Chart
          title="Storage"
          times={times}
          series={[{ name: 'Database', values: of((point) => point.storageBytes) }]}
          format={bytes}
          steps="binary"
          emptyTitle="Not measured yet"
        />
      </Measured>
      <Measured title="Connections" value={count(last?.connections ?? 0)}>
        <Chart
          title="Connections"
          times={times}
          series={[{ name: 'Open at once', values: of((point) => point.connections) }]}
          emptyTitle="None open"
        />
      </Measured>
    </div>
  );
}

/** The highest p95 of the steps: an average would hide it. */
function slowest(points: Points): string | undefined {
  const known = points.flatMap(({ p95Ms }) => (p95Ms === null ? [] : [p95Ms]));
  return known.length === 0 ? undefined : `p95 up to ${milliseconds(Math.max(...known))}`;
}

interface MeasuredProps {
  readonly title: string;
  /** The number of the whole range, or the present one. */
  readonly value: string | undefined;
  readonly children: ReactNode;
}

const Measured = ({ title, value, children }: MeasuredProps) => (
  <Panel title={title} actions={value !== undefined && <strong className="measured">{value}</strong>}>
    {children}
  </Panel>
);
