import type { ReactNode } from 'react';
import { count } from '../../design/amounts.ts';
import { Chart } from '../../design/chart.tsx';
import { Panel } from '../../design/section.tsx';
import { type Metrics, milliseconds } from './function-types.ts';

type Point = Metrics['points'][number];

/** Calls, errors and latency over time. */
export function FunctionCharts({ metrics: { points } }: { readonly metrics: Metrics }) {
  const times = points.map(({ at }) => Date.parse(at) / 1_000);
  const of = (read: (point: Point) => number | null) => points.map(read);
  const sum = (read: (point: Point) => number) => points.reduce((total, point) => total + read(point), 0);
  const slowest = Math.max(...points.map(({ p95Ms }) => p95Ms ?? 0));
  return (
    <div className="function-charts">
      <Measured title="Calls" value={count(sum(({ calls }) => calls))}>
        <Chart
          title="Calls"
          kind="bars"
          times={times}
          series={[{ name: 'Calls', values: of(({ calls }) => calls) }]}
          emptyTitle="No calls in this time"
        />
      </Measured>
      <Measured title="Errors" value={count(sum(({ errors }) => errors))}>
        <Chart
          title="Errors"
          kind="bars"
          times={times}
          series={[{ name: 'Errors', values: of(({ errors }) => errors) }]}
          emptyTitle="No errors in this time"
        />
      </Measured>
      <Measured title="Latency" value={slowest === 0 ? undefined : `p95 up to ${milliseconds(slowest)}`}>
        <Chart
          title="Latency"
          times={times}
          series={[
            { name: 'p50', values: of(({ p50Ms }) => p50Ms) },
            { name: 'p95', values: of(({ p95Ms }) => p95Ms) },
          ]}
          format={milliseconds}
          steps="any"
          emptyTitle="No calls in this time"
        />
      </Measured>
    </div>
  );
}

interface MeasuredProps {
  readonly title: string;
  /** The number of the whole time. */
  readonly value: string | undefined;
  readonly children: ReactNode;
}

const Measured = ({ title, value, children }: MeasuredProps) => (
  <Panel title={title} actions={value !== undefined && <strong className="function-measured">{value}</strong>}>
    {children}
  </Panel>
);
