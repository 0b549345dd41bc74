import { invalidField } from '../core/errors.ts';
import type { ErrorFingerprint, OccurrenceSample } from '../db/schema/errors.ts';
import type { Context } from '../kernel/run/context.ts';
import { getError } from '../resolvers/errors/get-error.ts';
import { type ErrorPage, listErrors } from '../resolvers/errors/list-errors.ts';
import { loadAlsoSeenIn } from '../resolvers/errors/load-errors.ts';
import {
  type Counted,
  countsKeptDays,
  type ErrorCounts,
  loadCounts,
  loadTotal,
} from '../resolvers/errors/occurrence-counts.ts';
import type { Verdict } from '../resolvers/errors/verdict.ts';
import { logActions, samplesOf } from '../resolvers/errors/wire.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, type PageArgs } from './connection.ts';
import { loaderOf } from './loader.ts';
import { fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

export const OccurrenceKindEnum = builder.enumType('ErrorOccurrenceKind', {
  description: 'Where a failure came to light.',
  values: {
    UNCAUGHT: { value: 'uncaught', description: 'A handler threw, or rejected.' },
    BOOT_CRASH: { value: 'boot_crash', description: 'A module failed to load.' },
    INVOKE_FAILED: { value: 'invoke_failed', description: 'The runtime could not run it: time, memory, a crash.' },
    HANDLED_5XX: { value: 'handled_5xx', description: 'The function answered so by itself.' },
  } as const,
});

const QualityEnum = builder.enumType('ErrorFingerprintQuality', {
  description: 'What the identity of a failure was made from.',
  values: {
    FRAME_NAMES: { value: 'frame_names', description: 'Names of functions on its stack, and its message.' },
    MESSAGE_ONLY: { value: 'message_only', description: 'Its message alone.' },
    COARSE: { value: 'coarse', description: 'Nothing but where it came to light.' },
  } as const,
});

const SampleRef = builder.objectRef<OccurrenceSample>('ErrorSample').implement({
  description: 'One occurrence, by which a failure is looked up in the logs.',
  fields: (t) => ({
    sampleId: t.exposeString('id', { description: 'Request, run or attempt: `req_…`, `fnrun_…` or `fnatt_…`.' }),
    at: t.field({ type: 'DateTime', description: 'When it happened.', resolve: ({ at }) => new Date(at) }),
    releaseId: t.exposeString('release_id', { nullable: true, description: 'Release that served it.' }),
  }),
});

const alsoSeenIn = loaderOf(
  (ctx: Context, rows: readonly ErrorFingerprint[]) => loadAlsoSeenIn(ctx, rows),
  ({ projectId, fingerprintId, function: name }) => `${projectId} ${fingerprintId} ${name}`,
);

const CountBucketEnum = builder.enumType('ErrorCountBucket', {
  description: 'What occurrences are counted by.',
  values: {
    HOUR: { value: 'hour', description: 'Hours of UTC.' },
    DAY: { value: 'day', description: 'Days of UTC.' },
  } as const,
});

const CountsRef = builder.objectRef<ErrorCounts>('ErrorCounts').implement({
  description: `How often something came up, for a chart. Counts are kept for ${countsKeptDays} days.`,
  fields: (t) => ({
    bucket: t.expose('bucket', { type: CountBucketEnum, description: 'How long each bucket is.' }),
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'When the first bucket begins.' }),
    values: t.floatList({
      description:
        'Occurrences in each bucket, oldest first, without a gap; the last is the one of `until`, or of now.',
      resolve: ({ values }) => [...values],
    }),
  }),
});

const countsOf = loaderOf(
  (ctx: Context, asked: readonly Counted[]) => loadCounts(ctx, asked),
  ({ row, since, until, bucket }) =>
    [row.projectId, row.fingerprintId, row.function, since?.getTime(), until?.getTime(), bucket].join(' '),
);

export const ErrorFingerprintRef = builder.objectRef<ErrorFingerprint>('ErrorFingerprint').implement({
  description: 'Failures of one function that have one cause, counted together.',
  fields: (t) => ({
    fingerprintId: t.exposeString('fingerprintId', { description: 'The identity, `fp_…`; the same in every release.' }),
    function: t.exposeString('function', { description: 'Name of the function.' }),
    kind: t.expose('kind', { type: OccurrenceKindEnum, description: 'Where it came to light.' }),
    quality: t.expose('quality', { type: QualityEnum, description: 'What the identity was made from.' }),
    errorName: t.exposeString('errorName', {
      description: 'Name of the error where the language or its runtime gave it, else `CustomError`.',
    }),
    messageTemplate: t.exposeString('messageTemplate', {
      description: 'What it says, without what differs between occurrences.',
    }),
    stableFrames: t.stringList({
      description: 'Names of the innermost functions, at most three.',
      resolve: ({ stableFrames }) => [...stableFrames],
    }),
    count: t.float({ description: 'Occurrences so far.', resolve: ({ count }) => Number(count) }),
    counts: t.field({
      type: CountsRef,
      description: 'Occurrences over time. What a window touches is counted as a whole hour, or day.',
      args: {
        since: t.arg({ type: 'DateTime', required: false, description: '24 hours before `until` when absent.' }),
        until: t.arg({ type: 'DateTime', required: false, description: 'Now when absent.' }),
        bucket: t.arg({ type: CountBucketEnum, defaultValue: 'hour', description: 'What to count by.' }),
      },
      resolve: (row, { since, until, bucket }, ctx) => {
        if (since && until && since > until) throw invalidField('since', 'must not be later than `until`');
        return countsOf(ctx).load({ row, bucket, since: since ?? undefined, until: until ?? undefined });
      },
    }),
    firstSeen: t.expose('firstSeen', { type: 'DateTime', description: 'When it happened first.' }),
    lastSeen: t.expose('lastSeen', { type: 'DateTime', description: 'When it happened last.' }),
    firstSeenReleaseId: t.exposeString('firstSeenReleaseId', {
      nullable: true,
      description: 'Release that it happened first in.',
    }),
    lastSeenReleaseId: t.exposeString('lastSeenReleaseId', {
      nullable: true,
      description: 'Release that it happened last in.',
    }),
    firstSample: t.expose('firstSample', { type: SampleRef, description: 'The occurrence that was reported first.' }),
    recentSamples: t.field({
      type: [SampleRef],
      description: 'The newest occurrences, newest first, at most ten.',
      resolve: ({ recentSamples }) => [...recentSamples],
    }),
    nextActions: t.field({
      type: ['JSONObject'],
      description: 'Where the logs of its samples are, those of the newest first.',
      resolve: (row) => logActions(row, samplesOf(row)),
    }),
    alsoSeenInFunctions: t.stringList({
      description: 'Other functions with the same identity, the one that failed last first.',
      resolve: async (row, _args, ctx) => [...(await alsoSeenIn(ctx).load(row))],
    }),
  }),
});

const VerdictRef = builder.objectRef<Verdict>('ErrorVerdict').implement({
  description: 'What decides whether a release is kept or taken back. Counts are over all rows, not over one page.',
  fields: (t) => ({
    since: t.expose('since', { type: 'DateTime', description: 'Where the window begins.' }),
    until: t.expose('until', { type: 'DateTime', description: 'Where it ends.' }),
    comparedReleaseId: t.exposeString('comparedReleaseId', {
      nullable: true,
      description: 'The release that was asked about, also where it was asked for as the active one.',
    }),
    baselineReleaseId: t.exposeString('baselineReleaseId', {
      nullable: true,
      description: 'The release that was active before it.',
    }),
    newFingerprints: t.exposeInt('newFingerprints', {
      description: 'Identities first seen under that release, or else inside the window.',
    }),
    recurringFingerprints: t.exposeInt('recurringFingerprints', {
      description: 'Identities seen in the window that are not new.',
    }),
    invocationsInWindow: t.exposeFloat('invocationsInWindow', {
      description: 'How often functions ran in the window: without traffic, no failures say nothing.',
    }),
    fullFidelityFunctions: t.exposeInt('fullFidelityFunctions', {
      description: 'Active functions whose errors are told in full.',
    }),
    coarseFunctions: t.exposeInt('coarseFunctions', {
      description: 'Active functions whose errors are merely counted.',
    }),
    rowCap: t.int({ description: 'Rows that are kept of a project.', resolve: ({ rowCap }) => rowCap.limit }),
    atCap: t.boolean({
      description: 'Whether so many are kept, so that those seen longest ago make room.',
      resolve: ({ rowCap }) => rowCap.atCap,
    }),
  }),
});

/** A page that remembers its verdict, and what was asked. */
const toConnection = (page: ErrorPage, args: PageArgs) => ({
  ...listConnection(page, args),
  verdict: page.verdict,
  asked: page.asked,
});

const ErrorFingerprintEdge = builder.edgeObject({ type: ErrorFingerprintRef, name: 'ErrorFingerprintConnectionEdge' });

const ErrorFingerprintConnection = builder
  .objectRef<ReturnType<typeof toConnection>>('ErrorFingerprintConnection')
  .implement({
    description: 'A page of failures, with the verdict over all of them.',
    fields: (t) => ({
      edges: t.expose('edges', { type: [ErrorFingerprintEdge], description: 'The rows of the page.' }),
      pageInfo: t.expose('pageInfo', {
        type: builder.pageInfoRef(),
        description: 'Where the page ends, and whether there is more.',
      }),
      verdict: t.expose('verdict', {
        type: VerdictRef,
        description: 'The verdict over all rows that the filters let through.',
      }),
      counts: t.field({
        type: CountsRef,
        description: 'Occurrences over time of all rows that the filters let through, in the window of the verdict.',
        args: { bucket: t.arg({ type: CountBucketEnum, defaultValue: 'hour', description: 'What to count by.' }) },
        resolve: ({ asked }, { bucket }, ctx) => loadTotal(ctx, asked, bucket),
      }),
    }),
  });

const wanted = inputsOf(listErrors, {
  omit: ['project', 'counts', 'limit', 'after', 'before', 'from_end'],
  types: { kind: OccurrenceKindEnum },
});

builder.objectField(ProjectRef, 'errors', (t) =>
  t.field({
    type: ErrorFingerprintConnection,
    nullable: true,
    ...fieldOf(listErrors),
    args: { ...pageArgs, ...wanted.args },
    resolve: async ({ id }, args, ctx) => {
      const asked = { project: id, ...wanted.read(args), ...listWindowOf(args) };
      return toConnection(await run(listErrors, ctx, asked, wanted.names), args);
    },
  }),
);

readField('errorFingerprint', getError, { type: ErrorFingerprintRef, rename: { fingerprint: 'fingerprintId' } });
