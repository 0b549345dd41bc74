import type { z } from 'zod';
import type { Context } from '../kernel/run/context.ts';
import { hostOfProject } from '../resolvers/hosts/shared/host-urls.ts';
import { getProject } from '../resolvers/projects/get-project.ts';
import { getProjectKeys } from '../resolvers/projects/get-project-keys.ts';
import { getUsage } from '../resolvers/projects/get-usage.ts';
import { listProjects } from '../resolvers/projects/list-projects.ts';
import { type ProjectUsage, projectUsages } from '../resolvers/projects/project-usage.ts';
import { type LastDeploy, lastDeploysOf } from '../resolvers/projects/shared/last-deploys.ts';
import { loadProjects } from '../resolvers/projects/shared/load-projects.ts';
import { hostsOfProjects, originOfHost } from '../resolvers/projects/shared/project-hosts.ts';
import { type ProjectRow, statusOf } from '../resolvers/projects/shared/wire.ts';
import { builder, pageArgs } from './builder.ts';
import { inOrder, listConnection, listWindowOf, type PageArgs } from './connection.ts';
import { loaderOf } from './loader.ts';
import { fieldOf, inputsOf, readField, rootFieldOf } from './operation-field.ts';
import { OrganizationRef, TierEnum } from './orgs.ts';
import { run } from './run.ts';

const ProjectStatusEnum = builder.enumType('ProjectStatus', {
  description: 'What serving a project amounts to.',
  values: {
    ACTIVE: { value: 'active', description: 'Serves.' },
    PAST_DUE: { value: 'past_due', description: 'Serves; the organization’s lease has run out.' },
    FROZEN: { value: 'frozen', description: 'Serves, but changes are refused.' },
    DORMANT: { value: 'dormant', description: 'Serves reads only.' },
    ARCHIVED: { value: 'archived', description: 'Put away by the platform admin.' },
    DELETED: { value: 'deleted', description: 'Gone.' },
  } as const,
});

const ProjectStateEnum = builder.enumType('ProjectState', {
  description: 'How far the making of a project has come.',
  values: {
    PROVISIONING: { value: 'provisioning', description: 'Its database is being made.' },
    READY: { value: 'ready', description: 'Its database and keys exist.' },
    FAILED: { value: 'failed', description: 'Could not be made and was undone.' },
    DELETING: { value: 'deleting', description: 'Deleted; its database is being dropped.' },
    DELETED: { value: 'deleted', description: 'Deleted, and its database dropped.' },
  } as const,
});

const ProjectKeysRef = builder.objectRef<{ anonKey: string; serviceKey: string }>('ProjectKeys').implement({
  description: 'The two keys of a project: the same strings whenever they are asked for.',
  fields: (t) => ({
    anonKey: t.exposeString('anonKey', { description: 'For browsers; reads what is exposed.' }),
    serviceKey: t.exposeString('serviceKey', { description: 'For servers alone; bypasses row security.' }),
  }),
});

const ProjectUsageRef = builder.objectRef<ProjectUsage>('ProjectUsage').implement({
  description: 'What a project uses, beside what its organization’s tier allows.',
  fields: (t) => ({
    apiCalls: t.exposeFloat('apiCalls', { description: 'Requests made with its own keys in this lease.' }),
    storageBytes: t.exposeFloat('storageBytes', { description: 'Bytes that its database and its content take.' }),
    apiCallsLimit: t.exposeFloat('apiCallsLimit', { description: 'Requests the tier allows.' }),
    storageBytesLimit: t.exposeFloat('storageBytesLimit', { description: 'Bytes the tier allows.' }),
  }),
});

/** What several projects use, in as many statements as for one. */
const usageOf = loaderOf(
  (ctx, projects: readonly ProjectRow[]) => projectUsages(ctx.services, projects),
  ({ id }) => id,
);

/** Where several projects are served, in as many statements as for one. */
const hostsOf = loaderOf(
  (ctx, projects: readonly ProjectRow[]) => hostsOfProjects(ctx.services, projects),
  ({ id }) => id,
);

/** What several projects serve, in as many statements as for one. */
const lastDeployOf = loaderOf(
  (ctx, projects: readonly ProjectRow[]) => lastDeploysOf(ctx.services, projects),
  ({ id }) => id,
);

const LastDeployRef = builder.objectRef<LastDeploy>('LastDeploy').implement({
  description: 'What a project serves, and since when.',
  fields: (t) => ({
    releaseId: t.exposeString('releaseId', { description: 'The live release, `rel_…`.' }),
    activatedAt: t.expose('activatedAt', { type: 'DateTime', description: 'When it went live, the last time.' }),
  }),
});

export const ProjectRef = builder.loadableNodeRef<ProjectRow, string>('Project', {
  id: { resolve: (project) => project.id },
  load: async (ids, ctx) => inOrder(ids, await loadProjects(ctx, ids), (project) => project.id) as ProjectRow[],
  toKey: (project) => project.id,
});

ProjectRef.implement({
  description: 'A backend of its own: a database, keys, and later hosting and functions.',
  fields: (t) => ({
    projectId: t.exposeString('id', { description: 'Native id, `prj_…`.' }),
    publicId: t.exposeString('publicId', { description: 'Short opaque id in host names.' }),
    name: t.exposeString('name', { description: 'Name for people.' }),
    repoName: t.exposeString('repoName', { nullable: true, description: 'Address form, unique in the organization.' }),
    maxAffected: t.exposeInt('maxAffected', {
      nullable: true,
      description: 'Rows that one update or delete of its rows may change; null for any number.',
    }),
    pendingTransferId: t.exposeString('transferId', {
      nullable: true,
      description: 'The offer of it to somebody else that is pending; null without one.',
    }),
    state: t.expose('state', { type: ProjectStateEnum, description: 'How far its making has come.' }),
    status: t.field({ type: ProjectStatusEnum, description: 'What serving it amounts to.', resolve: statusOf }),
    tier: t.expose('orgTier', { type: TierEnum, description: 'The organization’s tier.' }),
    schemaSlot: t.exposeString('schemaSlot', { description: 'Short name of its schema, for example `p0001`.' }),
    createdBy: t.exposeString('createdBy', { nullable: true, description: 'Principal that created it, `prn_…`.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    archivedAt: t.expose('archivedAt', { type: 'DateTime', nullable: true, description: 'When it was put away.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was deleted; seen only in the answer to its deletion.',
    }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The owner; null for a caller that reaches the project without being a member.',
      resolve: ({ orgId, organization }) => organization ?? orgId,
    }),
    siteUrl: t.string({
      nullable: true,
      description: 'Its first subdomain, else its first own domain; null without either.',
      resolve: async (project, _args, ctx) => (await hostsOf(ctx).load(project)).siteUrl,
    }),
    hostUrl: t.string({
      description: 'Its own host, which it has from the start.',
      resolve: ({ publicId }, _args, { services }) => originOfHost(services, hostOfProject(services, publicId)),
    }),
    customDomains: t.stringList({
      description: 'Its own domains that are bound.',
      resolve: async (project, _args, ctx) => (await hostsOf(ctx).load(project)).customDomains,
    }),
    lastDeploy: t.field({
      type: LastDeployRef,
      nullable: true,
      description: 'Its live release; null for a project that was never deployed to.',
      resolve: (project, _args, ctx) => lastDeployOf(ctx).load(project),
    }),
    usage: t.field({
      type: ProjectUsageRef,
      ...fieldOf(getUsage),
      resolve: (project, _args, ctx) => usageOf(ctx).load(project),
    }),
    keys: t.field({
      type: ProjectKeysRef,
      nullable: true,
      ...fieldOf(getProjectKeys),
      resolve: ({ id }, _args, ctx) => run(getProjectKeys, ctx, { project: id }),
    }),
  }),
});

export const ProjectConnection = builder.connectionObject({ type: ProjectRef, name: 'ProjectConnection' });

/** One page of projects, of one organization or of all that the caller may see. */
async function projectPage(
  ctx: Context,
  where: Pick<z.input<typeof listProjects.input>, 'org_id' | 'include'>,
  page: PageArgs,
) {
  return listConnection(await run(listProjects, ctx, { ...where, ...listWindowOf(page) }, { org_id: 'org' }), page);
}

readField('project', getProject, { type: ProjectRef, rename: { project: 'id' } });

const listed = inputsOf(listProjects, { omit: ['include', 'limit', 'after', 'before', 'from_end'] });

builder.queryField('projects', (t) =>
  t.field({
    type: ProjectConnection,
    nullable: true,
    ...rootFieldOf(listProjects),
    args: {
      ...pageArgs,
      ...listed.args,
      includeArchived: t.arg.boolean({ defaultValue: false, description: 'List archived projects, too.' }),
    },
    resolve: (_root, { includeArchived, ...args }, ctx) => {
      const where = listed.read(args);
      return projectPage(ctx, includeArchived ? { ...where, include: 'archived' } : where, args);
    },
  }),
);

builder.objectField(OrganizationRef, 'projects', (t) =>
  t.field({
    type: ProjectConnection,
    ...fieldOf(listProjects),
    args: pageArgs,
    resolve: ({ id }, page, ctx) => projectPage(ctx, { org_id: id }, page),
  }),
);
