import { randomUUID } from 'node:crypto';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { roomInvites } from '../../db/schema/room-invites.ts';
import { computed, pick, statement } from '../../db/sql.ts';
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
  const [invite] = await rows((locked ? lockedStatement : keyStatement).with({ id: isUuid(id) ? id : randomUUID() }));
  if (!isSecretOf(invite?.authHash, secret)) throw new ServiceError('ROOM_INVITE_KEY_INVALID');
  if (invite!.revoked) throw new ServiceError('ROOM_INVITE_KEY_REVOKED');
  if (expires && invite!.expired && invite!.claimedBy === null) throw new ServiceError('ROOM_INVITE_KEY_EXPIRED');
  return invite!;
}

const key = {
  params: pick(roomInvites, 'id'),
  row: {
    ...pick(roomInvites, 'id', 'orgId', 'roomKey', 'note', 'authHash', 'inviterPresenceId', 'expiresAt', 'claimedBy'),
    ...pick(roomInvites, 'paymentId'),
    revoked: computed<boolean>('boolean', sql`${roomInvites.revokedAt} is not null`),
    expired: computed<boolean>('boolean', sql`${roomInvites.expiresAt} <= now()`),
  },
};

// The key of a room that is gone opens nothing.
const find = ({ id }: { readonly id: SQL }, row: SQL): SQL => sql`select ${row} from ${roomInvites}
  where ${roomInvites.id} = ${id} and ${roomStands(roomInvites.orgId, roomInvites.roomKey)}`;

const keyStatement = statement('room-invites.key', key, find);
const lockedStatement = statement('room-invites.lock-key', key, (given, row) => sql`${find(given, row)} for update`);
