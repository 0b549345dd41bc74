import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { roomInvites } from '../../db/schema/room-invites.ts';
import { computed, insertInto, pick, statement, typed } from '../../db/sql.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { ensureRoom } from '../rooms/shared/ensure-room.ts';
import { presenceId, roomAddress } from '../rooms/shared/room-input.ts';
import { resolveSelf } from '../rooms/shared/self.ts';
import { roomInviteActions } from './shared/actions.ts';
import { inviteColumns, isOpen, RoomInviteWire, roomInviteToWire, type ShownInvite } from './wire.ts';

/** Keys of one room that are open at once. */
const openInvitesPerRoom = 20;

const noteBytesMax = 4 * 1024;

/** Seconds until a key expires. */
const expirySeconds = { least: 60, usual: 3_600, most: 86_400 } as const;

const warning =
  'Whoever holds this key can take a permanent viewer seat in the organization. Hand it to one person, in private.';

export interface InviteWarning {
  readonly code: 'ROOM_INVITE_KEY_CONFERS_SEAT';
  readonly message: string;
}

/** What the maker of a key has to know. */
export const mintWarnings: readonly InviteWarning[] = [{ code: 'ROOM_INVITE_KEY_CONFERS_SEAT', message: warning }];

/** `POST /orgs/v1/:org_id/rooms/:room_key/invites`. Contract 02, section 2.8. */
export const mintRoomInvite = mutation({
  name: 'rooms.mintInvite',
  tool: 'create_room_invite',
  command: 'rooms invite',
  summary: 'Make a key that seats whoever redeems it in a room, as a viewer; the server keeps only its hash.',
  access: onRoom(roomInviteActions['room:invite']),
  input: z.object({
    ...roomAddress,
    invite_id: z
      .uuidv4('must be a UUID of version 4')
      .toLowerCase()
      .meta({ examples: ['9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70'] })
      .describe('The key’s id: a random UUID of your own.'),
    auth_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
      .meta({ examples: ['5e8848982f2fd02b4cbae1a2d3a3b5c0d1e2f30415263748596a7b8c9daebfc0'] })
      .describe('SHA-256 of the label and the key’s derived secret; never the secret.'),
    note: z
      .string()
      .refine((note) => Buffer.byteLength(note) <= noteBytesMax, 'at most 4 KiB')
      .nullish()
      .describe('Shown to whoever arrives by the key; plain text, at most 4 KiB.'),
    inviter_presence_id: presenceId.describe('Presence of yours that invites, `prs_…`.'),
    expires_in_seconds: z
      .int()
      .min(expirySeconds.least)
      .max(expirySeconds.most)
      .default(expirySeconds.usual)
      .describe('Seconds until the key expires: 3600 unless told, 60 to 86400.'),
  }),
  async handler(work, { invite_id, auth_hash, note, inviter_presence_id, expires_in_seconds }): Promise<ShownInvite> {
    const { org, room } = work;
    // Keys of an organization are made one after the other, so that no two are both the last that may be open.
    await lockOrgFor(work, org.id, roomInviteActions['room:invite']);
    await ensureRoom(work);
    const inviter =
      inviter_presence_id === undefined
        ? undefined
        : await resolveSelf(work, work.rows, { presence_id: inviter_presence_id }, true);
    const [count] = await work.rows(countStatement.with({ orgId: org.id, roomKey: room.key }));
    if (count!.used >= openInvitesPerRoom) {
      const details = { scope: 'room', resource: 'open_room_invites', limit: openInvitesPerRoom, used: count!.used };
      throw new ServiceError('ROOM_INVITE_OPEN_LIMIT', { details });
    }
    const minted = insertStatement.with({
      orgId: org.id,
      id: invite_id,
      roomKey: room.key,
      authHash: auth_hash,
      note: note ?? null,
      createdBy: principalIdOf(await work.caller())!,
      inviterPresenceId: inviter?.id ?? null,
      seconds: expires_in_seconds,
    });
    const [invite] = await work.rows(minted);
    if (invite === undefined) throw new ServiceError('ROOM_INVITE_ID_CONFLICT', { details: { invite_id } });
    return invite;
  },
  audit: ({ id, roomKey, expiresAt }) => ({
    action: 'room_invite.minted',
    object: { kind: 'room_invite', id },
    details: { room_key: roomKey, expires_at: expiresAt.toISOString() },
  }),
  wire: RoomInviteWire.extend({
    warning: z.string(),
    warnings: z.array(z.object({ code: z.literal('ROOM_INVITE_KEY_CONFERS_SEAT'), message: z.string() })),
  }),
  toWire: (invite) => ({
    ...roomInviteToWire(invite),
    warning,
    warnings: [...mintWarnings],
  }),
});

const countStatement = statement(
  'room-invites.open',
  {
    params: pick(roomInvites, 'orgId', 'roomKey'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  (given, row) => sql`select ${row} from ${roomInvites} where ${isOpen(given)}`,
);

const insertStatement = statement(
  'room-invites.insert',
  {
    params: {
      ...pick(roomInvites, 'orgId', 'id', 'roomKey', 'authHash', 'note', 'createdBy', 'inviterPresenceId'),
      seconds: typed<number>('double precision'),
    },
    row: inviteColumns,
  },
  ({ seconds, ...given }, row) =>
    sql`${insertInto(roomInvites, { ...given, expiresAt: sql`now() + make_interval(secs => ${seconds})` })}
      on conflict do nothing returning ${row}`,
);
