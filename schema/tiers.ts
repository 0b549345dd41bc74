import { dropNulls } from '../core/drop-nulls.ts';
import { type Offer, offerOf, storageMb } from '../kernel/limits/tier-table.ts';
import { setLeasePerpetual } from '../resolvers/lifecycle/set-lease-perpetual.ts';
import { getTierStatus, type TierStatus } from '../resolvers/tiers/get-tier-status.ts';
import { listTiers } from '../resolvers/tiers/list-tiers.ts';
import { emptyPool, type PoolUsage, poolOf, projectsOf } from '../resolvers/tiers/pool-usage.ts';
import { setTier } from '../resolvers/tiers/set-tier.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { OrganizationRef, TierEnum } from './orgs.ts';
import { run } from './run.ts';

const TierOfferRef = builder.objectRef<Offer>('TierOffer').implement({
  description: 'What a tier costs and allows.',
  fields: (t) => ({
    tier: t.field({ type: TierEnum, description: 'The tier.', resolve: (offer) => offer.tier }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    priceUsdMicros: t.float({
      description: 'What a lease costs, in micro-dollars; 0 where leases are off.',
      resolve: ({ price }) => Number(price),
    }),
    free: t.boolean({
      description: 'Whether it costs nothing, as every tier does where leases are off.',
      resolve: ({ price }) => price === 0n,
    }),
    leaseDays: t.exposeInt('leaseDays', {
      nullable: true,
      description: 'Days that a lease lasts; null where leases are off.',
    }),
    storageMb: t.int({ description: 'Storage of all projects, in mebibytes.', resolve: storageMb }),
    apiCalls: t.float({
      description: 'Data-plane requests to all projects in `usageDays`.',
      resolve: ({ limits }) => limits.apiCalls,
    }),
    usageDays: t.exposeInt('usageDays', { description: 'Days after which requests are counted anew.' }),
    maxProjects: t.int({ description: 'Projects.', resolve: ({ limits }) => limits.projects }),
    maxMembers: t.int({ description: 'Members and invitations.', resolve: ({ limits }) => limits.members }),
    maxFunctions: t.int({ description: 'Functions of all projects.', resolve: ({ functions }) => functions.max }),
    maxFunctionTimeoutSeconds: t.int({
      description: 'Longest a function may run.',
      resolve: ({ functions }) => functions.timeoutSeconds,
    }),
    maxFunctionMemoryMb: t.int({
      description: 'Most memory of a function, in mebibytes.',
      resolve: ({ functions }) => functions.memoryMb,
    }),
    maxScheduledFunctions: t.int({
      description: 'Scheduled functions of all projects.',
      resolve: ({ functions }) => functions.scheduled,
    }),
    minCronIntervalMinutes: t.int({
      description: 'Shortest time between two runs of a schedule.',
      resolve: ({ functions }) => functions.minIntervalMinutes,
    }),
  }),
});

const TierOfferConnection = builder.connectionObject({ type: TierOfferRef, name: 'TierOfferConnection' });

const PoolUsageRef = builder.objectRef<PoolUsage>('PoolUsage').implement({
  description: 'What all projects of an organization use together, beside what its tier allows.',
  fields: (t) => ({
    projects: t.exposeInt('projects', { description: 'Projects that are not deleted.' }),
    apiCalls: t.exposeFloat('apiCalls', { description: 'Data-plane requests in this lease.' }),
    storageBytes: t.exposeFloat('storageBytes', { description: 'Bytes that their databases take on disk.' }),
    apiCallsLimit: t.exposeFloat('apiCallsLimit', { description: 'Data-plane requests that are allowed.' }),
    storageBytesLimit: t.exposeFloat('storageBytesLimit', { description: 'Bytes that are allowed.' }),
  }),
});

const TierStatusRef = builder.objectRef<TierStatus>('TierStatus').implement({
  description: 'Where an organization stands with its tier.',
  fields: (t) => ({
    wallet: t.exposeString('wallet', { nullable: true, description: 'The caller’s wallet; null without one.' }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The organization, with its tier and lease; null for a wallet that has none yet.',
      resolve: ({ org }) => org?.id ?? null,
    }),
    offer: t.field({
      type: TierOfferRef,
      nullable: true,
      description: 'What its tier allows; null without an organization.',
      resolve: ({ org }, _args, { services }) => (org === null ? null : offerOf(org.tier, services.settings.leases)),
    }),
    active: t.exposeBoolean('active', { description: 'Whether it is active: its lease runs, or never ends.' }),
    operatorReachable: t.exposeBoolean('operatorReachable', {
      description: 'Whether an owner or admin has a verified mail address; else notices reach nobody.',
    }),
    platformStatus: t.string({
      nullable: true,
      description: '`degraded` while a fault of the platform’s is open that is everybody’s or touches it; else null.',
      resolve: ({ degraded }) => (degraded ? 'degraded' : null),
    }),
    poolUsage: t.field({
      type: PoolUsageRef,
      description: 'What its projects use together.',
      resolve: async ({ org }, _args, { services }) =>
        org === null ? emptyPool : poolOf(services, org, await projectsOf(services, org.id)),
    }),
  }),
});

builder.queryFields((t) => ({
  tiers: t.field({
    type: TierOfferConnection,
    nullable: true,
    ...fieldOf(listTiers),
    args: pageArgs,
    resolve: async (_root, page, ctx) => {
      const offers = Object.values(await run(listTiers, ctx, {}));
      return sliceConnection<Offer>(offers, ({ tier }) => tier, page);
    },
  }),
  tierStatus: t.field({
    type: TierStatusRef,
    nullable: true,
    ...fieldOf(getTierStatus),
    authScopes: { credential: true },
    args: {
      org: t.arg.id({
        required: false,
        description: 'Organization, by global or native id; the caller’s own when absent.',
      }),
    },
    resolve: (_root, { org }, ctx) =>
      run(getTierStatus, ctx, dropNulls({ org_id: org == null ? null : nativeId('Organization', org) }), {
        org_id: 'org',
      }),
  }),
}));

const SetOrganizationTierInput = builder.inputType('SetOrganizationTierInput', {
  description: 'Which tier an organization is put on.',
  fields: (t) => ({
    tier: t.field({ type: TierEnum, description: 'The tier; with leases on, the one that it has renews the lease.' }),
    org: t.id({ required: false, description: 'Organization, by global or native id; the wallet’s own when absent.' }),
    ...keyField(t),
  }),
});

const SetOrganizationLeasePerpetualInput = builder.inputType('SetOrganizationLeasePerpetualInput', {
  description: 'Whether an organization’s lease counts.',
  fields: (t) => ({
    ...orgField(t),
    leasePerpetual: t.boolean({ description: 'Whether it stays active whatever its lease.' }),
    ...keyField(t),
  }),
});

builder.mutationFields((t) => ({
  setOrganizationTier: t.field({
    type: OrganizationRef,
    nullable: true,
    ...fieldOf(setTier),
    authScopes: { credential: true },
    args: { input: t.arg({ type: SetOrganizationTierInput, description: 'The tier.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { tier, org: id, idempotencyKey } = dropNulls(input);
      const given = dropNulls({ tier, org_id: id === undefined ? undefined : nativeId('Organization', id) });
      const { org, role } = await run(setTier, keyed(ctx, idempotencyKey), given, { org_id: 'org' });
      return { ...org, role };
    },
  }),
  setOrganizationLeasePerpetual: t.field({
    type: OrganizationRef,
    nullable: true,
    ...fieldOf(setLeasePerpetual),
    authScopes: { credential: true },
    args: { input: t.arg({ type: SetOrganizationLeasePerpetualInput, description: 'What is to hold.' }) },
    resolve: async (_root, { input: { org, leasePerpetual, idempotencyKey } }, ctx) => {
      const given = { org: nativeId('Organization', org), lease_perpetual: leasePerpetual };
      return { ...(await run(setLeasePerpetual, keyed(ctx, idempotencyKey ?? undefined), given)), role: null };
    },
  }),
}));
