import type { FunctionQuery, FunctionRunQuery, FunctionsQuery } from './functions.graphql.ts';

export type FunctionProject = NonNullable<FunctionQuery['project']>;
export type ShownFunction = NonNullable<FunctionProject['functions']>[number];
export type ShownSchedule = ShownFunction['schedules'][number];
export type Metrics = NonNullable<NonNullable<FunctionsQuery['project']>['functionMetrics']>;
export type ShownRun = NonNullable<FunctionRunQuery['functionRun']>;
export type LogLine = NonNullable<ShownRun['logs']>[number];

/** Spans of time of the charts. */
export const ranges = [
  { id: 'hour', value: 'HOUR', name: 'Last hour' },
  { id: 'day', value: 'DAY', name: 'Last day' },
  { id: 'week', value: 'WEEK', name: 'Last 7 days' },
  { id: 'month', value: 'MONTH', name: 'Last 30 days' },
] as const;

/** The span that an address names; a day for another word. */
export const rangeOf = (id: string): (typeof ranges)[number] => ranges.find((one) => one.id === id) ?? ranges[1];

/** How often the charts are renewed while the page is visible, in milliseconds. */
export const chartsEveryMs = 15_000;

/** A duration in words. @param ms null where nothing was measured */
export const milliseconds = (ms: number | null): string =>
  ms === null
    ? ''
    : ms >= 1_000
      ? `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
      : `${ms.toLocaleString('en', { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`;
