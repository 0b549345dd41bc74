import { dropNulls } from '../core/drop-nulls.ts';
import { cancelFunctionRun, redriveFunctionRun } from '../resolvers/functions/runs/change-run.ts';
import { createFunctionRun } from '../resolvers/functions/runs/create-run.ts';
import {
  getFunctionRun,
  getFunctionRunLogs,
  listFunctionRuns,
  openFunctionRun,
} from '../resolvers/functions/runs/read-runs.ts';
import { type RunChange, runToWire } from '../resolvers/functions/runs/run-row.ts';
import { runFunctionTrigger } from '../resolvers/functions/runs/run-trigger.ts';
import { type FunctionRunChanged, followFunctionRun } from '../subscriptions/function-runs.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, windowInputs } from './connection.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { FunctionLogLineRef } from './functions.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const RunStatusEnum = builder.enumType('FunctionRunStatus', {
  description: 'How a run of a function stands.',
  values: {
    SCHEDULED: { value: 'scheduled', description: 'Waits for its time.' },
    QUEUED: { value: 'queued', description: 'Waits for its turn.' },
    RUNNING: { value: 'running', description: 'An attempt is under way.' },
    RETRYING: { value: 'retrying', description: 'An attempt failed; another one follows.' },
    BLOCKED: { value: 'blocked', description: 'Waits until the project is served again, or has the function again.' },
    SUCCEEDED: { value: 'succeeded', description: 'The function answered with 2xx.' },
    FAILED: { value: 'failed', description: 'It is not tried any more.' },
    CANCELLED: { value: 'cancelled', description: 'It was cancelled.' },
    EXPIRED: { value: 'expired', description: 'Its time was over before it succeeded.' },
  } as const,
});

type RunErrorWire = NonNullable<RunChange['last_error']>;

const RunErrorRef = builder.objectRef<RunErrorWire>('FunctionRunError').implement({
  description: 'Why an attempt of a run failed.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'For example `FUNCTION_RUN_HTTP_500`.' }),
    message: t.exposeString('message', { description: 'What the function said, or why it could not be run.' }),
    retryable: t.exposeBoolean('retryable', { description: 'Whether another attempt may succeed.' }),
  }),
});

const RunAttemptsRef = builder.objectRef<RunChange['attempts']>('FunctionRunAttempts').implement({
  description: 'How often a run was tried.',
  fields: (t) => ({
    current: t.exposeInt('current', { description: 'Attempts since it was made, or driven again.' }),
    max: t.exposeInt('max', { description: 'Attempts that it has.' }),
    total: t.exposeInt('total', { description: 'Attempts of all its generations.' }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next.',
      resolve: ({ next_attempt_at: at }) => (at === undefined ? null : new Date(at)),
    }),
  }),
});

const RunAttemptRef = builder.objectRef<NonNullable<RunChange['last_attempt']>>('FunctionRunAttempt').implement({
  description: 'An attempt of a run.',
  fields: (t) => ({
    attemptId: t.exposeString('attempt_id', { description: 'Native id, `fnatt_…`.' }),
    number: t.exposeInt('number', { description: 'From 1.' }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it began.',
      resolve: ({ started_at: at }) => (at === undefined ? null : new Date(at)),
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended.',
      resolve: ({ completed_at: at }) => (at === undefined ? null : new Date(at)),
    }),
    durationMs: t.int({
      nullable: true,
      description: 'How long it took.',
      resolve: ({ duration_ms: ms }) => ms ?? null,
    }),
    responseStatus: t.int({
      nullable: true,
      description: 'What the function answered.',
      resolve: ({ response_status: status }) => status ?? null,
    }),
    error: t.field({
      type: RunErrorRef,
      nullable: true,
      description: 'Why it failed.',
      resolve: ({ error }) => error ?? null,
    }),
  }),
});

const FunctionRunRef = builder.objectRef<RunChange>('FunctionRun').implement({
  description: 'A run of a function in the background, which is tried until it succeeds.',
  fields: (t) => ({
    runId: t.exposeString('run_id', { description: 'Native id, `fnrun_…`.' }),
    functionName: t.exposeString('function_name', { description: 'The function.' }),
    eventType: t.exposeString('event_type', { description: 'What happened, in the words of whoever made it.' }),
    status: t.expose('status', { type: RunStatusEnum, description: 'How it stands.' }),
    terminal: t.exposeBoolean('terminal', { description: 'Whether it has ended.' }),
    generation: t.exposeInt('generation', { description: 'From 1; rises when it is driven again.' }),
    runAt: t.field({
      type: 'DateTime',
      description: 'When it is run, or was to be.',
      resolve: ({ run_at: at }) => new Date(at),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'From then on it is not begun any more.',
      resolve: ({ expires_at: at }) => (at === undefined ? null : new Date(at)),
    }),
    source: t.expose('source', {
      type: 'JSONObject',
      description: 'What made it: `api`, or a `schedule` or an `email` with its trigger.',
    }),
    attempts: t.expose('attempts', { type: RunAttemptsRef, description: 'How often it was tried.' }),
    lastAttempt: t.field({
      type: RunAttemptRef,
      nullable: true,
      description: 'Its latest attempt.',
      resolve: ({ last_attempt: attempt }) => attempt ?? null,
    }),
    lastError: t.field({
      type: RunErrorRef,
      nullable: true,
      description: 'Why an attempt failed, or it ended; the latest reason.',
      resolve: ({ last_error: error }) => error ?? null,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: ({ created_at: at }) => new Date(at),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it changed last.',
      resolve: ({ updated_at: at }) => new Date(at),
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended.',
      resolve: ({ completed_at: at }) => (at === undefined ? null : new Date(at)),
    }),
    deduplicated: t.boolean({
      description: 'Whether its key was used before, so that this is the run of then.',
      resolve: ({ deduplicated }) => deduplicated === true,
    }),
    nextActions: t.field({
      type: 'JSON',
      description: 'What may be done with it now.',
      resolve: ({ next_actions: actions }) => actions,
    }),
  }),
});

const runLogs = inputsOf(getFunctionRunLogs, { omit: ['run'] });

builder.objectField(FunctionRunRef, 'logs', (t) =>
  t.field({
    type: [FunctionLogLineRef],
    nullable: true,
    ...fieldOf(getFunctionRunLogs),
    args: runLogs.args,
    resolve: ({ run_id: id }, args, ctx) => run(getFunctionRunLogs, ctx, { run: id, ...runLogs.read(args) }),
  }),
);

const FunctionRunConnection = builder.connectionObject({ type: FunctionRunRef, name: 'FunctionRunConnection' });

const listed = inputsOf(listFunctionRuns, { omit: ['project', ...windowInputs], types: { status: RunStatusEnum } });

builder.objectField(ProjectRef, 'functionRuns', (t) =>
  t.field({
    type: FunctionRunConnection,
    nullable: true,
    ...fieldOf(listFunctionRuns),
    args: { ...pageArgs, ...listed.args },
    resolve: async ({ id }, args, ctx) => {
      const page = await run(listFunctionRuns, ctx, { project: id, ...listed.read(args), ...listWindowOf(args) });
      const rows = page.rows.map(({ row, cursor }) => ({ row: runToWire(row), cursor }));
      return listConnection({ ...page, rows }, args);
    },
  }),
);

const RunRetryPresetEnum = builder.enumType('FunctionRunRetryPreset', {
  description: 'How often a run is tried, and with which pauses, where nothing else is said.',
  values: {
    STANDARD: { value: 'standard', description: 'Five attempts, with pauses that double from 30 seconds.' },
  } as const,
});
const retryInputType = {
  name: 'FunctionRunRetryInput',
  description: 'How often a run is tried, and with which pauses.',
  types: { preset: RunRetryPresetEnum },
};

readField('functionRun', getFunctionRun, { type: FunctionRunRef, ids: { run: null }, result: (row) => runToWire(row) });

changeField('createFunctionRun', createFunctionRun, {
  type: FunctionRunRef,
  input: 'A run to make.',
  argument: 'The run.',
  types: { retry: retryInputType },
  result: ({ run: made, deduplicated }) => runToWire(made, deduplicated ? { deduplicated } : {}),
});
changeField('cancelFunctionRun', cancelFunctionRun, {
  type: FunctionRunRef,
  input: 'A run to cancel.',
  argument: 'The run.',
  ids: { run: null },
  result: (changed) => runToWire(changed.run),
});
changeField('redriveFunctionRun', redriveFunctionRun, {
  type: FunctionRunRef,
  input: 'A run to have begin again.',
  argument: 'The run.',
  ids: { run: null },
  types: { retry: retryInputType },
  result: (changed) => runToWire(changed.run),
});

changeField('runFunctionTrigger', runFunctionTrigger, {
  type: FunctionRunRef,
  input: 'A trigger to fire now.',
  argument: 'The trigger.',
  result: (fired) => runToWire(fired.run),
});

const FunctionRunEventRef = builder.objectRef<FunctionRunChanged>('FunctionRunEvent').implement({
  description: 'A run as it stood after a change.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    run: t.expose('run', { type: FunctionRunRef, description: 'The run.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

const opened = inputsOf(openFunctionRun, { omit: ['cursor'], ids: { run: null } });

builder.subscriptionField('functionRun', (t) =>
  t.field({
    type: FunctionRunEventRef,
    description: 'How a run stands, and then what becomes of it; or what became of it since a cursor.',
    ...followed,
    args: { ...opened.args, ...followArgs },
    subscribe: (_root, { after, first, ...wanted }, ctx) =>
      followFunctionRun(ctx, { ...opened.read(wanted), ...dropNulls({ after, first }) }),
    resolve: (event) => event,
  }),
);
