import { getContents, type ProjectContents } from '../resolvers/operator/get-contents.ts';
import { getOverview, type Rollup, rollupOf } from '../resolvers/operator/get-overview.ts';
import { criticalItems, getOperatorStatus, type OperatorStatus } from '../resolvers/operator/get-status.ts';
import { listOperatorProjects, type OperatedProjects } from '../resolvers/operator/list-projects.ts';
import type { Advisory, OperatedOrg, OperatorScope, Reach } from '../resolvers/operator/reach.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { inputsOf, readField, rootFieldOf } from './operation-field.ts';
import { ProjectConnection } from './projects.ts';
import { run } from './run.ts';

const ScopeRef = builder.objectRef<OperatorScope>('OperatorScope').implement({
  description: 'For whom it was looked.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: '`email`, `wallet` or `principal`.' }),
    principal: t.exposeString('principal', { description: 'The address, the wallet or the principal.' }),
  }),
});

const OrgRef = builder.objectRef<OperatedOrg>('OperatedOrganization').implement({
  description: 'An organization that somebody answers for.',
  fields: (t) => ({
    orgId: t.exposeString('orgId', { description: 'Its native id, a UUID.' }),
    displayName: t.exposeString('displayName', { nullable: true, description: 'What it is called; null for nothing.' }),
    tier: t.exposeString('tier', { description: 'Its tier.' }),
    lifecycleState: t.exposeString('lifecycleState', { description: 'Where it stands with its lease.' }),
    role: t.exposeString('role', { description: 'The highest role there.' }),
    projectCount: t.exposeInt('projectCount', { description: 'Projects that are not deleted.' }),
    memberCount: t.exposeInt('memberCount', { description: 'Active members.' }),
  }),
});

const AdvisoryRef = builder.objectRef<Advisory>('OperatorAdvisory').implement({
  description: 'Something that needs to be looked at.',
  fields: (t) => ({
    type: t.exposeString('type', { description: '`operator_unreachable` or `lease_past_due`.' }),
    orgId: t.exposeString('orgId', { description: 'The organization, by its native id.' }),
  }),
});

const RollupRef = builder.objectRef<Rollup>('OperatorRollup').implement({
  description: 'How much somebody answers for.',
  fields: (t) => ({
    organizations: t.exposeInt('organizations', { description: 'Organizations.' }),
    projects: t.exposeInt('projects', { description: 'Projects that are not deleted, in all of them.' }),
    wallets: t.exposeInt('wallets', { description: 'Wallets.' }),
    advisories: t.exposeInt('advisories', { description: 'What needs to be looked at.' }),
  }),
});

const OverviewRef = builder.objectRef<Reach>('OperatorOverview').implement({
  description: 'What a person or a wallet answers for.',
  fields: (t) => ({
    scope: t.field({ type: ScopeRef, description: 'For whom it was looked.', resolve: ({ scope }) => scope }),
    rollup: t.field({ type: RollupRef, description: 'How much of each there is.', resolve: rollupOf }),
    organizations: t.field({
      type: [OrgRef],
      description: 'Organizations, oldest first.',
      resolve: ({ organizations }) => [...organizations],
    }),
    wallets: t.stringList({ description: 'Wallets.', resolve: ({ wallets }) => [...wallets] }),
    advisories: t.field({
      type: [AdvisoryRef],
      description: 'What needs to be looked at.',
      resolve: ({ advisories }) => [...advisories],
    }),
  }),
});

const ProjectsRef = builder.objectRef<OperatedProjects>('OperatorProjects').implement({
  description: 'All projects that somebody answers for.',
  fields: (t) => ({
    scope: t.field({ type: ScopeRef, description: 'For whom it was looked.', resolve: ({ scope }) => scope }),
    projects: t.field({
      type: ProjectConnection,
      description: 'Projects, newest first.',
      args: pageArgs,
      resolve: ({ projects }, page) => sliceConnection(projects, ({ id }) => id, page),
    }),
  }),
});

const ContentsRef = builder.objectRef<ProjectContents>('OperatorProjectContents').implement({
  description: 'What a project is made of, by name alone.',
  fields: (t) => ({
    projectId: t.exposeString('projectId', { description: 'The project, by its native id.' }),
    tables: t.stringList({ description: 'Its tables, by name.', resolve: ({ tables }) => [...tables] }),
    domains: t.stringList({
      description: 'Names that it is served under beside its generated one.',
      resolve: ({ domains }) => [...domains],
    }),
  }),
});

const ItemRef = builder.objectRef<{ readonly kind: string; readonly detail: string }>('OperatorItem').implement({
  description: 'Something that needs a person.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'What it is, as one word.' }),
    detail: t.exposeString('detail', { description: 'What it is, as a sentence.' }),
  }),
});

const StatusRef = builder.objectRef<OperatorStatus>('OperatorStatus').implement({
  description: 'Whether notices reach a person, and what needs one.',
  fields: (t) => ({
    emailStatus: t.exposeString('emailStatus', { description: '`none`, `pending` or `verified`.' }),
    passkeyStatus: t.exposeString('passkeyStatus', { description: '`none`, `pending` or `verified`.' }),
    recoveryGap: t.exposeBoolean('recoveryGap', {
      description: 'Whether an organization could not be acted for if its owner lost the way in.',
    }),
    criticalItems: t.field({ type: [ItemRef], description: 'What needs a person.', resolve: criticalItems }),
    verifiedRecipients: t.exposeInt('verifiedRecipients', { description: 'Addresses that notices reach.' }),
    platformStatus: t.string({
      nullable: true,
      description: '`degraded` while a fault of the platform’s is open that is everybody’s; else null.',
      resolve: ({ degraded }) => (degraded ? 'degraded' : null),
    }),
  }),
});

readField('operatorOverview', getOverview, { type: OverviewRef });

const listed = inputsOf(listOperatorProjects, { omit: ['include'] });

builder.queryField('operatorProjects', (t) =>
  t.field({
    type: ProjectsRef,
    nullable: true,
    ...rootFieldOf(listOperatorProjects),
    args: {
      ...listed.args,
      includeArchived: t.arg.boolean({ required: false, description: 'Whether archived ones are listed, too.' }),
    },
    resolve: (_root, { includeArchived, ...args }, ctx) => {
      const given = { ...listed.read(args), ...(includeArchived === true && { include: 'archived' as const }) };
      return run(listOperatorProjects, ctx, given, { ...listed.names, include: 'includeArchived' });
    },
  }),
);

readField('operatorProjectContents', getContents, { type: ContentsRef });
readField('operatorStatus', getOperatorStatus, { type: StatusRef });
