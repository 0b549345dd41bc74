import { z } from 'zod';
import { renewTier } from '../../core/error-codes.ts';
import { sql } from '../../db/drizzle.ts';
import { functionSchedules } from '../../db/schema/function-schedules.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { memberships, type Org, orgs } from '../../db/schema/orgs.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import {
  type Access,
  type NoScope,
  notAuthorized,
  type OrgScope,
  onOrg,
  signedIn,
} from '../../kernel/access/access.ts';
import { isPrincipal } from '../../kernel/access/caller.ts';
import { entersAt } from '../../kernel/access/lifecycle.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { tiers } from '../../kernel/limits/tier-table.ts';
import { query } from '../../kernel/run/operation.ts';
import { joinVerifiedMail } from '../identity/shared/known-addresses.ts';
import { walletOf } from '../identity/shared/wallet-of.ts';
import { isDegraded } from '../incidents/shared/open-incidents.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { findOwnOrg, ownScope } from '../orgs/shared/own-org.ts';
import { leaseEndToWire, tierWire } from '../orgs/shared/wire.ts';
import { offersToWallet, summaryToWire, TransferSummaryWire } from '../projects/shared/transfer-summary.ts';
import { ProjectSummaryWire, projectsToWire } from '../projects/shared/wire.ts';
import { emptyPool, poolOf, projectsOf } from './shared/pool-usage.ts';

interface TierStatusInput {
  readonly org_id?: string | undefined;
}

export interface TierStatus {
  readonly wallet: string | null;
  /** Null for a wallet that has no organization yet. */
  readonly org: Org | null;
  /** Whether the lease runs and the organization stands by it. */
  readonly active: boolean;
  /** Whether somebody who could act on a notice has a mail address that is known to work. */
  readonly operatorReachable: boolean;
  /** Whether a fault of the platform's is open that is everybody's or touches the organization. */
  readonly degraded: boolean;
  /** Of all its projects. */
  readonly schedules: number;
}

const onNamedOrg = onOrg(orgActions['org:read'], ({ org_id }: TierStatusInput) => org_id!);
const anyPrincipal = signedIn<TierStatusInput>('wallet', 'control_plane', 'operator');

/** On the named organization, or on the caller's own if it has one. */
const access: Access<TierStatusInput, OrgScope | NoScope> = {
  action: orgActions['org:read'],
  authorise: async (ctx, caller, input) => {
    if (input.org_id !== undefined) return onNamedOrg.authorise(ctx, caller, input);
    if (caller.kind === 'delegate') throw notAuthorized(orgActions['org:read'], 'forbidden');
    const { principal } = await anyPrincipal.authorise(ctx, caller, input);
    const own = await findOwnOrg(ctx.services.db, principal.principal.id);
    return own === undefined ? {} : ownScope(own, orgActions['org:read']);
  },
};

const TierStatusWire = z.object({
  wallet: z.string().nullable(),
  org_id: z.uuid().nullable(),
  tier: tierWire.nullable(),
  lease: z.enum(['perpetual', 'leased']).nullable(),
  lease_days: z.int().nullable(),
  lease_started_at: z.iso.datetime().nullable(),
  lease_expires_at: z.iso.datetime().nullable(),
  active: z.boolean(),
  organization_lifecycle_state: ProjectSummaryWire.shape.organization_lifecycle_state.nullable(),
  lease_perpetual: z.boolean().nullable(),
  pool_usage: z.object({
    projects: z.int(),
    total_api_calls: z.int(),
    total_storage_bytes: z.int(),
    api_calls_limit: z.int(),
    storage_bytes_limit: z.int(),
  }),
  projects: z.array(
    ProjectSummaryWire.pick({
      id: true,
      project_id: true,
      name: true,
      tier: true,
      status: true,
      pinned: true,
      created_at: true,
      effective_status: true,
      organization_lifecycle_state: true,
      lease_perpetual: true,
      org_id: true,
      created_by: true,
    }),
  ),
  incoming_transfers: z.array(TransferSummaryWire),
  function_limits: z
    .object({
      max_function_timeout_seconds: z.int(),
      max_function_memory_mb: z.int(),
      max_scheduled_functions: z.int(),
      min_cron_interval_minutes: z.int(),
      current_scheduled_functions: z.int(),
    })
    .optional(),
  platform_status: z.literal('degraded').optional(),
  advisories: z
    .array(
      z.object({
        type: z.enum(['operator_unreachable', 'lease_past_due']),
        summary: z.string(),
        next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string(), why: z.string() })),
      }),
    )
    .optional(),
});

const unreachable = {
  type: 'operator_unreachable' as const,
  summary: 'Nobody who runs this organization has a verified mail address, so notices about it reach nobody.',
  next_actions: [
    { type: 'edit_request', method: 'POST', path: '/agent/v1/contact', why: 'Name a mail address and verify it.' },
  ],
};

/** Everything goes on while an organization is past_due, so this is where it learns of it. Contract 01, section 1.19. */
const pastDue = (org: Org) => ({
  type: 'lease_past_due' as const,
  summary: `The lease has ended. Changes are refused from ${entersAt(org, 'frozen').toISOString()} on.`,
  next_actions: [renewTier(org.tier)],
});

/** `GET /tiers/v1/status`. Contract 01, section 6.8. */
export const getTierStatus = query({
  name: 'tiers.getStatus',
  tool: 'tier_status',
  command: 'tier status',
  summary: 'An organization’s tier and lease, and what all its projects use together.',
  path: 'GET /tiers/v1/status',
  access,
  input: z.object({ org_id: orgId.optional().describe('Organization; the caller’s own when absent.') }),
  async handler(ctx): Promise<TierStatus> {
    const { db } = ctx.services;
    const caller = await ctx.caller();
    const wallet = isPrincipal(caller) ? await walletOf(db, caller) : null;
    const org = ctx.org ?? null;
    if (org === null) {
      const degraded = ctx.services.incidents.open().some(({ scope }) => scope === 'global');
      return { wallet, org, active: false, operatorReachable: true, degraded, schedules: 0 };
    }
    const [facts] = await db.rows(factsStatement.with({ id: org.id }));
    return {
      wallet,
      org,
      active: facts!.active,
      operatorReachable: facts!.reachable,
      degraded: facts!.degraded,
      schedules: facts!.schedules,
    };
  },
  wire: TierStatusWire,
  // Usage is asked for only where it is shown: GraphQL callers may not select it.
  async toWire(
    { wallet, org, active, operatorReachable, degraded, schedules },
    { services },
  ): Promise<z.infer<typeof TierStatusWire>> {
    const projects = org === null ? [] : await projectsOf(services, org.id);
    const pool = org === null ? emptyPool : await poolOf(services, org, projects);
    const perpetual = org?.leasePerpetual ?? false;
    const tier = org === null ? undefined : tiers[org.tier];
    const advisories = [
      ...(operatorReachable ? [] : [unreachable]),
      ...(org?.lifecycleState === 'past_due' ? [pastDue(org)] : []),
    ];
    return {
      wallet,
      org_id: org?.id ?? null,
      tier: org?.tier ?? null,
      lease: org === null ? null : perpetual ? 'perpetual' : 'leased',
      lease_days: perpetual ? null : (tier?.leaseDays ?? null),
      lease_started_at: org?.leaseStartedAt.toISOString() ?? null,
      lease_expires_at: org === null ? null : leaseEndToWire(org),
      active,
      organization_lifecycle_state: org?.lifecycleState ?? null,
      lease_perpetual: org?.leasePerpetual ?? null,
      pool_usage: {
        projects: pool.projects,
        total_api_calls: pool.apiCalls,
        total_storage_bytes: pool.storageBytes,
        api_calls_limit: pool.apiCallsLimit,
        storage_bytes_limit: pool.storageBytesLimit,
      },
      projects: TierStatusWire.shape.projects.parse(await projectsToWire(services, projects)),
      incoming_transfers: (await offersToWallet(services.db.rows, wallet)).map(summaryToWire),
      ...(tier === undefined
        ? {}
        : {
            function_limits: {
              max_function_timeout_seconds: tier.functions.timeoutSeconds,
              max_function_memory_mb: tier.functions.memoryMb,
              max_scheduled_functions: tier.functions.scheduled,
              min_cron_interval_minutes: tier.functions.minIntervalMinutes,
              current_scheduled_functions: schedules,
            },
          }),
      ...(degraded ? { platform_status: 'degraded' as const } : {}),
      ...(advisories.length === 0 ? {} : { advisories }),
    };
  },
});

const ofOrg = sql`${memberships.orgId} = ${orgs.id} and ${memberships.status} = 'active'
  and ${memberships.role} in ('owner', 'admin')`;

const factsStatement = statement(
  'tiers.facts',
  {
    params: pick(orgs, 'id'),
    row: {
      active: computed<boolean>(
        'boolean',
        sql`${orgs.lifecycleState} = 'active' and (${orgs.leasePerpetual} or ${orgs.leaseExpiresAt} > now())`,
      ),
      reachable: computed<boolean>(
        'boolean',
        sql`exists (select from ${memberships} ${joinVerifiedMail} where ${ofOrg})
          or exists (select from ${memberships}
            join ${operatorContacts} on ${operatorContacts.principalId} = ${memberships.principalId}
            where ${ofOrg} and ${operatorContacts.email} is not null and ${operatorContacts.emailVerifiedAt} is not null)`,
      ),
      degraded: computed<boolean>('boolean', isDegraded(orgs.id)),
      schedules: computed<number>(
        'integer',
        sql`(select count(*)::int from ${functionSchedules} where ${functionSchedules.orgId} = ${orgs.id})`,
      ),
    },
  },
  ({ id }, row) => sql`select ${row} from ${orgs} where ${orgs.id} = ${id}`,
);
