import type { z } from 'zod';
import { dropNulls } from '../core/drop-nulls.ts';
import type { JudgedPage } from '../engines/edge/coherence.ts';
import type { warningWire } from '../engines/release/wire.ts';
import { commitDeploy } from '../resolvers/deploys/commit-deploy.ts';
import { type DeployOperation, restorePointOf } from '../resolvers/deploys/deploy-operation.ts';
import { type EdgeCoherence, isCoherent, verifyEdge } from '../resolvers/deploys/edge/verify-edge.ts';
import { type HostResolution, hostResolutionToWire } from '../resolvers/deploys/host-resolution.ts';
import { openDeploy } from '../resolvers/deploys/open-deploy.ts';
import { planDeploy } from '../resolvers/deploys/plan-deploy.ts';
import { promoteRelease } from '../resolvers/deploys/promote-release.ts';
import { getDeploy, listDeployEvents, listDeploys } from '../resolvers/deploys/read-operations.ts';
import {
  compareReleases,
  getActiveRelease,
  getRelease,
  type ReleaseInventory,
} from '../resolvers/deploys/read-releases.ts';
import { resolveUrl } from '../resolvers/deploys/resolve-url.ts';
import { resumeDeploy } from '../resolvers/deploys/resume-deploy.ts';
import { hostOfDeployment } from '../resolvers/hosts/shared/host-urls.ts';
import { originOfHost } from '../resolvers/projects/shared/project-hosts.ts';
import { endOfRehearsal, pollUrlOf, rehearseDeploy } from '../resolvers/rehearsals/rehearse-deploy.ts';
import { type DeployEventArrived, followDeploy } from '../subscriptions/deploys.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, windowInputs } from './connection.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const DeployOperationRef = builder.objectRef<DeployOperation>('DeployOperation').implement({
  description: 'A deploy, a promotion or a rehearsal, from its plan to its end.',
  fields: (t) => ({
    operationId: t.exposeString('id', { description: 'Native id, `op_…`.' }),
    projectId: t.exposeString('projectId', { description: 'Native id of the project.' }),
    planId: t.exposeString('planId', { nullable: true, description: 'Its plan; null for a promotion.' }),
    kind: t.exposeString('kind', { description: '`deploy`, `promote` or `rehearsal`.' }),
    status: t.exposeString('status', {
      description: '`ready`, `failed`, `rolled_back` and `needs_repair` are ends; see docs/using/deploys.md.',
    }),
    restorePoint: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The snapshot of before its migrations, and where it is restored.',
      resolve: (one) => restorePointOf(one).restore_point ?? null,
    }),
    snapshotSkippedReason: t.exposeString('snapshotSkipped', {
      nullable: true,
      description: 'Why its migrations ran without such a snapshot.',
    }),
    baseReleaseId: t.exposeString('baseReleaseId', {
      nullable: true,
      description: 'The release that it began from; null for the first.',
    }),
    targetReleaseId: t.exposeString('targetReleaseId', {
      nullable: true,
      description: 'The release that it makes live; null before it is committed.',
    }),
    releaseId: t.exposeString('releaseId', { nullable: true, description: 'The release, once it is live.' }),
    urls: t.expose('urls', {
      type: 'JSONObject',
      nullable: true,
      description: 'Where the site is found, and the id of the deployment.',
    }),
    error: t.expose('error', { type: 'JSONObject', nullable: true, description: 'What it failed with.' }),
    rehearsalReport: t.expose('rehearsalReport', {
      type: 'JSONObject',
      nullable: true,
      description: 'What a rehearsal has come to, as REST answers it; null until it is over.',
    }),
    actor: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Who began it, as they were called then.',
      resolve: ({ actor }) => (actor === null ? null : { ...actor }),
    }),
    activateAttempts: t.exposeInt('activateAttempts', { description: 'How often it was tried to go live.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was planned.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

const DeployOperationConnection = builder.connectionObject({
  type: DeployOperationRef,
  name: 'DeployOperationConnection',
});

const DeployWarningRef = builder.objectRef<z.output<typeof warningWire>>('DeployWarning').implement({
  description: 'Something that whoever deploys should know of first.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'For example `DESTRUCTIVE_FUNCTION_REMOVAL`.' }),
    severity: t.exposeString('severity', { description: '`info`, `warn` or `high`.' }),
    requiresConfirmation: t.exposeBoolean('requires_confirmation', {
      description: 'Clients deploy only once somebody has agreed.',
    }),
    message: t.exposeString('message', { description: 'What it is, in words.' }),
    affected: t.stringList({
      description: 'Names of what is affected.',
      resolve: ({ affected = [] }) => affected,
    }),
  }),
});

const DeployPlanRef = builder.objectRef<z.output<typeof planDeploy.wire>>('DeployPlan').implement({
  description: 'What a release specification would do.',
  fields: (t) => ({
    planId: t.exposeString('plan_id', { nullable: true, description: 'Native id, `plan_…`; null for a preview.' }),
    operationId: t.exposeString('operation_id', { nullable: true, description: 'Its deploy, `op_…`.' }),
    baseReleaseId: t.exposeString('base_release_id', {
      nullable: true,
      description: 'The release that it begins from; null for the first.',
    }),
    manifestDigest: t.exposeString('manifest_digest', { description: 'SHA-256 of the specification.' }),
    fingerprint: t.exposeString('plan_fingerprint', {
      nullable: true,
      description: 'What an approval names; only of reviewed plans.',
    }),
    isNoop: t.exposeBoolean('is_noop', { description: 'Whether it would change nothing.' }),
    summary: t.exposeString('summary', { description: 'What it would do, in one line.' }),
    warnings: t.field({
      type: [DeployWarningRef],
      description: 'What to know of first.',
      resolve: ({ warnings }) => [...warnings],
    }),
    missingContent: t.stringList({
      description: 'SHA-256 of what has to be uploaded first.',
      resolve: ({ missing_content: content }) => content.filter(({ present }) => !present).map(({ sha256 }) => sha256),
    }),
    plan: t.field({
      type: 'JSONObject',
      description: 'The whole plan, as REST answers it.',
      resolve: (plan) => plan,
    }),
  }),
});

const ReleaseRef = builder.objectRef<ReleaseInventory>('Release').implement({
  description: 'What a project serves, or served.',
  fields: (t) => ({
    releaseId: t.string({
      nullable: true,
      description: 'Native id, `rel_…`; null for a project without a release.',
      resolve: ({ row }) => row?.id ?? null,
    }),
    projectId: t.exposeString('projectId', { description: 'Native id of the project.' }),
    parentId: t.string({
      nullable: true,
      description: 'The release that it was made from.',
      resolve: ({ row }) => row?.parentId ?? null,
    }),
    deploymentId: t.string({
      nullable: true,
      description: '`dpl_…`: names the host of this release alone.',
      resolve: ({ row }) => row?.deploymentId ?? null,
    }),
    url: t.string({
      nullable: true,
      description: 'The host of this release alone, which shows it whatever is live.',
      resolve: ({ row }, _args, { services }) =>
        row?.deploymentId == null ? null : originOfHost(services, hostOfDeployment(services, row.deploymentId)),
    }),
    status: t.string({
      nullable: true,
      description: '`staged`, `active`, `superseded` or `failed`.',
      resolve: ({ row }) => row?.status ?? null,
    }),
    siteFiles: t.int({ description: 'How many files its site has.', resolve: ({ state }) => state.site.size }),
    activatedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was live first.',
      resolve: ({ row }) => row?.activatedAt ?? null,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was made.',
      resolve: ({ row }) => row?.createdAt ?? null,
    }),
    inventory: t.field({
      type: 'JSONObject',
      description: 'All that it holds, as REST answers it.',
      resolve: (release, _args, ctx) => Promise.resolve(getRelease.toWire(release, ctx)),
    }),
  }),
});

const PlanModeEnum = builder.enumType('PlanMode', {
  description: 'What a plan is for.',
  values: {
    REVIEWED_PLAN: { value: 'reviewed_plan', description: 'Somebody approves of it before it is applied.' },
  } as const,
});

const RequiredPlan = { name: 'RequiredPlanInput', description: 'A reviewed plan.' };

changeField('planDeploy', planDeploy, {
  type: DeployPlanRef,
  input: 'A release specification to plan.',
  argument: 'The specification.',
  types: {
    manifest_ref: { name: 'ManifestRefInput', description: 'A specification that was uploaded as content.' },
    required_plan: RequiredPlan,
    mode: PlanModeEnum,
  },
});

changeField('commitDeploy', commitDeploy, {
  type: DeployOperationRef,
  input: 'A plan to make live.',
  argument: 'The plan.',
  ids: { plan: null },
  types: { required_plan: RequiredPlan },
  result: ({ operation }) => operation,
});

const TeardownEnum = builder.enumType('RehearsalTeardown', {
  description: 'What becomes of the branch of a rehearsal.',
  values: {
    KEEP: { value: 'keep', description: 'It is left for a week.' },
    ON_PASS: { value: 'on_pass', description: 'It is deleted where all went well.' },
    ALWAYS: { value: 'always', description: 'It is deleted.' },
  } as const,
});

const RehearseDeployRef = builder.objectRef<DeployOperation>('RehearseDeployPayload').implement({
  description: 'A rehearsal: over, or under way for more than 45 seconds.',
  fields: (t) => ({
    operationId: t.exposeString('id', { description: 'Native id of its operation, `op_…`.' }),
    status: t.exposeString('status', { description: '`running` while it is under way.' }),
    pollUrl: t.string({ description: 'Path of the operation.', resolve: pollUrlOf }),
    report: t.expose('rehearsalReport', {
      type: 'JSONObject',
      nullable: true,
      description: 'What it has come to; null while it runs.',
    }),
  }),
});

changeField('rehearseDeploy', rehearseDeploy, {
  type: RehearseDeployRef,
  input: 'A plan to rehearse.',
  argument: 'The plan.',
  ids: { plan: null },
  types: { teardown: TeardownEnum },
  result: (begun, ctx) => endOfRehearsal(ctx, begun),
});

changeField('resumeDeploy', resumeDeploy, {
  type: DeployOperationRef,
  input: 'A deploy that waits.',
  argument: 'The deploy.',
  ids: { operation: null },
});

changeField('promoteRelease', promoteRelease, {
  type: DeployOperationRef,
  input: 'A release to make live again.',
  argument: 'The release.',
  ids: { release: null },
  result: ({ operation }) => operation,
});

readField('deployOperation', getDeploy, { type: DeployOperationRef, ids: { operation: null } });

const EdgePathRef = builder.objectRef<JudgedPage>('EdgePath').implement({
  description: 'What a host answers at a path, held against a release.',
  fields: (t) => ({
    host: t.exposeString('host', { description: 'The host.' }),
    path: t.exposeString('path', { description: 'The path, as it was asked for.' }),
    state: t.exposeString('state', { description: '`coherent`, `stale_prior_release`, `unknown` or `error`.' }),
    observedConfidence: t.exposeString('confidence', {
      description: 'What tells releases apart here: `identity`, `body_hash`, `weak` or `error`.',
    }),
    observedReleaseId: t.exposeString('observedReleaseId', {
      nullable: true,
      description: 'The release that answered.',
    }),
    status: t.exposeInt('status', { nullable: true, description: 'The status of the answer.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why there was no answer.' }),
  }),
});

const EdgeCoherenceRef = builder.objectRef<EdgeCoherence>('EdgeCoherence').implement({
  description: 'Whether the hosts of a project answer with the release of a deploy.',
  fields: (t) => ({
    coherent: t.boolean({ description: 'Whether every path that was asked for does.', resolve: isCoherent }),
    releaseId: t.string({ description: 'The release.', resolve: ({ deploy }) => deploy.releaseId }),
    pathCount: t.int({ description: 'How many paths were asked for.', resolve: ({ pages }) => pages.length }),
    totalPathCount: t.exposeInt('total', { description: 'How many there are on all hosts.' }),
    paths: t.field({ type: [EdgePathRef], description: 'What was answered.', resolve: ({ pages }) => [...pages] }),
  }),
});

readField('edgeCoherence', verifyEdge, { type: EdgeCoherenceRef, ids: { operation: null } });

const HostResolutionRef = builder.objectRef<HostResolution>('HostResolution').implement({
  description: 'What a public address answers, and why.',
  fields: (t) => ({
    hostname: t.exposeString('hostname', { description: 'The host that was asked for.' }),
    match: t.string({
      description: 'What the request was found to ask for, for example `static_exact` or `host_missing`.',
      resolve: (found) => hostResolutionToWire(found).match,
    }),
    result: t.int({
      description: 'The status that the request gets.',
      resolve: (found) => hostResolutionToWire(found).result,
    }),
    projectId: t.string({
      nullable: true,
      description: 'The project; null where the host is none that the caller may see.',
      resolve: ({ bound }) => bound?.projectId ?? null,
    }),
    releaseId: t.string({
      nullable: true,
      description: 'The release that answers.',
      resolve: ({ bound }) => bound?.site?.releaseId ?? null,
    }),
    assetPath: t.string({
      nullable: true,
      description: 'The file of the site that answers.',
      resolve: (found) => hostResolutionToWire(found).asset_path,
    }),
    diagnosis: t.field({
      type: 'JSONObject',
      description: 'All that is known of it, as REST answers it.',
      resolve: hostResolutionToWire,
    }),
  }),
});

readField('hostResolution', resolveUrl, { type: HostResolutionRef });

readField('release', getRelease, { type: ReleaseRef, ids: { release: null } });

const DeployStatusEnum = builder.enumType('DeployStatus', {
  description: 'How a deploy stands.',
  values: {
    PLANNING: { value: 'planning', description: 'Planned, and not begun.' },
    UPLOADING: { value: 'uploading', description: 'Planned; its content is being uploaded.' },
    RUNNING: { value: 'running', description: 'Worked on.' },
    SCHEMA_SETTLING: { value: 'schema_settling', description: 'Waits after its migrations for the schema.' },
    ACTIVATION_PENDING: { value: 'activation_pending', description: 'Waits after its migrations to go live.' },
    NEEDS_REPAIR: { value: 'needs_repair', description: 'A migration outside of a transaction failed.' },
    READY: { value: 'ready', description: 'Went live.' },
    FAILED: { value: 'failed', description: 'Failed, and changed nothing.' },
    ROLLED_BACK: { value: 'rolled_back', description: 'A migration failed, and was taken back.' },
  } as const,
});

const DeployKindEnum = builder.enumType('DeployKind', {
  description: 'How a release came to be live.',
  values: {
    DEPLOY: { value: 'deploy', description: 'It was deployed.' },
    PROMOTE: { value: 'promote', description: 'It was made live again.' },
    REHEARSAL: { value: 'rehearsal', description: 'None: a plan was tried on a branch.' },
  } as const,
});

const listed = inputsOf(listDeploys, {
  omit: ['project', ...windowInputs],
  types: { status: DeployStatusEnum, kind: DeployKindEnum },
});

builder.objectField(ProjectRef, 'deploys', (t) =>
  t.field({
    type: DeployOperationConnection,
    nullable: true,
    ...fieldOf(listDeploys),
    args: { ...pageArgs, ...listed.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(await run(listDeploys, ctx, { project: id, ...listed.read(args), ...listWindowOf(args) }), args),
  }),
);

const activeInputs = inputsOf(getActiveRelease, { omit: ['project'] });

builder.objectField(ProjectRef, 'activeRelease', (t) =>
  t.field({
    type: ReleaseRef,
    nullable: true,
    ...fieldOf(getActiveRelease),
    args: activeInputs.args,
    resolve: ({ id }, args, ctx) => run(getActiveRelease, ctx, { project: id, ...activeInputs.read(args) }),
  }),
);

const diffInputs = inputsOf(compareReleases, { omit: ['project'] });

builder.objectField(ProjectRef, 'releaseDiff', (t) =>
  t.field({
    type: 'JSONObject',
    nullable: true,
    ...fieldOf(compareReleases),
    args: diffInputs.args,
    resolve: async ({ id }, args, ctx) =>
      compareReleases.toWire(await run(compareReleases, ctx, { project: id, ...diffInputs.read(args) }), ctx),
  }),
);

const DeployEventRef = builder.objectRef<DeployEventArrived>('DeployEvent').implement({
  description: 'Something that happened in a deploy.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    operationId: t.exposeString('operationId', { description: 'The deploy, `op_…`.' }),
    event: t.expose('event', { type: 'JSONObject', description: 'What happened: its `type`, and what goes with it.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

const opened = inputsOf(openDeploy, { omit: ['cursor'], ids: { operation: null } });

builder.subscriptionField('deployOperation', (t) =>
  t.field({
    type: DeployEventRef,
    description: 'What happens in a deploy, from a cursor on.',
    ...followed,
    args: { ...opened.args, ...followArgs },
    subscribe: (_root, { after, first, ...deploy }, ctx) =>
      followDeploy(ctx, { ...opened.read(deploy), ...dropNulls({ after, first }) }),
    resolve: (event) => event,
  }),
);

const eventInputs = inputsOf(listDeployEvents, { omit: ['operation'] });

builder.objectField(DeployOperationRef, 'events', (t) =>
  t.field({
    type: ['JSONObject'],
    nullable: true,
    ...fieldOf(listDeployEvents),
    args: eventInputs.args,
    resolve: async ({ id }, args, ctx) => {
      const { events } = await run(listDeployEvents, ctx, { operation: id, ...eventInputs.read(args) });
      return events.map(({ position, event }) => ({ ...event, id: String(position) }));
    },
  }),
);
