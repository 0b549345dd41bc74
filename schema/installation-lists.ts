import { limitNames, limitsOf, tierLimits } from '../kernel/limits/limits.ts';
import { listIncidents } from '../resolvers/incidents/list-incidents.ts';
import { getLimits } from '../resolvers/orgs/get-limits.ts';
import { listAllOrgs } from '../resolvers/orgs/list-all-orgs.ts';
import type { OperatedOrganization } from '../resolvers/orgs/operated-org.ts';
import { leaseEndOf } from '../resolvers/orgs/shared/wire.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, windowInputs } from './connection.ts';
import { IncidentStatusEnum, PlatformIncidentRef } from './incidents.ts';
import { InstallationRef } from './installation.ts';
import { fieldOf, inputsOf } from './operation-field.ts';
import { LifecycleStateEnum, TierEnum } from './orgs.ts';
import { LimitsRef } from './platform.ts';
import { run } from './run.ts';

interface LimitOverride {
  readonly name: string;
  readonly value: number;
}

const LimitOverrideRef = builder.objectRef<LimitOverride>('LimitOverride').implement({
  description: 'A limit that the platform admin set for one organization.',
  fields: (t) => ({
    name: t.exposeString('name', { description: `One of ${limitNames.join(', ')}.` }),
    value: t.exposeFloat('value', { description: 'The organization’s own value.' }),
  }),
});

const OperatedOrganizationRef = builder
  .objectRef<OperatedOrganization & { readonly storageBytes?: number }>('InstallationOrganization')
  .implement({
    description: 'An organization as the platform admin sees it.',
    fields: (t) => ({
      orgId: t.exposeString('id', { description: 'Native id, a UUID.' }),
      displayName: t.exposeString('displayName', { nullable: true, description: 'What people call it.' }),
      slug: t.exposeString('slug', { nullable: true, description: 'Its address form.' }),
      tier: t.expose('tier', { type: TierEnum, description: 'Its tier.' }),
      lifecycleState: t.expose('lifecycleState', { type: LifecycleStateEnum, description: 'Where its lease stands.' }),
      leasePerpetual: t.exposeBoolean('leasePerpetual', { description: 'Whether it stays active whatever its lease.' }),
      leaseExpiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When its lease ends; null for never.',
        resolve: leaseEndOf,
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
      members: t.int({ description: 'Active members.', resolve: ({ members }) => Number(members) }),
      projects: t.int({ description: 'Projects that are not deleted.', resolve: ({ projects }) => Number(projects) }),
      apiCalls: t.float({
        description: 'Requests to its data planes in this period.',
        resolve: ({ apiCalls }) => Number(apiCalls),
      }),
      storageBytes: t.float({
        nullable: true,
        description: 'Bytes that its projects store; null in a list, where they are not measured.',
        resolve: ({ storageBytes }) => storageBytes ?? null,
      }),
      balanceUsdMicros: t.float({
        description: 'Its spendable balance, in micro-dollars.',
        resolve: ({ balance }) => Number(balance),
      }),
      limits: t.field({ type: LimitsRef, description: 'The limits that hold.', resolve: limitsOf }),
      tierLimits: t.field({
        type: LimitsRef,
        description: 'The limits of its tier.',
        resolve: ({ tier }) => tierLimits[tier],
      }),
      overrides: t.field({
        type: [LimitOverrideRef],
        description: 'Limits of its own, apart from its tier.',
        resolve: ({ limitOverrides }) => Object.entries(limitOverrides).map(([name, value]) => ({ name, value })),
      }),
    }),
  });

const OperatedOrganizationConnection = builder.connectionObject({
  type: OperatedOrganizationRef,
  name: 'InstallationOrganizationConnection',
});
const PlatformIncidentConnection = builder.connectionObject({
  type: PlatformIncidentRef,
  name: 'PlatformIncidentConnection',
});

const found = inputsOf(listAllOrgs, {
  omit: windowInputs,
  types: { state: LifecycleStateEnum, tier: TierEnum },
});
const told = inputsOf(listIncidents, { omit: windowInputs, types: { status: IncidentStatusEnum } });
const measured = inputsOf(getLimits);

builder.objectFields(InstallationRef, (t) => ({
  organizations: t.field({
    type: OperatedOrganizationConnection,
    nullable: true,
    ...fieldOf(listAllOrgs),
    args: { ...pageArgs, ...found.args },
    resolve: async (_installation, args, ctx) =>
      listConnection(await run(listAllOrgs, ctx, { ...found.read(args), ...listWindowOf(args) }), args),
  }),
  organization: t.field({
    type: OperatedOrganizationRef,
    nullable: true,
    ...fieldOf(getLimits),
    args: measured.args,
    resolve: (_installation, args, ctx) => run(getLimits, ctx, measured.read(args)),
  }),
  incidents: t.field({
    type: PlatformIncidentConnection,
    nullable: true,
    ...fieldOf(listIncidents),
    args: { ...pageArgs, ...told.args },
    resolve: async (_installation, args, ctx) =>
      listConnection(await run(listIncidents, ctx, { ...told.read(args), ...listWindowOf(args) }), args),
  }),
}));
