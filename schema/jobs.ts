import { dropNulls } from '../core/drop-nulls.ts';
import { jobLogStreams, jobStatuses } from '../db/schema/jobs.ts';
import { cancelJob } from '../resolvers/jobs/cancel-job.ts';
import { getJobLogs, logStreamOf, openJobLogs } from '../resolvers/jobs/get-job-logs.ts';
import { type Artifact, absorbedOf, artifactUrl, baseOf, isOver, type Job } from '../resolvers/jobs/job-row.ts';
import { listJobTypes } from '../resolvers/jobs/list-types.ts';
import { loadJobs } from '../resolvers/jobs/load-jobs.ts';
import type { JobLine } from '../resolvers/jobs/log-feed.ts';
import { listRegisteredTypes, registerJobType, removeJobType } from '../resolvers/jobs/operate-types.ts';
import { purgeJobs } from '../resolvers/jobs/purge-jobs.ts';
import { downloadArtifact, getJob, listJobs } from '../resolvers/jobs/read-jobs.ts';
import { submitJob } from '../resolvers/jobs/submit-job.ts';
import { registeredType } from '../resolvers/jobs/types/find-type.ts';
import type { JobType } from '../resolvers/jobs/types/job-type.ts';
import type { RegisteredType } from '../resolvers/jobs/types/registered-type.ts';
import { followJobLogs, type JobLineArrived } from '../subscriptions/job-logs.ts';
import { builder, pageArgs } from './builder.ts';
import { inOrder, listConnection, listWindowOf, windowInputs } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const JobStatusEnum = enumOf('JobStatus', 'How a job stands.', jobStatuses, {
  queued: 'It waits for its turn.',
  running: 'A node does it.',
  completed: 'It is done.',
  failed: 'It came to nothing; its error says why.',
  cancelled: 'Somebody has cancelled it.',
});

const JobLogStreamEnum = enumOf('JobLogStream', 'Who says a line of a log.', jobLogStreams, {
  stdout: 'The job.',
  stderr: 'The job complains.',
  system: 'The platform.',
});

const JobErrorRef = builder.objectRef<{ readonly code: string; readonly message: string }>('JobError').implement({
  description: 'Why a job has failed.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'For example `JOB_TIMED_OUT`.' }),
    message: t.exposeString('message', { description: 'The same in words.' }),
  }),
});

/** A file together with the job that has made it. */
type ShownArtifact = Artifact & { readonly job: string };

const JobArtifactRef = builder.objectRef<ShownArtifact>('JobArtifact').implement({
  description: 'A file that a job has made.',
  fields: (t) => ({
    filename: t.exposeString('filename', { description: 'Its name.' }),
    contentType: t.exposeString('content_type', { description: 'Its media type.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of its bytes.' }),
    sizeBytes: t.exposeFloat('size', { description: 'Its length.' }),
    url: t.string({
      description: 'Where its bytes are had, with a credential of the project.',
      resolve: ({ job, filename }, _args, ctx) => artifactUrl(baseOf(ctx), job, filename),
    }),
  }),
});

const JobLogLineRef = builder.objectRef<JobLine>('JobLogLine').implement({
  description: 'A line of the log of a job.',
  fields: (t) => ({
    eventId: t.string({
      description: 'Tells lines apart; later ones have higher numbers.',
      resolve: ({ position }) => String(position),
    }),
    timestamp: t.expose('at', { type: 'DateTime', description: 'When it was said.' }),
    ingestionTime: t.expose('createdAt', { type: 'DateTime', description: 'When it was kept.' }),
    message: t.exposeString('message', { description: 'Its text.' }),
    logStreamName: t.string({
      description: 'Its attempt and what it is of, such as `1/stdout`.',
      resolve: logStreamOf,
    }),
    stream: t.expose('stream', { type: JobLogStreamEnum, description: 'Who says it.' }),
  }),
});

const JobRef = builder.loadableNodeRef<Job, string>('Job', {
  id: { resolve: ({ id }) => id },
  load: async (ids, ctx) => inOrder(ids, await loadJobs(ctx, ids), ({ id }) => id) as Job[],
  toKey: ({ id }) => id,
});

const lines = inputsOf(getJobLogs, { omit: ['project', 'job'] });
const whole = (amount: bigint | null): number | null => (amount === null ? null : Number(amount));

JobRef.implement({
  description: 'Work that the platform does for a project in the background.',
  fields: (t) => ({
    jobId: t.exposeString('id', { description: 'Native id, `job_…`.' }),
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    type: t.exposeString('type', { description: 'Its type, such as `echo`.' }),
    status: t.expose('status', { type: JobStatusEnum, description: 'How it stands.' }),
    maxCostUsdMicros: t.float({
      description: 'Most that it may cost, in micro-dollars.',
      resolve: ({ cap }) => Number(cap),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was submitted.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it was first begun.' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    isOver: t.boolean({ description: 'Whether it has ended.', resolve: isOver }),
    artifacts: t.field({
      type: [JobArtifactRef],
      description: 'What it has made; none before it has ended.',
      resolve: ({ id, artifacts }) => (artifacts ?? []).map((one) => ({ ...one, job: id })),
    }),
    error: t.expose('error', { type: JobErrorRef, nullable: true, description: 'Why it has failed.' }),
    wallSeconds: t.float({
      nullable: true,
      description: 'How long the attempt took that counts.',
      resolve: ({ wallMs }) => (wallMs === null ? null : Number(wallMs) / 1_000),
    }),
    costUsdMicros: t.float({
      nullable: true,
      description: 'What was taken from the balance, in micro-dollars; null until it has ended.',
      resolve: ({ cost }) => whole(cost),
    }),
    rawCostUsdMicros: t.float({
      nullable: true,
      description: 'What it would have cost without its cap.',
      resolve: ({ rawCost }) => whole(rawCost),
    }),
    absorbedOverageUsdMicros: t.float({
      nullable: true,
      description: 'What the platform bears of that.',
      resolve: (job) => whole(absorbedOf(job)),
    }),
    attemptCount: t.exposeInt('attempt', { description: 'How often it was begun.' }),
    interruptCount: t.exposeInt('interrupts', { description: 'How often the platform has interrupted it.' }),
    billingStatus: t.exposeString('billing', {
      description: 'What became of what was held for it: `held`, then `captured` or `released`.',
    }),
    logs: t.field({
      type: [JobLogLineRef],
      nullable: true,
      ...fieldOf(getJobLogs),
      args: lines.args,
      resolve: ({ id, projectId }, args, ctx) =>
        run(getJobLogs, ctx, { project: projectId, job: id, ...lines.read(args) }),
    }),
  }),
});

readField('job', getJob, { type: JobRef });

const JobConnection = builder.connectionObject({ type: JobRef, name: 'JobConnection' });
const listed = inputsOf(listJobs, { omit: ['project', ...windowInputs], types: { status: JobStatusEnum } });

builder.objectField(ProjectRef, 'jobs', (t) =>
  t.field({
    type: JobConnection,
    nullable: true,
    ...fieldOf(listJobs),
    args: { ...pageArgs, ...listed.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(await run(listJobs, ctx, { project: id, ...listed.read(args), ...listWindowOf(args) }), args),
  }),
);

const JobFileRef = builder.objectRef<Awaited<ReturnType<typeof downloadArtifact.toWire>>>('JobFile').implement({
  description: 'A file that a job has made, with its bytes.',
  fields: (t) => ({
    filename: t.exposeString('filename', { description: 'Its name.' }),
    contentType: t.exposeString('content_type', { description: 'Its media type.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of its bytes.' }),
    sizeBytes: t.exposeFloat('size_bytes', { description: 'Its length.' }),
    url: t.exposeString('url', { description: 'Where its bytes are had, with a credential of the project.' }),
    contentBase64: t.exposeString('content_base64', {
      nullable: true,
      description: 'The bytes, in base64; null for more than 256 KiB, which the path of REST answers.',
    }),
  }),
});

readField('jobArtifact', downloadArtifact, {
  type: JobFileRef,
  result: (file, _args, ctx) => downloadArtifact.toWire(file, ctx),
});

const JobOfferRef = builder.objectRef<JobType>('JobOffer').implement({
  description: 'A container of work that projects may have done.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What jobs name it by.' }),
    kind: t.exposeString('kind', { description: '`built_in`, or `function`: the operator has registered it.' }),
    description: t.exposeString('description', { description: 'What it does.' }),
    perJobUsdMicros: t.float({
      description: 'What a job costs that completes, in micro-dollars.',
      resolve: ({ price }) => Number(price.perJob),
    }),
    perSecondUsdMicros: t.float({
      description: 'What each second of a job costs.',
      resolve: ({ price }) => Number(price.perSecond),
    }),
    maxSeconds: t.exposeInt('maxSeconds', { description: 'Longest that a job may take.' }),
    repeatable: t.exposeBoolean('repeatable', {
      description: 'Whether an attempt that the platform interrupts is followed by another one.',
    }),
    inputSchema: t.field({
      type: 'JSONObject',
      description: 'JSON Schema of its input.',
      resolve: ({ inputSchema }) => inputSchema,
    }),
  }),
});

readField('jobTypes', listJobTypes, { type: [JobOfferRef], result: (types) => [...types] });

const RegisteredJobOfferRef = builder.objectRef<RegisteredType>('RegisteredJobOffer').implement({
  description: 'A type of jobs that the operator has registered.',
  fields: (t) => ({
    type: t.field({ type: JobOfferRef, description: 'The type, as everybody sees it.', resolve: registeredType }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'The project whose function does the work, `prj_…`; null for a command.',
    }),
    functionName: t.exposeString('function', { nullable: true, description: 'The function; null for a command.' }),
    command: t.stringList({
      nullable: true,
      description: 'The program that does the work, and what it is given; null for a function.',
      resolve: ({ command }) => (command === null ? null : [...command]),
    }),
    root: t.exposeString('root', {
      nullable: true,
      description: 'The root file system that the command runs in; null for a function.',
    }),
    memoryMb: t.exposeInt('memoryMb', { description: 'Memory of its process, in megabytes.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was registered.' }),
  }),
});

readField('registeredJobTypes', listRegisteredTypes, { type: [RegisteredJobOfferRef], result: (types) => [...types] });

changeField('registerJobType', registerJobType, {
  type: RegisteredJobOfferRef,
  input: 'A type of jobs to register.',
  argument: 'The type, and the function.',
});

changeField('removeJobType', removeJobType, {
  type: RegisteredJobOfferRef,
  input: 'A type of jobs to remove.',
  argument: 'The type.',
});

changeField('submitJob', submitJob, {
  type: JobRef,
  input: 'A job to submit.',
  argument: 'The project, and the job.',
  types: {
    request: {
      name: 'JobRequestInput',
      description: 'A job: its type, what it is given, and what it may cost.',
      types: { input: { name: 'JobGivenInput', description: 'What a job is given.' } },
    },
  },
  result: ({ job }) => job,
});

changeField('cancelJob', cancelJob, {
  type: JobRef,
  input: 'A job to cancel.',
  argument: 'The job.',
  result: ({ job }) => job,
});

const PurgedJobsRef = builder
  .objectRef<{ readonly deleted: number; readonly cancelled: number; readonly terminated: number }>('PurgedJobs')
  .implement({
    description: 'What a purge of jobs came to.',
    fields: (t) => ({
      deletedJobs: t.exposeInt('deleted', { description: 'Jobs that were deleted.' }),
      cancelledActiveJobs: t.exposeInt('cancelled', { description: 'Those of them that had not ended.' }),
      terminatedInstances: t.exposeInt('terminated', { description: 'Those of these that were running.' }),
    }),
  });

changeField('purgeJobs', purgeJobs, {
  type: PurgedJobsRef,
  input: 'Jobs to delete.',
  argument: 'The project.',
});

const JobLogEventRef = builder.objectRef<JobLineArrived>('JobLogEvent').implement({
  description: 'A line of the log of a job, as it comes.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    line: t.expose('line', { type: JobLogLineRef, description: 'The line.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

const opened = inputsOf(openJobLogs, { omit: ['cursor'] });

builder.subscriptionField('jobLogs', (t) =>
  t.field({
    type: JobLogEventRef,
    description: 'What a job says: the newest lines, or those behind a cursor, and then what comes.',
    ...followed,
    args: { ...opened.args, ...followArgs },
    subscribe: (_root, { after, first, ...wanted }, ctx) =>
      followJobLogs(ctx, { ...opened.read(wanted), ...dropNulls({ after, first }) }),
    resolve: (event) => event,
  }),
);
