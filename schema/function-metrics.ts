import {
  type FunctionFigures,
  type FunctionMetrics,
  functionPointsMax,
  getFunctionMetrics,
} from '../resolvers/functions/get-function-metrics.ts';
import { builder } from './builder.ts';
import { lengthOfList } from './engine/cost.ts';
import { fieldOf, inputsOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const FunctionMetricsRangeEnum = builder.enumType('FunctionMetricsRange', {
  description: 'How far back metrics of functions go.',
  values: {
    HOUR: { value: 'hour', description: 'An hour, by the minute.' },
    DAY: { value: 'day', description: 'A day, by the hour.' },
    WEEK: { value: 'week', description: 'A week, by the hour.' },
    MONTH: { value: 'month', description: 'Thirty days, by six hours.' },
  } as const,
});

const figures = {
  calls: 'Calls that began.',
  errors: 'Those that failed, or were answered with 500 and above.',
  p50Ms: 'Time within which half of them ended, in milliseconds; null where none did.',
  p95Ms: 'The same of 95 of 100.',
} as const;

const FunctionMetricsPointRef = builder
  .objectRef<FunctionFigures & { readonly at: Date }>('FunctionMetricsPoint')
  .implement({
    description: 'How functions did in one step of time.',
    fields: (t) => ({
      at: t.expose('at', { type: 'DateTime', description: 'When the step began.' }),
      calls: t.exposeFloat('calls', { description: figures.calls }),
      errors: t.exposeFloat('errors', { description: figures.errors }),
      p50Ms: t.exposeFloat('p50Ms', { nullable: true, description: figures.p50Ms }),
      p95Ms: t.exposeFloat('p95Ms', { nullable: true, description: figures.p95Ms }),
    }),
  });

const FunctionTotalsRef = builder.objectRef<FunctionFigures & { readonly name: string }>('FunctionTotals').implement({
  description: 'How one function did over the whole time.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The function.' }),
    calls: t.exposeFloat('calls', { description: figures.calls }),
    errors: t.exposeFloat('errors', { description: figures.errors }),
    p50Ms: t.exposeFloat('p50Ms', { nullable: true, description: figures.p50Ms }),
    p95Ms: t.exposeFloat('p95Ms', { nullable: true, description: figures.p95Ms }),
  }),
});

const FunctionMetricsRef = builder.objectRef<FunctionMetrics>('FunctionMetrics').implement({
  description: 'How functions of a project did over time.',
  fields: (t) => ({
    stepSeconds: t.exposeInt('stepSeconds', { description: 'Seconds that each point stands for.' }),
    points: t.expose('points', {
      type: [FunctionMetricsPointRef],
      extensions: lengthOfList(functionPointsMax),
      description: 'Steps of time that follow each other, oldest first; the last one is under way.',
    }),
    functions: t.expose('functions', {
      type: [FunctionTotalsRef],
      description: 'Each function that was called, by its name.',
    }),
  }),
});

const shown = inputsOf(getFunctionMetrics, { omit: ['project'], types: { range: FunctionMetricsRangeEnum } });

builder.objectField(ProjectRef, 'functionMetrics', (t) =>
  t.field({
    type: FunctionMetricsRef,
    nullable: true,
    ...fieldOf(getFunctionMetrics),
    args: shown.args,
    resolve: ({ id }, args, ctx) => run(getFunctionMetrics, ctx, { project: id, ...shown.read(args) }),
  }),
);
