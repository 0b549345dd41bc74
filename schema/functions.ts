import { dropNulls } from '../core/drop-nulls.ts';
import { nextMoments } from '../engines/release/next-due.ts';
import { deleteFunction } from '../resolvers/function-changes/delete-function.ts';
import {
  type Rebuilt,
  type RebuiltFunctions,
  rebuildFunctions,
} from '../resolvers/function-changes/rebuild-functions.ts';
import { updateFunction } from '../resolvers/function-changes/update-function.ts';
import { getFunctionLogs } from '../resolvers/functions/get-function-logs.ts';
import { type FunctionAnswer, invokeFunction } from '../resolvers/functions/invoke-function.ts';
import { listFunctions } from '../resolvers/functions/list-functions.ts';
import type { FunctionLine } from '../resolvers/functions/log-feed.ts';
import { openFunctionLogs } from '../resolvers/functions/open-function-logs.ts';
import type { LiveFunction, LiveRoute } from '../resolvers/functions/shared/live-functions.ts';
import type { MailTrigger } from '../resolvers/functions/shared/replace-mail-triggers.ts';
import { type ShownSchedule, scheduleMetaOf } from '../resolvers/functions/shared/schedule-meta.ts';
import { type FunctionLineArrived, followFunctionLogs } from '../subscriptions/function-logs.ts';
import { builder } from './builder.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { changeField, fieldOf, inputsOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

export const FunctionLogLineRef = builder.objectRef<FunctionLine>('FunctionLogLine').implement({
  description: 'A line that a function printed.',
  fields: (t) => ({
    seq: t.string({
      description: 'Tells lines apart; later ones have higher numbers.',
      resolve: ({ position }) => String(position),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was printed.' }),
    message: t.exposeString('message', { description: 'The line.' }),
    stream: t.exposeString('stream', { description: '`stdout` or `stderr`.' }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The call that printed it, `req_…`; null for what was printed outside of a call.',
    }),
    releaseId: t.exposeString('releaseId', { description: 'The release that printed it, `rel_…`.' }),
  }),
});

const FunctionScheduleRef = builder.objectRef<ShownSchedule>('FunctionSchedule').implement({
  description: 'When a function of a project is run by itself.',
  fields: (t) => ({
    triggerId: t.exposeString('triggerId', { description: 'Its trigger; `default` for the member `schedule`.' }),
    cron: t.exposeString('cron', { description: 'Minutes, hours, days, months and weekdays.' }),
    timezone: t.exposeString('timezone', { description: 'Where the clock is that it goes by.' }),
    nextRunAt: t.expose('nextAt', { type: 'DateTime', nullable: true, description: 'When it comes due next.' }),
    nextRuns: t.field({
      type: ['DateTime'],
      description: 'The next five moments at which it comes due.',
      resolve: ({ cron, timezone, nextAt }) =>
        nextAt === null ? [] : [nextAt, ...nextMoments(cron, timezone, nextAt, 4)],
    }),
    lastRunAt: t.expose('lastRunAt', { type: 'DateTime', nullable: true, description: 'When it had a run last.' }),
    lastStatus: t.exposeString('lastStatus', { nullable: true, description: 'How that run stands.' }),
    lastError: t.string({
      nullable: true,
      description: 'Why an attempt of that run failed.',
      resolve: ({ lastError }) => lastError?.message ?? null,
    }),
    runCount: t.exposeInt('runCount', { description: 'Runs that it has had.' }),
  }),
});

const FunctionMailTriggerRef = builder.objectRef<MailTrigger>('FunctionMailTrigger').implement({
  description: 'Mail that a function of a project is run by.',
  fields: (t) => ({
    triggerId: t.exposeString('id', { description: 'Its trigger.' }),
    mailbox: t.exposeString('mailbox', { description: 'The mailbox, by its id or its slug.' }),
    events: t.stringList({
      description: 'What has to happen, for example `reply_received`.',
      resolve: ({ events }) => [...events],
    }),
    eventType: t.string({
      description: 'What the function is told as the type of the event.',
      resolve: ({ run: made }) => made.eventType,
    }),
  }),
});

const FunctionRouteRef = builder.objectRef<LiveRoute>('FunctionRoute').implement({
  description: 'A public path that leads to a function.',
  fields: (t) => ({
    pattern: t.exposeString('pattern', { description: 'The path, or its beginning followed by `*`.' }),
    methods: t.stringList({
      nullable: true,
      description: 'The methods of HTTP; null: all.',
      resolve: ({ methods }) => methods && [...methods],
    }),
  }),
});

const ProjectFunctionRef = builder.objectRef<LiveFunction>('ProjectFunction').implement({
  description: 'A function of the live release of a project.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called by.' }),
    url: t.exposeString('url', { description: 'Where it is called with a key of the project.' }),
    releaseId: t.exposeString('releaseId', { description: 'The live release, `rel_…`.' }),
    runtime: t.exposeString('runtime', { description: 'What its code is written for: `node22`.' }),
    runtimeVersion: t.exposeString('runtimeVersion', { description: 'The version of what it is run by.' }),
    runtimeStale: t.boolean({
      description: 'Whether a build of now would have a newer version.',
      resolve: ({ isStale }) => isStale,
    }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'How long a call may take.' }),
    memoryMb: t.exposeInt('memoryMb', { description: 'How much memory it may use, in megabytes.' }),
    schedule: t.exposeString('schedule', {
      nullable: true,
      description: 'The schedule that its specification has beside its triggers, as cron says it.',
    }),
    schedules: t.field({
      type: [FunctionScheduleRef],
      description: 'When it is run by itself, by the id of the trigger.',
      resolve: ({ schedules }) => [...schedules],
    }),
    mailTriggers: t.field({
      type: [FunctionMailTriggerRef],
      description: 'The triggers that mail fires, by their ids.',
      resolve: ({ mailTriggers }) => [...mailTriggers],
    }),
    scheduleMeta: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        'All its schedules as one: the next moment, the last run and how it stands, and how many there were.',
      resolve: ({ schedules }) => scheduleMetaOf(schedules),
    }),
    requireAuth: t.exposeBoolean('requireAuth', { description: 'Whether it answers signed-in users alone.' }),
    roleTable: t.string({
      nullable: true,
      description: 'The table that tells the roles of users; null where no role is asked for.',
      resolve: ({ requireRole }) => requireRole?.table ?? null,
    }),
    allowedRoles: t.stringList({
      description: 'The roles that it answers; empty where no role is asked for.',
      resolve: ({ requireRole }) => [...(requireRole?.allowed ?? [])],
    }),
    routes: t.field({
      type: [FunctionRouteRef],
      description: 'The public paths that lead to it, in the order in which they are matched.',
      resolve: ({ routes }) => [...routes],
    }),
    deps: t.stringList({ description: 'Packages, as its specification names them.', resolve: ({ deps }) => [...deps] }),
    depsResolved: t.field({
      type: 'JSONObject',
      description: 'The version of each package that it was built with.',
      resolve: ({ depsResolved }) => depsResolved,
    }),
    class: t.exposeString('class', { description: '`standard`, or `ssr` for one that renders pages.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When a release had it first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When a release had it first as it is now.' }),
  }),
});

builder.objectField(ProjectRef, 'functions', (t) =>
  t.field({
    type: [ProjectFunctionRef],
    nullable: true,
    ...fieldOf(listFunctions),
    resolve: ({ id }, _args, ctx) => run(listFunctions, ctx, { project: id }),
  }),
);

const configInput = { name: 'FunctionConfigInput', description: 'What a call of a function may take.' };

changeField('updateFunction', updateFunction, {
  type: ProjectFunctionRef,
  input: 'A change of a function.',
  argument: 'The function, and what changes of it.',
  types: { config: configInput },
  result: (updated) => updated,
});

interface FunctionDeleted {
  readonly name: string;
  readonly releaseId: string;
}

const DeletedFunctionRef = builder.objectRef<FunctionDeleted>('DeletedFunction').implement({
  description: 'A function that is live no more.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it was called by.' }),
    releaseId: t.exposeString('releaseId', { description: 'The release without it, which is live now, `rel_…`.' }),
  }),
});

changeField('deleteFunction', deleteFunction, {
  type: DeletedFunctionRef,
  input: 'A function to delete.',
  argument: 'The function.',
  result: (deleted) => deleted,
});

const FunctionRebuildRef = builder.objectRef<Rebuilt>('FunctionRebuild').implement({
  description: 'What came of building a function anew.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The function.' }),
    rebuilt: t.boolean({ description: 'Whether it runs the new build.', resolve: (one) => 'build' in one }),
    code: t.string({
      nullable: true,
      description: 'Why it could not be built, as a code.',
      resolve: (one) => ('refusal' in one ? one.refusal.code : null),
    }),
    error: t.string({
      nullable: true,
      description: 'Why it could not be built, in words.',
      resolve: (one) => ('refusal' in one ? one.refusal.message : null),
    }),
    oldFingerprint: t.string({
      nullable: true,
      description: 'Of the build that it ran before.',
      resolve: (one) => ('build' in one ? one.before.fingerprint : null),
    }),
    newFingerprint: t.string({
      nullable: true,
      description: 'Of the build that it runs now.',
      resolve: (one) => ('build' in one ? one.build.fingerprint : null),
    }),
    runtimeVersionBefore: t.string({
      nullable: true,
      description: 'The version of what it was run by.',
      resolve: (one) => ('build' in one ? one.before.runtimeVersion : null),
    }),
    runtimeVersionAfter: t.string({
      nullable: true,
      description: 'The version of what it is run by now.',
      resolve: (one) => ('build' in one ? one.build.runtimeVersion : null),
    }),
    codeHash: t.string({
      nullable: true,
      description: 'Digest of its code, which is as it was.',
      resolve: (one) => ('build' in one ? one.build.codeHash : null),
    }),
  }),
});

const RebuiltFunctionsRef = builder.objectRef<RebuiltFunctions>('RebuiltFunctions').implement({
  description: 'Functions that were built anew.',
  fields: (t) => ({
    releaseId: t.exposeString('releaseId', { nullable: true, description: 'The live release, `rel_…`.' }),
    results: t.field({
      type: [FunctionRebuildRef],
      description: 'Each function that was asked for.',
      resolve: ({ results }) => [...results],
    }),
  }),
});

changeField('rebuildFunctions', rebuildFunctions, {
  type: RebuiltFunctionsRef,
  input: 'Functions to build anew.',
  argument: 'The functions.',
  result: (made) => made,
});

const FunctionAnswerRef = builder.objectRef<FunctionAnswer>('FunctionAnswer').implement({
  description: 'What a function answered to a call.',
  fields: (t) => ({
    requestId: t.exposeString('requestId', { description: 'Under which its log has the call, `req_…`.' }),
    status: t.exposeInt('status', { description: 'Its status of HTTP.' }),
    headers: t.field({ type: 'JSONObject', description: 'Its headers, by name.', resolve: ({ headers }) => headers }),
    body: t.exposeString('text', { nullable: true, description: 'The answer as text; null where it is none.' }),
    bodyBase64: t.exposeString('base64', { nullable: true, description: 'The answer where it is no text.' }),
  }),
});

const FunctionMethodEnum = builder.enumType('FunctionMethod', {
  description: 'A method of HTTP that functions are called by.',
  values: {
    GET: { description: 'Reads.' },
    POST: { description: 'Sends something.' },
    PUT: { description: 'Puts something in place of what there is.' },
    PATCH: { description: 'Changes a part.' },
    DELETE: { description: 'Deletes.' },
  },
});

changeField('invokeFunction', invokeFunction, {
  type: FunctionAnswerRef,
  types: { method: FunctionMethodEnum },
  input: 'A call of a function.',
  argument: 'The call.',
  result: (answer) => answer,
});

const FunctionLogStreamEnum = builder.enumType('FunctionLogStream', {
  description: 'What a line that a function printed is of.',
  values: {
    STDOUT: { value: 'stdout', description: 'What it says: `console.log`.' },
    STDERR: { value: 'stderr', description: 'What it complains of: `console.error` and `console.warn`.' },
  } as const,
});

const lines = inputsOf(getFunctionLogs, { omit: ['project'], types: { stream: FunctionLogStreamEnum } });

builder.objectField(ProjectRef, 'functionLogs', (t) =>
  t.field({
    type: [FunctionLogLineRef],
    nullable: true,
    ...fieldOf(getFunctionLogs),
    args: lines.args,
    resolve: ({ id }, args, ctx) => run(getFunctionLogs, ctx, { project: id, ...lines.read(args) }),
  }),
);

const FunctionLogEventRef = builder.objectRef<FunctionLineArrived>('FunctionLogEvent').implement({
  description: 'A line that a function printed, as it comes.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    line: t.expose('line', { type: FunctionLogLineRef, description: 'The line.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

const opened = inputsOf(openFunctionLogs, { omit: ['cursor'], types: { stream: FunctionLogStreamEnum } });

builder.subscriptionField('functionLogs', (t) =>
  t.field({
    type: FunctionLogEventRef,
    description: 'What a function prints: the newest lines, or those behind a cursor, and then what comes.',
    ...followed,
    args: { ...opened.args, ...followArgs },
    subscribe: (_root, { after, first, ...wanted }, ctx) =>
      followFunctionLogs(ctx, { ...opened.read(wanted), ...dropNulls({ after, first }) }),
    resolve: (event) => event,
  }),
);
