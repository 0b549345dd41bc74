import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { roomInvites } from '../../db/schema/room-invites.ts';
import type { Presence } from '../../db/schema/rooms.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { anyone, type RoomScope } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { mutation } from '../../kernel/run/operation.ts';
import type { Price } from '../../kernel/run/price.ts';
import { activateMember } from '../members/shared/add-member.ts';
import { requireRoomForMember } from '../members/shared/room-for-member.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { findMembership } from '../orgs/shared/find-member.ts';
import { lockOrg } from '../orgs/shared/lock-org.ts';
import { findOrCreateOwnOrg } from '../orgs/shared/own-org.ts';
import { roleWire } from '../orgs/shared/wire.ts';
import { holdRoom, isArchived } from '../rooms/shared/archived.ts';
import { ensureRoom } from '../rooms/shared/ensure-room.ts';
import { join } from '../rooms/shared/presence.ts';
import { appendMessage, isPublished } from '../rooms/shared/room-feed.ts';
import { presenceFields, sessionKey } from '../rooms/shared/room-input.ts';
import { MessageWire, PresenceWire, presenceToWire } from '../rooms/shared/wire.ts';
import { arrivalOf } from './arrival.ts';
import { type RedeemableInvite, redeemableInvite } from './redeemable-invite.ts';

/** What a seat costs, in test money. Contract 02, section 2.8. */
const seatPrice: Price = {
  sku: 'room_seat',
  amount: 10_000n,
  network: 'base-sepolia',
  description: 'A permanent viewer seat in a room.',
  maxTimeoutSeconds: 300,
};

/** A seat that somebody has by a key. */
export interface Seat {
  readonly invite: RedeemableInvite;
  readonly role: z.infer<typeof roleWire>;
  readonly presence: Presence;
  /** The guest's own organization, which paid. */
  readonly payerOrgId: string | null;
  /** Set: the same payer had it already; nothing was paid. */
  readonly deduplicated: boolean;
}

/** `POST /rooms/v1/invites/:invite_id/claim`, and `/redeem`. Contract 02, section 2.8: who pays is who is seated. */
export const claimRoomInvite = mutation({
  name: 'rooms.claimInvite',
  tool: 'redeem_room_invite',
  command: 'rooms join <key>',
  effects: ['openWorld'],
  summary: 'Redeem a room’s key for a seat, for 0.01 USD in test money by x402; who pays for it is who is seated.',
  access: anyone(),
  price: {
    family: 'platform',
    payerActs: true,
    // The key is checked before anything is asked for.
    async quote(ctx, input: SeatInput) {
      const { claimedBy } = await redeemableInvite(ctx.services.db, input);
      if (claimedBy === null) return seatPrice;
      const caller = await ctx.caller();
      // Who pays is not known yet: the one who was seated pays nothing again.
      if (caller.kind === 'nobody') return seatPrice;
      if (principalIdOf(caller) === claimedBy) return undefined;
      throw new ServiceError('ROOM_INVITE_KEY_ALREADY_CLAIMED');
    },
    onlyOne: { key: ({ invite }) => `room_seat:${invite.toLowerCase()}`, taken: 'ROOM_INVITE_KEY_ALREADY_CLAIMED' },
    repeated: (seat: Seat): Seat => ({ ...seat, deduplicated: true }),
    received: ({ payerOrgId }: Seat) => (payerOrgId === null ? undefined : { orgId: payerOrgId, kind: 'room_seat' }),
  },
  input: z.object({
    invite: z.string().max(64).describe('Key, by its id.'),
    auth_secret: z.string().max(128).meta({ secret: true }).describe('The secret derived from the key, base64url.'),
    ...presenceFields,
    session_key: sessionKey,
  }),
  async handler(work, input): Promise<Seat> {
    const caller = await work.caller();
    if (caller.kind !== 'wallet') throw new ServiceError('ROOM_INVITE_CLAIM_REQUIRES_WALLET');
    const principalId = caller.principal.id;
    // Principals are locked first everywhere, then organizations.
    const own = await findOrCreateOwnOrg(work, principalId, orgActions['org:read']);
    const { orgId } = await redeemableInvite(work, input, notExpiring);
    const org = await lockOrg(work, orgId);
    const invite = await redeemableInvite(work, input, { locked: true, expires: work.payment?.trial === true });
    if (org === undefined || org.lifecycleState === 'purged') throw new ServiceError('ROOM_INVITE_KEY_INVALID');
    if (invite.claimedBy !== null && invite.claimedBy !== principalId)
      throw new ServiceError('ROOM_INVITE_KEY_ALREADY_CLAIMED');
    const isNew = invite.claimedBy === null;
    const before = await findMembership(work, orgId, principalId);
    if (isNew && before?.status !== 'active') {
      await requireRoomForMember(work, org, before);
      await activateMember(work, orgId, principalId, 'viewer');
      work.authorityChanged(orgId);
    }
    const member = await findMembership(work, orgId, principalId);
    // A seat is permanent until the organization takes it back.
    if (member?.status !== 'active') throw new ServiceError('ROOM_INVITE_KEY_REVOKED');
    const { role } = member;
    const scope: RoomScope = {
      org,
      authority: { kind: 'system', reason: 'room_invite' },
      room: { key: invite.roomKey, used: false },
    };
    const inRoom = { ...work, ...scope };
    await ensureRoom(inRoom);
    const [, archived] = await Promise.all([holdRoom(inRoom), isArchived(inRoom)]);
    const { presence } = await join(inRoom, input);
    if (!isNew) return { invite, role, presence, payerOrgId: null, deduplicated: true };
    await work.rows(
      claimedStatement.with({ orgId, id: invite.id, claimedBy: principalId, paymentId: work.payment?.id ?? null }),
    );
    // An archived room takes no message about the arrival. The guest joins all the same.
    if (!archived) announce(inRoom, presence);
    const claimed = { ...invite, claimedBy: principalId, paymentId: work.payment?.id ?? null };
    return { invite: claimed, role, presence, payerOrgId: own.org.id, deduplicated: false };
  },
  audit: ({ invite, role, deduplicated }) =>
    deduplicated
      ? undefined
      : {
          action: 'room_invite.claimed',
          object: { kind: 'room_invite', id: invite.id },
          orgId: invite.orgId,
          details: { room_key: invite.roomKey, role },
        },
  wire: z.object({
    invite_id: z.uuid(),
    kind: z.literal('room'),
    deduplicated: z.boolean(),
    org_id: z.uuid(),
    membership: z.object({ org_id: z.uuid(), role: roleWire, status: z.literal('active') }),
    room: z.object({ org_id: z.uuid(), room_key: z.string() }),
    inviter: PresenceWire.nullable(),
    live_presences: z.array(PresenceWire),
    cursor: z.string(),
    recent_messages: z.array(MessageWire),
    note: z.string().nullable(),
    seat: z.object({
      sku: z.literal('room_seat'),
      amount_usd_micros: z.literal(10_000),
      network: z.literal('base-sepolia'),
      charge_id: z.string().nullable(),
    }),
    expires_at: z.iso.datetime(),
    presence: PresenceWire,
  }),
  toWire: async ({ invite, role, presence, deduplicated }, ctx) => ({
    invite_id: invite.id,
    kind: 'room' as const,
    deduplicated,
    org_id: invite.orgId,
    membership: { org_id: invite.orgId, role, status: 'active' as const },
    room: { org_id: invite.orgId, room_key: invite.roomKey },
    ...(await arrivalOf(ctx, invite, presence)),
    note: invite.note,
    seat: {
      sku: 'room_seat' as const,
      amount_usd_micros: 10_000 as const,
      network: 'base-sepolia' as const,
      charge_id: invite.paymentId,
    },
    expires_at: invite.expiresAt.toISOString(),
    presence: presenceToWire(presence),
  }),
});

interface SeatInput {
  readonly invite: string;
  readonly auth_secret: string;
}

/** Whether it is too late is judged before the payment, and not again after it. */
const notExpiring = { expires: false } as const;

/** Tells the room who has come. */
function announce(work: Work & RoomScope, { id, name, principalId, lastActive }: Presence): void {
  const message = {
    orgId: work.org.id,
    roomKey: work.room.key,
    seq: 0n,
    id: work.services.newId('msg'),
    senderPresenceId: id,
    senderName: name,
    principalId,
    body: `${name} has arrived by an invite key.`,
    threadId: null,
    importance: 'normal' as const,
    ackRequired: false,
    recipients: [],
    idempotencyKey: null,
    createdAt: lastActive,
  };
  work.append(appendMessage(message));
  if (isPublished(message)) work.afterCommit(work.services.messageMirror.wake);
}

const claimedStatement = statement(
  'room-invites.claimed',
  { params: pick(roomInvites, 'orgId', 'id', 'claimedBy', 'paymentId') },
  ({ orgId, id, claimedBy, paymentId }) =>
    sql`update ${roomInvites} ${setOf(roomInvites, { claimedBy, claimedAt: sql`now()`, paymentId })}
      where ${roomInvites.orgId} = ${orgId} and ${roomInvites.id} = ${id}`,
);
