import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Statement } from '../../db/pool.ts';
import { textOf } from '../../db/sql.ts';
import { roomStands } from '../../kernel/access/rules.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { isSecretOf, secretOf } from './auth-hash.ts';

/** A key as whoever holds its secret may know it. */
export interface RedeemableInvite {
  readonly id: string;
  readonly orgId: string;
  readonly roomKey: string;
  readonly note: string | null;
  readonly inviterPresenceId: string | null;
  readonly expiresAt: Date;
  readonly claimedBy: string | null;
  readonly paymentId: string | null;
  readonly expired: boolean;
}

interface KeyRow extends RedeemableInvite {
  readonly authHash: string;
  readonly revoked: boolean;
}

/**
 * The key behind an id and a secret: a wrong secret is refused as an absent key is, in the same time. One that was
 * redeemed does not expire.
 *
 * @param locked whether others wait who would redeem it, too
 * @throws ROOM_INVITE_KEY_INVALID, ROOM_INVITE_KEY_REVOKED or ROOM_INVITE_KEY_EXPIRED
 */
export async function redeemableInvite(
  { rows }: Pick<Work, 'rows'>,
  { invite: id, auth_secret }: { readonly invite: string; readonly auth_secret: string },
  { locked = false, expires = true }: { readonly locked?: boolean; readonly expires?: boolean } = {},
): Promise<RedeemableInvite> {
  const secret = secretOf(auth_secret);
  if (secret === undefined) throw invalidField('auth_secret', 'must be 32 bytes in base64url without padding');
  // An id that cannot be one is looked up like any other that nobody has.
  const values = [isUuid(id) ? id : randomUUID()];
  const [invite] = await rows<KeyRow>(locked ? lockedStatement : keyStatement, values);
  if (!isSecretOf(invite?.authHash, secret)) throw new ServiceError('ROOM_INVITE_KEY_INVALID');
  if (invite!.revoked) throw new ServiceError('ROOM_INVITE_KEY_REVOKED');
  if (expires && invite!.expired && invite!.claimedBy === null) throw new ServiceError('ROOM_INVITE_KEY_EXPIRED');
  return invite!;
}

// The key of a room that is gone opens nothing.
const text = `select i.id, i.org_id as "orgId", i.room_key as "roomKey", i.note, i.auth_hash as "authHash",
    i.inviter_presence_id as "inviterPresenceId", i.expires_at as "expiresAt", i.claimed_by as "claimedBy",
    i.payment_id as "paymentId", i.revoked_at is not null as revoked, i.expires_at <= now() as expired
  from room_invites i where i.id = $1 and ${textOf(roomStands(sql.raw('i.org_id'), sql.raw('i.room_key')))}`;

const keyStatement: Statement = { name: 'room-invites.key', text };
const lockedStatement: Statement = { name: 'room-invites.lock-key', text: `${text} for update` };
