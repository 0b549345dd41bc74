import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { channelCommunities, channelRoutes } from '../../../db/schema/channel-routes.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { lockOrgFor } from '../../orgs/shared/lock-org.ts';
import { channelActions } from '../actions.ts';
import { revoke } from '../revoke-route.ts';
import {
  type ChannelCommunity,
  ChannelCommunityWire,
  communityColumns,
  communityId,
  communityToWire,
  enrollmentPolicy,
  lockCommunity,
  onCommunity,
} from './community.ts';

/** `PATCH /channel-communities/v1/:community_installation_id`. Contract 02, section 5.7. */
export const updateCommunity = mutation({
  name: 'channelCommunities.update',
  command: 'channel-community update',
  effects: ['destructive'],
  summary: 'Change how agents may become members of a chat community, and which community is the usual one.',
  access: onCommunity(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  path: 'PATCH /channel-communities/v1/:community_installation_id',
  input: z.object({
    community_installation_id: communityId,
    policy_revision: z.int().min(1).describe('The revision that the change is of.'),
    default_for_enrollment: z
      .boolean()
      .optional()
      .describe('Whether agents become members of this one where none is named. No other one is it then.'),
    enrollment_policy: enrollmentPolicy.optional().describe('How agents may become members.'),
  }),
  async handler(
    work,
    { community_installation_id: id, policy_revision: expected, ...given },
  ): Promise<ChannelCommunity> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const community = await lockCommunity(work.rows, owner, id);
    requireLiving(community);
    if (community.policyRevision !== expected)
      throw new ServiceError('CHANNEL_ROUTE_REVISION_STALE', {
        details: {
          community_installation_id: id,
          expected_revision: expected,
          policy_revision: community.policyRevision,
        },
      });
    const isDefault = given.default_for_enrollment ?? community.isDefault;
    if (isDefault) await work.rows(noDefaultStatement.with({ orgId: owner }));
    const policy = JSON.stringify(given.enrollment_policy ?? community.policy);
    const [changed] = await work.rows(updateStatement.with({ id, isDefault, policy }));
    return changed!;
  },
  audit: ({ id, policyRevision }) => ({
    action: 'channel_community.updated',
    object: { kind: 'channel_community', id },
    details: { policy_revision: policyRevision },
  }),
  wire: ChannelCommunityWire,
  toWire: communityToWire,
});

/** `DELETE /channel-communities/v1/:community_installation_id`. Contract 02, section 5.7. */
export const revokeCommunity = mutation({
  name: 'channelCommunities.revoke',
  command: 'channel-community delete',
  effects: ['destructive'],
  summary: 'Uninstall a chat community. Its routes are revoked, and the key that signs their messages is destroyed.',
  access: onCommunity(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  path: 'DELETE /channel-communities/v1/:community_installation_id',
  input: z.object({ community_installation_id: communityId }),
  async handler(work, { community_installation_id: id }): Promise<ChannelCommunity> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    requireLiving(await lockCommunity(work.rows, owner, id));
    for (const route of await work.rows(livingStatement.with({ communityId: id }))) await revoke(work, route);
    const [revoked] = await work.rows(revokeStatement.with({ id }));
    return revoked!;
  },
  audit: ({ id }) => ({ action: 'channel_community.revoked', object: { kind: 'channel_community', id } }),
  wire: ChannelCommunityWire,
  toWire: communityToWire,
});

function requireLiving({ id, status }: ChannelCommunity): void {
  if (status !== 'revoked') return;
  throw new ServiceError('CHANNEL_COMMUNITY_NOT_ACTIVE', {
    status: 409,
    message: 'The community was uninstalled.',
    details: { community_installation_id: id, status },
    nextActions: [],
  });
}

const noDefaultStatement = statement(
  'channels.no-default-community',
  { params: pick(channelCommunities, 'orgId') },
  ({ orgId }) => sql`update ${channelCommunities} ${setOf(channelCommunities, { isDefault: sql`false` })}
    where ${channelCommunities.orgId} = ${orgId} and ${channelCommunities.isDefault}`,
);

const updateStatement = statement(
  'channels.update-community',
  { params: pick(channelCommunities, 'id', 'isDefault', 'policy'), row: communityColumns },
  ({ id, ...given }, row) =>
    sql`update ${channelCommunities} ${setOf(channelCommunities, {
      ...given,
      policyRevision: sql`${channelCommunities.policyRevision} + 1`,
      updatedAt: sql`now()`,
    })} where ${channelCommunities.id} = ${id} returning ${row}`,
);

const livingStatement = statement(
  'channels.routes-of-community',
  { params: pick(channelRoutes, 'communityId'), row: pick(channelRoutes, 'id', 'communityId') },
  ({ communityId: community }, row) => sql`select ${row} from ${channelRoutes}
    where ${channelRoutes.communityId} = ${community} and ${channelRoutes.status} <> 'revoked'
    order by ${channelRoutes.id} for update`,
);

const revokeStatement = statement(
  'channels.revoke-community',
  { params: pick(channelCommunities, 'id'), row: communityColumns },
  ({ id }, row) =>
    sql`update ${channelCommunities} ${setOf(channelCommunities, {
      status: sql`'revoked'`,
      isDefault: sql`false`,
      revokedAt: sql`now()`,
      updatedAt: sql`now()`,
    })} where ${channelCommunities.id} = ${id} returning ${row}`,
);
