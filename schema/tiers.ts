import { dropNulls } from '../core/drop-nulls.ts';
import type { Tier } from '../db/schema/orgs.ts';
import { setLeasePerpetual } from '../resolvers/lifecycle/set-lease-perpetual.ts';
import { getTierStatus, type TierStatus } from '../resolvers/tiers/get-tier-status.ts';
import { listTiers } from '../resolvers/tiers/list-tiers.ts';
import { emptyPool, type PoolUsage, poolOf, projectsOf } from '../resolvers/tiers/pool-usage.ts';
import { setTier } from '../resolvers/tiers/set-tier.ts';
import { storageMb, tierNames, tiers } from '../resolvers/tiers/tier-table.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { OrganizationRef, TierEnum } from './orgs.ts';
import { run } from './run.ts';

const TierOfferRef = builder.objectRef<Tier>('TierOffer').implement({
  description: 'What a tier costs and allows.',
  fields: (t) => ({
    tier: t.field({ type: TierEnum, description: 'The tier.', resolve: (tier) => tier }),
    description: t.string({ description: 'What it is for.', resolve: (tier) => tiers[tier].description }),
    priceUsdMicros: t.float({
      description: 'What a lease is quoted at, in micro-dollars.',
      resolve: (tier) => Number(tiers[tier].price),
    }),
    free: t.boolean({
      description: 'Whether nothing is taken for it: it is paid in test money.',
      resolve: (tier) => tiers[tier].charge === 0n,
    }),
    leaseDays: t.int({ description: 'Days that a lease lasts.', resolve: (tier) => tiers[tier].leaseDays }),
    storageMb: t.int({
      description: 'Storage of all projects, in mebibytes.',
      resolve: (tier) => storageMb(tiers[tier]),
    }),
    apiCalls: t.float({
      description: 'Data-plane requests to all projects per lease.',
      resolve: (tier) => tiers[tier].limits.apiCalls,
    }),
    maxFunctions: t.int({ description: 'Functions of all projects.', resolve: (tier) => tiers[tier].functions.max }),
    maxFunctionTimeoutSeconds: t.int({
      description: 'Longest a function may run.',
      resolve: (tier) => tiers[tier].functions.timeoutSeconds,
    }),
    maxFunctionMemoryMb: t.int({
      description: 'Most memory of a function, in mebibytes.',
      resolve: (tier) => tiers[tier].functions.memoryMb,
    }),
    maxScheduledFunctions: t.int({
      description: 'Scheduled functions of all projects.',
      resolve: (tier) => tiers[tier].functions.scheduled,
    }),
    minCronIntervalMinutes: t.int({
      description: 'Shortest time between two runs of a schedule.',
      resolve: (tier) => tiers[tier].functions.minIntervalMinutes,
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
      resolve: ({ org }) => org?.tier ?? null,
    }),
    active: t.exposeBoolean('active', { description: 'Whether the lease runs.' }),
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
    description: listTiers.summary,
    args: pageArgs,
    resolve: async (_root, page, ctx) => {
      await run(listTiers, ctx, {});
      return sliceConnection<Tier>(tierNames, (tier) => tier, page);
    },
  }),
  tierStatus: t.field({
    type: TierStatusRef,
    nullable: true,
    description: getTierStatus.summary,
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
    tier: t.field({ type: TierEnum, description: 'The tier; the one it has renews the lease.' }),
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
    description: setTier.summary,
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
    description: setLeasePerpetual.summary,
    authScopes: { credential: true },
    args: { input: t.arg({ type: SetOrganizationLeasePerpetualInput, description: 'What is to hold.' }) },
    resolve: async (_root, { input: { org, leasePerpetual, idempotencyKey } }, ctx) => {
      const given = { org: nativeId('Organization', org), lease_perpetual: leasePerpetual };
      return { ...(await run(setLeasePerpetual, keyed(ctx, idempotencyKey ?? undefined), given)), role: null };
    },
  }),
}));
