import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { channelCommunities } from '../../../db/schema/channel-routes.ts';
import { pick, statement } from '../../../db/sql.ts';
import { onOrg } from '../../../kernel/access/access.ts';
import { orgId } from '../../../kernel/input/fields.ts';
import { query } from '../../../kernel/run/operation.ts';
import { channelActions } from '../actions.ts';
import {
  type ChannelCommunity,
  ChannelCommunityWire,
  communityColumns,
  communityId,
  communityToWire,
  findCommunity,
  onCommunity,
} from './community.ts';

/** `GET /channel-communities/v1`. Contract 02, section 5.7. */
export const listCommunities = query({
  name: 'channelCommunities.list',
  tool: 'list_channel_communities',
  command: 'channel-community list',
  summary: 'The newest hundred chat communities that an organization has installed, or has begun to.',
  access: onOrg(channelActions['channel:routes:read'], ({ org_id: id }: { org_id: string }) => id),
  path: 'GET /channel-communities/v1',
  input: z.object({ org_id: orgId }),
  handler: ({ services, org }): Promise<readonly ChannelCommunity[]> =>
    services.db.rows(listStatement.with({ orgId: org.id })),
  wire: z.object({ channel_communities: z.array(ChannelCommunityWire) }),
  toWire: (found) => ({ channel_communities: found.map(communityToWire) }),
});

/** `GET /channel-communities/v1/:community_installation_id`. Contract 02, section 5.7. */
export const getCommunity = query({
  name: 'channelCommunities.get',
  tool: 'get_channel_community',
  command: 'channel-community get',
  summary: 'A chat community that an organization has installed.',
  access: onCommunity(channelActions['channel:routes:read']),
  path: 'GET /channel-communities/v1/:community_installation_id',
  input: z.object({ community_installation_id: communityId }),
  handler: ({ services, org }, { community_installation_id: id }): Promise<ChannelCommunity> =>
    findCommunity(services.db.rows, org.id, id),
  wire: ChannelCommunityWire,
  toWire: communityToWire,
});

const listStatement = statement(
  'channels.list-communities',
  { params: pick(channelCommunities, 'orgId'), row: communityColumns },
  ({ orgId: owner }, row) => sql`select ${row} from ${channelCommunities}
    where ${channelCommunities.orgId} = ${owner}
    order by ${channelCommunities.createdAt} desc, ${channelCommunities.id} desc limit 100`,
);
