import type { AppContents, NamedNeed } from '../db/schema/apps.ts';
import { type AppVersion, liveUrlOf, statusOfVersion, warningsOf } from '../resolvers/apps/app-row.ts';
import { browseApps, getApp } from '../resolvers/apps/browse-apps.ts';
import { forkApp, getFork, keysOfFork, showFork } from '../resolvers/apps/fork-app.ts';
import {
  bootstrapOf,
  endOfFork,
  forkActionsOf,
  type ShownFork,
  siteUrlOf,
  subdomainUrlOf,
} from '../resolvers/apps/fork-row.ts';
import { deleteVersion, listVersions, updateVersion } from '../resolvers/apps/manage-versions.ts';
import { endOfVersion, publishApp } from '../resolvers/apps/publish-app.ts';
import { builder } from './builder.ts';
import { listConnection } from './connection.ts';
import { changeField, fieldOf, readField } from './operation-field.ts';
import { TierEnum } from './orgs.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const VisibilityEnum = builder.enumType('AppVisibility', {
  description: 'Who finds a published version.',
  values: {
    PUBLIC: { value: 'public', description: 'Anybody, by browsing.' },
    UNLISTED: { value: 'unlisted', description: 'Anybody who has its id.' },
    PRIVATE: { value: 'private', description: 'Its own organization alone.' },
  } as const,
});

const StatusEnum = builder.enumType('AppVersionStatus', {
  description: 'How a published version stands.',
  values: {
    DRAFT: { value: 'draft', description: 'It is being prepared, or could not be.' },
    PUBLISHED: { value: 'published', description: 'It is there.' },
    ARCHIVED: { value: 'archived', description: 'Its project is archived.' },
  } as const,
});

const NeedRef = builder.objectRef<NamedNeed>('AppNeed').implement({
  description: 'Something that a fork has to be given, by its name. Never a value.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called.' }),
    description: t.string({
      nullable: true,
      description: 'What it is for.',
      resolve: ({ description }) => description ?? null,
    }),
  }),
});

const FunctionRef = builder.objectRef<AppContents['functions'][number]>('AppFunction').implement({
  description: 'A function that a fork is going to have.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'Longest it may run.' }),
    memoryMb: t.exposeInt('memoryMb', { description: 'Most memory of it, in mebibytes.' }),
    schedules: t.exposeInt('schedules', { description: 'How many schedules start it.' }),
    requireAuth: t.exposeBoolean('requireAuth', { description: 'Whether it answers signed-in users alone.' }),
  }),
});

const VersionRef = builder.objectRef<AppVersion>('AppVersion').implement({
  description:
    'A project as it was published, for others to fork: its schema and its release, never its data or secrets.',
  fields: (t) => ({
    versionId: t.exposeString('id', { description: 'Native id, `appv_…`.' }),
    projectId: t.exposeString('projectId', { description: 'The project that it was published from.' }),
    number: t.exposeInt('number', { description: 'Counts the versions of the project.' }),
    name: t.exposeString('name', { description: 'The name of the project, as it was.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it does, for people.' }),
    tags: t.stringList({ description: 'Words that it is found by.', resolve: ({ tags }) => [...tags] }),
    visibility: t.expose('visibility', { type: VisibilityEnum, description: 'Who finds it.' }),
    forkAllowed: t.exposeBoolean('forkAllowed', { description: 'Whether others may make projects from it.' }),
    forkPriceUsdMicros: t.float({
      description: 'What a fork costs, in micro-dollars.',
      resolve: ({ forkPrice }) => Number(forkPrice),
    }),
    minTier: t.expose('minTier', { type: TierEnum, description: 'The lowest tier that may run it.' }),
    status: t.field({ type: StatusEnum, description: 'How it stands.', resolve: statusOfVersion }),
    tables: t.stringList({ description: 'Tables of its schema.', resolve: ({ contents }) => [...contents.tables] }),
    functions: t.field({
      type: [FunctionRef],
      description: 'Its functions.',
      resolve: ({ contents }) => [...contents.functions],
    }),
    migrations: t.stringList({
      description: 'Migrations that made its schema.',
      resolve: ({ contents }) => [...contents.migrations],
    }),
    routes: t.int({ description: 'How many routes it has.', resolve: ({ contents }) => contents.routes }),
    siteFiles: t.int({ description: 'How many files its site has.', resolve: ({ contents }) => contents.siteFiles }),
    siteBytes: t.float({ description: 'How many bytes they take.', resolve: ({ contents }) => contents.siteBytes }),
    totalBytes: t.float({
      description: 'What a fork takes of storage beside its database.',
      resolve: ({ contents }) => contents.totalBytes,
    }),
    requiredSecrets: t.field({
      type: [NeedRef],
      description: 'Secrets that a fork has to set.',
      resolve: ({ requiredSecrets }) => [...requiredSecrets],
    }),
    requiredActions: t.field({
      type: [NeedRef],
      description: 'What else has to be done.',
      resolve: ({ requiredActions }) => [...requiredActions],
    }),
    bootstrapVariables: t.field({
      type: [NeedRef],
      nullable: true,
      description: 'Variables that its function `bootstrap` asks for.',
      resolve: ({ bootstrapVariables }) => bootstrapVariables?.slice() ?? null,
    }),
    warnings: t.stringList({
      description: 'What a fork has to be given before it works, in sentences.',
      resolve: warningsOf,
    }),
    liveUrl: t.string({
      nullable: true,
      description: 'Where the project is served that it was published from.',
      resolve: (version, _args, { services }) => liveUrlOf(services, version),
    }),
    error: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Why it could not be published: a code and a message.',
      resolve: ({ error }) => (error === null ? null : { ...error }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was published.' }),
  }),
});

const AppConnection = builder.connectionObject({ type: VersionRef, name: 'AppVersionConnection' });

readField('apps', browseApps, {
  type: AppConnection,
  paged: true,
  result: (page, args) => listConnection(page, args),
});

readField('app', getApp, { type: VersionRef });

builder.objectField(ProjectRef, 'appVersions', (t) =>
  t.field({
    type: [VersionRef],
    nullable: true,
    ...fieldOf(listVersions),
    resolve: ({ id }, _args, ctx) => run(listVersions, ctx, { project: id }),
  }),
);

const ForkStatusEnum = builder.enumType('AppForkStatus', {
  description: 'How a fork stands.',
  values: {
    CREATING: { value: 'creating', description: 'It is being made.' },
    READY: { value: 'ready', description: 'It is there.' },
    FAILED: { value: 'failed', description: 'It could not be made; what it cost was given back.' },
  } as const,
});

const ForkRef = builder.objectRef<ShownFork>('AppFork').implement({
  description: 'A project that was made from a published version.',
  fields: (t) => ({
    projectId: t.string({ description: 'The project, `prj_…`.', resolve: ({ fork }) => fork.id }),
    versionId: t.string({ description: 'The version.', resolve: ({ fork }) => fork.versionId }),
    status: t.field({ type: ForkStatusEnum, description: 'How it stands.', resolve: ({ fork }) => fork.status }),
    releaseId: t.string({ nullable: true, description: 'Its first release.', resolve: ({ fork }) => fork.releaseId }),
    siteUrl: t.string({
      nullable: true,
      description: 'Where it is served.',
      resolve: ({ fork }, _args, { services }) => siteUrlOf(services, fork) ?? null,
    }),
    subdomainUrl: t.string({
      nullable: true,
      description: 'Where it is served under the name that was asked for.',
      resolve: ({ fork }, _args, { services }) => subdomainUrlOf(services, fork) ?? null,
    }),
    paidUsdMicros: t.float({
      description: 'What it cost, in micro-dollars.',
      resolve: ({ fork }) => (fork.status === 'failed' ? 0 : Number(fork.price)),
    }),
    bootstrapResult: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The run of its function `bootstrap`.',
      resolve: ({ fork }) => bootstrapOf(fork).result ?? null,
    }),
    bootstrapError: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Why that function has not done its work: a code and a message.',
      resolve: ({ fork }) => bootstrapOf(fork).error ?? null,
    }),
    missingSecrets: t.stringList({
      description: 'Keys of secrets that it needs and has not.',
      resolve: ({ missingSecrets }) => [...missingSecrets],
    }),
    error: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Why it could not be made: a code and a message.',
      resolve: ({ fork }) => (fork.error === null ? null : { ...fork.error }),
    }),
    nextActions: t.field({
      type: 'JSON',
      description: 'What may be done with it now.',
      resolve: (shown) => forkActionsOf(shown),
    }),
  }),
});

builder.objectField(ProjectRef, 'fork', (t) =>
  t.field({
    type: ForkRef,
    nullable: true,
    ...fieldOf(getFork),
    resolve: ({ id }, _args, ctx) => run(getFork, ctx, { project: id }),
  }),
);

changeField('publishApp', publishApp, {
  type: VersionRef,
  input: 'A version to publish.',
  argument: 'The project, and what is said of the version.',
  types: {
    visibility: VisibilityEnum,
    required_secrets: { name: 'AppSecretInput', description: 'A secret that a fork has to set, by its key.' },
    required_actions: { name: 'AppActionInput', description: 'Something that has to be done in a fork.' },
    bootstrap_variables: {
      name: 'AppVariableInput',
      description: 'A variable that the function `bootstrap` asks for.',
    },
  },
  // It is answered once it is published, or has taken 45 seconds: it goes on by itself.
  result: (version, ctx) => endOfVersion(ctx, version),
});

changeField('updateAppVersion', updateVersion, {
  type: VersionRef,
  input: 'What is said of a published version.',
  argument: 'The version, and what is changed.',
  types: { visibility: VisibilityEnum },
});

changeField('deleteAppVersion', deleteVersion, {
  type: builder.objectRef<{ readonly id: string }>('DeleteAppVersionPayload').implement({
    description: 'A version that is gone.',
    fields: (t) => ({ versionId: t.exposeString('id', { description: 'The id that it had.' }) }),
  }),
  input: 'A version to delete.',
  argument: 'The version.',
});

const ForkedRef = builder.objectRef<ShownFork>('ForkAppPayload').implement({
  description: 'A fork with the keys to it.',
  fields: (t) => ({
    fork: t.field({ type: ForkRef, description: 'The fork.', resolve: (shown) => shown }),
    anonKey: t.string({
      description: 'Key for its visitors.',
      resolve: async ({ fork }, _args, ctx) => (await keysOfFork(ctx, fork)).anonKey,
    }),
    serviceKey: t.string({
      description: 'Key for its servers.',
      resolve: async ({ fork }, _args, ctx) => (await keysOfFork(ctx, fork)).serviceKey,
    }),
  }),
});

changeField('forkApp', forkApp, {
  type: ForkedRef,
  input: 'A project to make from a published version.',
  argument: 'The version, and how the project is to be called.',
  result: async (fork, ctx) => showFork(ctx, await endOfFork(ctx, fork)),
});
