import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { readUrl } from '../../../core/urls.ts';
import { sql } from '../../../db/drizzle.ts';
import { channelCommunities } from '../../../db/schema/channel-routes.ts';
import { computed, pick, setOf, statement } from '../../../db/sql.ts';
import { RelayError } from '../../../engines/relay/relay-client.ts';
import { readEvent } from '../../../engines/relay/signed-event.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { lockOrgFor } from '../../orgs/shared/lock-org.ts';
import { channelActions } from '../actions.ts';
import {
  type ChannelCommunity,
  ChannelCommunityWire,
  communityColumns,
  communityId,
  communityToWire,
  findCommunity,
  lockCommunity,
  onCommunity,
  publicKey,
} from './community.ts';

/** How far the clock of whoever signs may be off, in seconds. */
const clockSkew = 600;

const isLocal = (host: string): boolean => host === 'localhost' || host === '127.0.0.1' || host === '[::1]';

/** Where a relay is. Whether a local one may be asked is the operator's to say. */
const relayUrl = z
  .string()
  .max(2_048, 'at most 2048 characters')
  .refine((text) => {
    const url = readUrl(text);
    if (url === undefined || url.username !== '' || url.password !== '' || url.hash !== '') return false;
    return url.protocol === 'wss:' || (url.protocol === 'ws:' && isLocal(url.hostname));
  }, 'must be a wss address without credentials and without a fragment, or a ws one of this machine')
  .describe('Where the relay is: a wss address. ws is for `localhost` and `127.0.0.1`.')
  .meta({ examples: ['wss://relay.example.com'] });

const authorityProof = z.object({
  community_subject: publicKey.describe('The community, once more.'),
  approval_event: z
    .record(z.string(), z.unknown())
    .describe('An event (NIP-01) by the authority, whose content is `authority_proof_content` to the letter.'),
  relay_url: relayUrl,
});

type Proof = z.output<typeof authorityProof>;

/** `POST /channel-communities/v1/:community_installation_id/activate`. Contract 02, section 5.7. */
export const activateCommunity = mutation({
  name: 'channelCommunities.activate',
  command: 'channel-community activate',
  effects: ['idempotent', 'openWorld'],
  summary: 'Install a chat community by what its authority has signed. Its relay is asked who it is, and who runs it.',
  access: onCommunity(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  path: 'POST /channel-communities/v1/:community_installation_id/activate',
  input: z.object({
    community_installation_id: communityId,
    authority_proof: authorityProof.describe('What shows that the authority approves.'),
  }),
  async prepare({ services, org }, { community_installation_id: id, authority_proof: proof }): Promise<string> {
    const community = await findCommunity(services.db.rows, org.id, id);
    requirePending(community);
    const approvedBy = approvalOf(services, community, proof);
    await askRelay(services, community, proof.relay_url);
    return approvedBy;
  },
  async handler(work, { community_installation_id: id, authority_proof: proof }, approvalEventId) {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const community = await lockCommunity(work.rows, owner, id);
    requirePending(community);
    const [other] = await work.rows(installedStatement.with({ orgId: owner, subject: community.subject }));
    if (other!.installed) throw new ServiceError('CHANNEL_COMMUNITY_INSTALLED');
    const [activated] = await work.rows(activateStatement.with({ id, relayUrl: proof.relay_url, approvalEventId }));
    return activated!;
  },
  audit: ({ id, subject, relayUrl: url }) => ({
    action: 'channel_community.activated',
    object: { kind: 'channel_community', id },
    details: { community_subject: subject, relay_host: new URL(url!).host },
  }),
  wire: ChannelCommunityWire,
  toWire: communityToWire,
});

function requirePending({ id, status }: ChannelCommunity): void {
  if (status === 'pending') return;
  throw new ServiceError('CHANNEL_COMMUNITY_NOT_ACTIVE', {
    status: 409,
    message: `Only what is pending is activated; this one is ${status}.`,
    details: { community_installation_id: id, status },
    nextActions: [],
  });
}

const invalid = (reason: string, message: string) =>
  new ServiceError('CHANNEL_AUTHORITY_PROOF_INVALID', { message, details: { reason } });

/** Whether the authority has signed what it was to sign, now. @returns the id of its event */
function approvalOf({ now }: Services, community: ChannelCommunity, proof: Proof): string {
  if (proof.community_subject !== community.subject)
    throw invalid('other_community', 'The proof is of another community.');
  const event = readEvent(proof.approval_event);
  if (event === undefined) throw invalid('bad_signature', 'The id or the signature of the event is not right.');
  if (event.pubkey !== community.authoritySubject)
    throw invalid('other_signer', 'The event is signed by somebody else than the authority.');
  if (event.content !== community.proofContent)
    throw invalid('other_content', 'The content of the event is not `authority_proof_content`.');
  const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);
  const { created_at: at } = event;
  if (at < seconds(community.createdAt) - clockSkew || at > seconds(now()) + clockSkew)
    throw invalid('other_time', 'The event was not signed since the installation was begun.');
  return event.id;
}

/** Whether the relay is the community's own, and the authority runs it. @throws UPSTREAM_UNAVAILABLE with 502 */
async function askRelay({ relays }: Pick<Services, 'relays'>, community: ChannelCommunity, url: string): Promise<void> {
  const told = await relays.describe(url).catch((error: unknown) => {
    if (!(error instanceof RelayError)) throw error;
    if (error.isRefusal) throw invalid('not_a_relay', error.message);
    throw new ServiceError('UPSTREAM_UNAVAILABLE', {
      message: `The relay could not be asked: ${error.message}`,
      status: 502,
      mutationState: 'not_started',
      retryAfter: 2,
      cause: error,
    });
  });
  if (told.self?.toLowerCase() !== community.subject)
    throw invalid('other_relay', 'The relay says that its key (`self`) is another one than the community’s.');
  if (told.operator?.toLowerCase() !== community.authoritySubject)
    throw invalid('other_authority', 'The relay says that somebody else (`pubkey`) runs it than the authority.');
}

const installedStatement = statement(
  'channels.is-installed',
  {
    params: pick(channelCommunities, 'orgId', 'subject'),
    row: { installed: computed<boolean>('boolean', sql`count(*) > 0`) },
  },
  ({ orgId, subject }, row) => sql`select ${row} from ${channelCommunities}
    where ${channelCommunities.orgId} = ${orgId} and ${channelCommunities.subject} = ${subject}
      and ${channelCommunities.status} = 'active'`,
);

const activateStatement = statement(
  'channels.activate-community',
  { params: pick(channelCommunities, 'id', 'relayUrl', 'approvalEventId'), row: communityColumns },
  ({ id, ...given }, row) =>
    sql`update ${channelCommunities} ${setOf(channelCommunities, {
      ...given,
      status: sql`'active'`,
      activatedAt: sql`now()`,
      updatedAt: sql`now()`,
    })} where ${channelCommunities.id} = ${id} returning ${row}`,
);
