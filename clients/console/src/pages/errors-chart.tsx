import { useAsk } from '../graph/use-live-query.ts';
import { BarChart } from '../parts/bar-chart.tsx';
import { Card } from '../parts/card.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { ErrorBucketsDocument, type ErrorBucketsQuery, type ErrorBucketsQueryVariables } from './errors.graphql.ts';

const hourMs = 3_600_000;
/** As many as the document asks for. */
const buckets = 12;

type Found = NonNullable<ErrorBucketsQuery['project']>;
type Bucket = NonNullable<Found['b0']>;

interface ErrorsChartProps {
  readonly project: string;
  readonly hours: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** What came to light when, and how much was run: a window in twelve parts, each asked for its own verdict. */
export function ErrorsChart({ project, hours, until }: ErrorsChartProps) {
  const edges = Array.from({ length: buckets + 1 }, (_, at) => until - (hours * hourMs * (buckets - at)) / buckets);
  const moments = Object.fromEntries(edges.map((edge, at) => [`s${at}`, new Date(edge).toISOString()]));
  const answer = useAsk(ErrorBucketsDocument, { project, ...moments } as unknown as ErrorBucketsQueryVariables);
  const spell = new Intl.DateTimeFormat(
    undefined,
    hours > 24 ? { weekday: 'short', hour: 'numeric' } : { timeStyle: 'short' },
  );
  const labels = edges.map((edge) => spell.format(edge));
  return (
    <Card title="Over time">
      <Loaded answer={answer}>
        {({ project: found }) => {
          const parts = edges
            .slice(0, -1)
            .map((_, at) => (found as unknown as Record<string, Bucket | null> | null)?.[`b${at}`]?.verdict);
          return (
            <div className="columns">
              <BarChart
                title="Failures around, by when they were first seen"
                series={[
                  { name: 'new then', fill: 'fill-bad' },
                  { name: 'known before', fill: 'fill-line' },
                ]}
                bars={parts.map((part, at) => ({
                  label: labels[at]!,
                  values: [part?.newFingerprints ?? 0, part?.recurringFingerprints ?? 0],
                }))}
              />
              <BarChart
                title="Runs of functions"
                series={[{ name: 'runs', fill: 'fill-accent' }]}
                bars={parts.map((part, at) => ({
                  label: labels[at]!,
                  values: [part?.invocationsInWindow ?? 0],
                }))}
              />
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}
