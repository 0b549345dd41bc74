import { dropNulls } from '../core/drop-nulls.ts';
import { getFunctionLogs } from '../resolvers/functions/get-function-logs.ts';
import { type LiveFunction, listFunctions } from '../resolvers/functions/list-functions.ts';
import type { FunctionLine } from '../resolvers/functions/log-feed.ts';
import { openFunctionLogs } from '../resolvers/functions/open-function-logs.ts';
import { type ShownSchedule, scheduleMetaOf } from '../resolvers/functions/shared/schedule-meta.ts';
import { type FunctionLineArrived, followFunctionLogs } from '../subscriptions/function-logs.ts';
import { builder } from './builder.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { fieldOf, inputsOf } from './operation-field.ts';
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
    scheduleMeta: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        'All its schedules as one: the next moment, the last run and how it stands, and how many there were.',
      resolve: ({ schedules }) => scheduleMetaOf(schedules),
    }),
    requireAuth: t.exposeBoolean('requireAuth', { description: 'Whether it answers signed-in users alone.' }),
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

const lines = inputsOf(getFunctionLogs, { omit: ['project'] });

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

const opened = inputsOf(openFunctionLogs, { omit: ['cursor'] });

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
