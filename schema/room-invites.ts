import { listRoomInvites } from '../resolvers/room-invites/list-room-invites.ts';
import { type InviteWarning, mintRoomInvite, mintWarnings } from '../resolvers/room-invites/mint-room-invite.ts';
import { revokeRoomInvite } from '../resolvers/room-invites/revoke-room-invite.ts';
import { inviteKind, inviteRole, type ShownInvite } from '../resolvers/room-invites/wire.ts';
import { builder } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { changeField, readField } from './operation-field.ts';
import { addressOf, RoomRef } from './rooms.ts';

const InviteWarningRef = builder.objectRef<InviteWarning>('RoomInviteWarning').implement({
  description: 'What the maker of a key has to know.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'What it is about.' }),
    message: t.exposeString('message', { description: 'In words.' }),
  }),
});

/** A key; of the call that made it, with what its maker has to know. */
type Shown = ShownInvite & { readonly warnings?: readonly InviteWarning[] };

const RoomInviteRef = builder.objectRef<Shown>('RoomInvite').implement({
  description: 'A key that seats whoever redeems it in a room, as a viewer. What opens it is nowhere on the server.',
  fields: (t) => ({
    inviteId: t.exposeString('id', { description: 'Id that the key’s maker chose, a UUID.' }),
    kind: t.string({ description: '`room`: what it leads to.', resolve: () => inviteKind }),
    role: t.string({ description: '`viewer`: what it seats as.', resolve: () => inviteRole }),
    orgId: t.exposeString('orgId', { description: 'Organization of the room, a UUID.' }),
    roomKey: t.exposeString('roomKey', { description: 'Key of the room.' }),
    warnings: t.field({
      type: [InviteWarningRef],
      description: 'What its maker has to know, in the answer to the call that made it; none elsewhere.',
      resolve: ({ warnings = [] }) => [...warnings],
    }),
    note: t.exposeString('note', { nullable: true, description: 'Shown to whoever arrives by it.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it can be redeemed no more.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was taken back; null until then.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    room: t.field({
      type: RoomRef,
      nullable: true,
      description: 'The room it leads to.',
      resolve: ({ orgId, roomKey }) => addressOf({ orgId, key: roomKey }),
    }),
  }),
});

const RoomInviteConnection = builder.connectionObject({ type: RoomInviteRef, name: 'RoomInviteConnection' });

readField('roomInvites', listRoomInvites, {
  type: RoomInviteConnection,
  paged: true,
  result: (invites, page) => sliceConnection(invites, ({ id }) => id, page),
});

changeField('mintRoomInvite', mintRoomInvite, {
  type: RoomInviteRef,
  input: 'A key that its maker has made, by its id and its hash.',
  argument: 'The key.',
  result: (minted) => ({ ...minted, warnings: mintWarnings }),
});

changeField('revokeRoomInvite', revokeRoomInvite, {
  type: RoomInviteRef,
  input: 'A key to take back.',
  argument: 'The key to take back.',
});
