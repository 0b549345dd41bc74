import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { channelCommunities } from '../../../db/schema/channel-routes.ts';
import { computed, insertInto, pick, statement, typed } from '../../../db/sql.ts';
import { onOrg } from '../../../kernel/access/access.ts';
import { orgId } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { lockOrgFor } from '../../orgs/shared/lock-org.ts';
import { channelActions } from '../actions.ts';
import {
  type ChannelCommunity,
  ChannelCommunityWire,
  communityColumns,
  communityToWire,
  enrollmentPolicy,
  publicKey,
} from './community.ts';

/** Communities of an organization that are not revoked, at most. */
export const communitiesMax = 20;

/** How long the authority has to approve, in hours. */
const approvalHours = 24;

/** `POST /channel-communities/v1`. Contract 02, section 5.7. */
export const createCommunity = mutation({
  name: 'channelCommunities.create',
  command: 'channel-community create',
  summary: 'Begin to install a chat community: whoever answers for it has to approve within a day.',
  access: onOrg(channelActions['channel:routes:write'], ({ org_id: id }: { org_id: string }) => id),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  path: 'POST /channel-communities/v1 201',
  input: z.object({
    org_id: orgId,
    community_subject: publicKey.describe('Public key of the relay itself, as its information document says (`self`).'),
    community_authority_subject: publicKey.describe(
      'Public key of whoever runs the relay, as its information document says (`pubkey`).',
    ),
    enrollment_policy: enrollmentPolicy
      .default({ mode: 'manual', requires_current_community_membership: true })
      .describe('How agents may become members.'),
  }),
  async handler(work, given): Promise<ChannelCommunity> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const [held] = await work.rows(countStatement.with({ orgId: owner, subject: given.community_subject }));
    if (held!.installed) throw new ServiceError('CHANNEL_COMMUNITY_INSTALLED');
    if (held!.count >= communitiesMax)
      throw new ServiceError('CHANNEL_ROUTE_LIMIT_REACHED', {
        details: { resource: 'channel_communities', limit: communitiesMax, used: held!.count },
      });
    const id = work.services.newId('chci');
    const { community_subject: subject, community_authority_subject: authoritySubject } = given;
    const [made] = await work.rows(
      insertStatement.with({
        id,
        orgId: owner,
        subject,
        authoritySubject,
        proofContent: proofFor({ id, orgId: owner, subject }),
        policy: JSON.stringify(given.enrollment_policy),
        hours: approvalHours,
      }),
    );
    return made!;
  },
  audit: ({ id, subject }) => ({
    action: 'channel_community.created',
    object: { kind: 'channel_community', id },
    details: { community_subject: subject },
  }),
  wire: ChannelCommunityWire,
  toWire: communityToWire,
});

/** What the authority signs: nobody signs it by mistake, and it is good for this installation alone. */
const proofFor = ({ id, orgId: owner, subject }: { id: string; orgId: string; subject: string }): string =>
  `I approve that the organization ${owner} has events of its projects told in channels of the community ${subject}. Installation ${id}, ${randomBytes(16).toString('hex')}.`;

const countStatement = statement(
  'channels.count-communities',
  {
    params: pick(channelCommunities, 'orgId', 'subject'),
    row: {
      count: computed<number>('integer', sql`count(*)::int`),
      installed: computed<boolean>(
        'boolean',
        sql`coalesce(bool_or(${channelCommunities.status} = 'active'
        and ${channelCommunities.subject} = subject.given), false)`,
      ),
    },
  },
  ({ orgId: owner, subject }, row) => sql`select ${row} from ${channelCommunities}
    cross join (select ${subject}::text as given) subject where ${channelCommunities.orgId} = ${owner}
      and (${channelCommunities.status} = 'active'
        or (${channelCommunities.status} = 'pending' and ${channelCommunities.expiresAt} > now()))`,
);

const insertStatement = statement(
  'channels.insert-community',
  {
    params: {
      ...pick(channelCommunities, 'id', 'orgId', 'subject', 'authoritySubject', 'proofContent', 'policy'),
      hours: typed<number>('integer'),
    },
    row: communityColumns,
  },
  ({ hours, ...given }, row) =>
    sql`${insertInto(channelCommunities, {
      ...given,
      expiresAt: sql`now() + make_interval(hours => ${hours})`,
    })} returning ${row}`,
);
