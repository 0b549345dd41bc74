import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { channelCommunities, communityStates, enrollmentModes } from '../../../db/schema/channel-routes.ts';
import { computed, pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { isPublicKey } from '../../../engines/relay/signed-event.ts';
import { onOrgOf } from '../../../kernel/access/on-org-of.ts';
import type { Action } from '../../../kernel/access/permissions.ts';

export const communityColumns = {
  ...pick(
    channelCommunities,
    'id',
    'orgId',
    'subject',
    'authoritySubject',
    'relayUrl',
    'proofContent',
    'isDefault',
    'policy',
    'policyRevision',
    'expiresAt',
    'activatedAt',
    'revokedAt',
    'createdAt',
    'updatedAt',
  ),
  status: computed<(typeof communityStates)[number]>(
    'text',
    sql`case when ${channelCommunities.status} = 'pending' and ${channelCommunities.expiresAt} <= now() then 'expired'
      else ${channelCommunities.status} end`,
  ),
};

/** A chat community that an organization has installed. */
export type ChannelCommunity = RowOf<typeof communityColumns>;

/** A public key of the protocol Nostr. */
export const publicKey = z
  .string()
  .toLowerCase()
  .refine(isPublicKey, 'must be a public key: 64 hexadecimal digits, on the curve secp256k1')
  .meta({ examples: ['79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'] });

/** Any text may be the id of one that there is none of. */
export const communityId = z.string().min(1).max(256).describe('The installation of the community, `chci_…`.');

export const enrollmentPolicy = z.object({
  mode: z.enum(enrollmentModes).describe('Whether agents are enrolled one by one, or by themselves.'),
  requires_current_community_membership: z
    .literal(true)
    .default(true)
    .describe('Nobody is enrolled who is no member of the community.'),
  allowed_capabilities: z
    .array(z.string().min(1).max(100))
    .max(50)
    .optional()
    .describe('What agents that are enrolled may do at most.'),
  max_grant_ttl_seconds: z
    .int()
    .min(1)
    .max(31_536_000)
    .optional()
    .describe('For how many seconds agents are enrolled at most.'),
});

const PolicyWire = z.object({
  mode: z.enum(enrollmentModes),
  requires_current_community_membership: z.literal(true),
  allowed_capabilities: z.array(z.string()).optional(),
  max_grant_ttl_seconds: z.int().optional(),
});

const moment = z.iso.datetime();

/** Contract 02, section 5.7. */
export const ChannelCommunityWire = z
  .object({
    community_installation_id: z.string(),
    org_id: z.uuid(),
    community_subject: z.string(),
    community_authority_subject: z.string(),
    relay_url: z.string().nullable(),
    status: z.enum(communityStates),
    authority_proof_content: z.string(),
    default_for_enrollment: z.boolean(),
    enrollment_policy: PolicyWire,
    policy_revision: z.int(),
    issued_at: moment,
    expires_at: moment,
    activated_at: moment.nullable(),
    revoked_at: moment.nullable(),
    created_at: moment,
    updated_at: moment,
    next_actions: z.array(z.record(z.string(), z.unknown())),
  })
  .meta({ id: 'ChannelCommunity' });

export const communityToWire = (one: ChannelCommunity): z.output<typeof ChannelCommunityWire> => ({
  community_installation_id: one.id,
  org_id: one.orgId,
  community_subject: one.subject,
  community_authority_subject: one.authoritySubject,
  relay_url: one.relayUrl,
  status: one.status,
  authority_proof_content: one.proofContent,
  default_for_enrollment: one.isDefault,
  enrollment_policy: one.policy,
  policy_revision: one.policyRevision,
  issued_at: one.createdAt.toISOString(),
  expires_at: one.expiresAt.toISOString(),
  activated_at: one.activatedAt?.toISOString() ?? null,
  revoked_at: one.revokedAt?.toISOString() ?? null,
  created_at: one.createdAt.toISOString(),
  updated_at: one.updatedAt.toISOString(),
  next_actions: nextActionsOf(one),
});

/** What has to be done before routes can lead into it. */
const nextActionsOf = ({ id, status }: ChannelCommunity) =>
  status === 'pending'
    ? [
        {
          type: 'edit_request',
          method: 'POST',
          path: `/channel-communities/v1/${id}/activate`,
          why: 'Have whoever answers for the community sign `authority_proof_content` as an event, and send that.',
        },
      ]
    : [];

const absent = (id: string) =>
  new ServiceError('RESOURCE_NOT_FOUND', {
    message: 'There is no such community.',
    details: { community_installation_id: id },
  });

/** An action on the organization that has installed a community. */
export const onCommunity = (action: Action) =>
  onOrgOf(
    action,
    { find: (id) => ownerStatement.with({ id }), absent },
    ({ community_installation_id: id }: { readonly community_installation_id: string }) => id,
  );

/** A community of an organization. @throws RESOURCE_NOT_FOUND */
export async function findCommunity(rows: Rows, orgId: string, id: string): Promise<ChannelCommunity> {
  const [found] = await rows(findStatement.with({ id, orgId }));
  if (found === undefined) throw absent(id);
  return found;
}

/** As {@link findCommunity}, held until the change is committed. @throws RESOURCE_NOT_FOUND */
export async function lockCommunity(rows: Rows, orgId: string, id: string): Promise<ChannelCommunity> {
  const [found] = await rows(lockStatement.with({ id, orgId }));
  if (found === undefined) throw absent(id);
  return found;
}

const ownerStatement = statement(
  'channels.owner-of-community',
  { params: pick(channelCommunities, 'id'), row: pick(channelCommunities, 'orgId') },
  ({ id }, row) => sql`select ${row} from ${channelCommunities} where ${channelCommunities.id} = ${id}`,
);

const ofOrg = pick(channelCommunities, 'id', 'orgId');

const findStatement = statement(
  'channels.find-community',
  { params: ofOrg, row: communityColumns },
  ({ id, orgId }, row) => sql`select ${row} from ${channelCommunities}
    where ${channelCommunities.id} = ${id} and ${channelCommunities.orgId} = ${orgId}`,
);

const lockStatement = statement(
  'channels.lock-community',
  { params: ofOrg, row: communityColumns },
  ({ id, orgId }, row) => sql`select ${row} from ${channelCommunities}
    where ${channelCommunities.id} = ${id} and ${channelCommunities.orgId} = ${orgId} for no key update`,
);
