import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Statement } from '../../db/pool.ts';
import { anyone } from '../access.ts';
import type { Context } from '../context.ts';
import { query } from '../operation.ts';
import { presenceFields, sessionKey } from '../rooms/room-input.ts';
import { roomStands } from '../rules.ts';
import { isSecretOf, secretOf } from './auth-hash.ts';
import { seat, seatChallenge } from './seat-challenge.ts';

/**
 * `POST /rooms/v1/invites/:invite_id/claim`, and `/redeem`. Contract 02, section 2.8. The key is checked before anything
 * is asked for, and whoever holds it is asked to pay. No payment can be verified yet, so whatever is presented is
 * answered with the challenge again, and nothing is changed.
 */
export const claimRoomInvite = query({
  name: 'rooms.claimInvite',
  summary: 'Redeem a room’s key for a seat; who pays for it is who is seated.',
  access: anyone(),
  input: z.object({
    invite: z.string().max(64).describe('Key, by its id.'),
    auth_secret: z.string().max(128).meta({ secret: true }).describe('The secret derived from the key, base64url.'),
    ...presenceFields,
    session_key: sessionKey,
  }),
  async handler(ctx, { invite: id, auth_secret }): Promise<{ readonly id: string }> {
    const secret = secretOf(auth_secret);
    if (secret === undefined) throw invalidField('auth_secret', 'must be 32 bytes in base64url without padding');
    // An id that cannot be one is looked up like any other that nobody has.
    const values = [isUuid(id) ? id : randomUUID()];
    const [invite] = await ctx.services.db.rows<KeyRow>(keyStatement, values);
    if (!isSecretOf(invite?.authHash, secret)) throw new ServiceError('ROOM_INVITE_KEY_INVALID');
    if (invite!.revoked) throw new ServiceError('ROOM_INVITE_KEY_REVOKED');
    if (invite!.expired) throw new ServiceError('ROOM_INVITE_KEY_EXPIRED');
    throw await paymentRequired(ctx, `/rooms/v1/invites/${values[0]!.toLowerCase()}/claim`);
  },
  wire: z.object({ invite_id: z.uuid() }),
  toWire: ({ id }) => ({ invite_id: id }),
});

interface KeyRow {
  readonly authHash: string;
  readonly revoked: boolean;
  readonly expired: boolean;
}

async function paymentRequired(ctx: Context, path: string): Promise<ServiceError> {
  const challenge = await seatChallenge(ctx, path);
  const price = { sku: seat.sku, amount_usd_micros: seat.amountUsdMicros, network: seat.network };
  return new ServiceError('PAYMENT_REQUIRED', {
    message:
      'A seat costs 0.01 USD in test money. Sign the payment that PAYMENT-REQUIRED describes, and send it along.',
    headers: { 'payment-required': Buffer.from(JSON.stringify(challenge)).toString('base64') },
    details: { price, accepts: challenge.accepts },
    nextActions: [
      {
        type: 'submit_payment',
        method: 'POST',
        path,
        why: 'Send the same request with the signed payment in the PAYMENT-SIGNATURE header.',
      },
    ],
  });
}

// The key of a room that is gone opens nothing.
const keyStatement: Statement = {
  name: 'room-invites.key',
  text: `select i.auth_hash as "authHash", i.revoked_at is not null as revoked, i.expires_at <= now() as expired
    from room_invites i where i.id = $1 and ${roomStands('i.org_id', 'i.room_key')}`,
};
