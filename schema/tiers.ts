import { type Offer, offerOf, storageMb } from '../kernel/limits/tier-table.ts';
import { setLeasePerpetual } from '../resolvers/lifecycle/set-lease-perpetual.ts';
import { getTierStatus, type TierStatus } from '../resolvers/tiers/get-tier-status.ts';
import { listTiers } from '../resolvers/tiers/list-tiers.ts';
import { setTier } from '../resolvers/tiers/set-tier.ts';
import { emptyPool, type PoolUsage, poolOf, projectsOf } from '../resolvers/tiers/shared/pool-usage.ts';
import { builder } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { changeField, readField } from './operation-field.ts';
import { OrganizationRef, TierEnum } from './orgs.ts';
import { LimitsRef } from './platform.ts';

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
    limits: t.field({
      type: LimitsRef,
      description: 'Every limit of an organization on this tier, unless it has its own.',
      resolve: ({ limits }) => limits,
    }),
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

export const PoolUsageRef = builder.objectRef<PoolUsage>('PoolUsage').implement({
  description: 'What all projects of an organization use together, beside what its tier allows.',
  fields: (t) => ({
    projects: t.exposeInt('projects', { description: 'Projects that are not deleted.' }),
    apiCalls: t.exposeFloat('apiCalls', { description: 'Data-plane requests in this lease.' }),
    storageBytes: t.exposeFloat('storageBytes', { description: 'Bytes that their databases and their content take.' }),
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

readField('tiers', listTiers, {
  type: TierOfferConnection,
  paged: true,
  result: (offers, page) => sliceConnection<Offer>(Object.values(offers), ({ tier }) => tier, page),
});

readField('tierStatus', getTierStatus, { type: TierStatusRef });

changeField('setOrganizationTier', setTier, {
  type: OrganizationRef,
  input: 'Which tier an organization is put on.',
  argument: 'The tier.',
  types: { tier: TierEnum },
  result: ({ org, role }) => ({ ...org, role }),
});

changeField('setOrganizationLeasePerpetual', setLeasePerpetual, {
  type: OrganizationRef,
  input: 'Whether an organization’s lease counts.',
  argument: 'What is to hold.',
  result: (org) => ({ ...org, role: null }),
});
