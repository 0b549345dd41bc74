import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { type Access, type NoScope, notAuthorized } from '../../kernel/access/access.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId, walletAddress } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { findOrCreatePrincipal } from '../identity/shared/subject-principal.ts';
import { activateMember } from '../members/shared/add-member.ts';
import { requireRoomForMember } from '../members/shared/room-for-member.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { findMembership } from '../orgs/shared/find-member.ts';
import { lockOrg } from '../orgs/shared/lock-org.ts';
import { holdRoomForFreeOrg } from '../orgs/shared/new-org.ts';
import { tierWire } from '../orgs/shared/wire.ts';
import { poolOf, projectsOf } from '../tiers/shared/pool-usage.ts';
import { handOver, unclaimedOwner } from './unclaimed-org.ts';

interface LinkInput {
  readonly org_id: string;
  readonly wallet: string;
}

export interface LinkedWallet {
  readonly org: Org;
  readonly wallet: string;
  /** False when the wallet was linked already. */
  readonly linked: boolean;
}

/** The wallet itself, or the platform admin. */
const access: Access<LinkInput, NoScope> = {
  action: null,
  authorise: async (_ctx, caller, { wallet }) => {
    if (caller.kind === 'admin' || (caller.kind === 'wallet' && caller.address === wallet)) return {};
    // Everybody has the anon key of a project: it is as good as none.
    const isNobody = caller.kind === 'nobody' || (caller.kind === 'project_key' && caller.role === 'anon');
    if (isNobody) throw new ServiceError('AUTH_REQUIRED');
    throw new ServiceError('FORBIDDEN', { message: 'The request has to be signed by that very wallet.' });
  },
};

/**
 * `POST /orgs/v1/:org_id/wallets`. A wallet can link itself where it is a member, and to the organization of a mail address
 * that nobody has signed in with and that holds nothing: it takes that one over. Contract 04, section 1.4.
 */
export const linkWallet = mutation({
  name: 'billing.linkWallet',
  tool: 'link_wallet_to_organization',
  command: 'billing link-wallet',
  effects: ['idempotent'],
  summary: 'Link a wallet to an organization, which then acts for it; the wallet has to sign.',
  path: 'POST /orgs/v1/:org_id/wallets',
  access,
  input: z.object({ org_id: orgId, wallet: walletAddress.describe('The wallet, which has to sign the request.') }),
  async handler(work, { org_id, wallet }): Promise<LinkedWallet> {
    const byAdmin = (await work.caller()).kind === 'admin';
    const { principalId } = await findOrCreatePrincipal(work, { kind: 'wallet', publicSubject: wallet }, org_id);
    // Before the organization's own lock: whoever makes a free organization takes the two in this order, too.
    const isMember = (await findMembership(work, org_id, principalId))?.status === 'active';
    if (!byAdmin && !isMember) await holdRoomForFreeOrg(work, principalId, { leaving: org_id });
    const org = await lockOrg(work, org_id);
    if (org === undefined && byAdmin) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { org_id } });
    if (org === undefined) throw notAuthorized(orgActions['org:billing:read'], 'member');
    const before = await findMembership(work, org.id, principalId);
    if (before?.status === 'active') return { org, wallet, linked: false };
    if (byAdmin) {
      refuseWhileClosed(org);
      await requireRoomForMember(work, org, before);
      await activateMember(work, org.id, principalId, 'billing');
    } else await takeOver(work, org, principalId);
    work.authorityChanged(org.id);
    return { org, wallet, linked: true };
  },
  audit: ({ org, wallet, linked }) =>
    linked
      ? { action: 'wallet.linked', object: { kind: 'wallet', id: wallet }, orgId: org.id, details: { wallet } }
      : undefined,
  wire: z.object({
    status: z.literal('linked'),
    org_id: z.uuid(),
    wallet: z.string(),
    pool_implications: z.object({
      tier: tierWire,
      projects_in_pool_count: z.int(),
      organization_api_calls_current: z.int(),
      organization_storage_bytes_current: z.int(),
      tier_limits: z.object({ api_calls: z.int(), storage_bytes: z.int() }),
      over_limit: z.boolean(),
    }),
  }),
  async toWire({ org, wallet }, { services }) {
    const pool = await poolOf(services, org, await projectsOf(services, org.id));
    return {
      status: 'linked' as const,
      org_id: org.id,
      wallet,
      pool_implications: {
        tier: org.tier,
        projects_in_pool_count: pool.projects,
        organization_api_calls_current: pool.apiCalls,
        organization_storage_bytes_current: pool.storageBytes,
        tier_limits: { api_calls: pool.apiCallsLimit, storage_bytes: pool.storageBytesLimit },
        over_limit: pool.apiCalls > pool.apiCallsLimit || pool.storageBytes > pool.storageBytesLimit,
      },
    };
  },
});

/** Makes a wallet the owner of an organization that is nobody's yet. */
async function takeOver(work: Work, org: Org, principalId: string): Promise<void> {
  const owner = await unclaimedOwner(work, org.id);
  if (owner === undefined) throw notAuthorized(orgActions['org:billing:read'], 'member');
  await handOver(work, { orgId: org.id, from: owner, to: principalId });
}
