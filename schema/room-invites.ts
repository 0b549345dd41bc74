import { dropNulls } from '../core/drop-nulls.ts';
import { listRoomInvites } from '../resolvers/room-invites/list-room-invites.ts';
import { type InviteWarning, mintRoomInvite, mintWarnings } from '../resolvers/room-invites/mint-room-invite.ts';
import { revokeRoomInvite } from '../resolvers/room-invites/revoke-room-invite.ts';
import { inviteKind, inviteRole, type ShownInvite } from '../resolvers/room-invites/wire.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { addressOf, RoomRef, roomArgs, roomInput } from './rooms.ts';
import { run } from './run.ts';

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

builder.queryField('roomInvites', (t) =>
  t.field({
    type: RoomInviteConnection,
    nullable: true,
    ...fieldOf(listRoomInvites),
    authScopes: { credential: true },
    args: { ...roomArgs, ...pageArgs },
    resolve: async (_root, { org, room, ...page }, ctx) =>
      sliceConnection(await run(listRoomInvites, ctx, roomInput({ org, room })), ({ id }) => id, page),
  }),
);

const MintRoomInviteInput = builder.inputType('MintRoomInviteInput', {
  description: 'A key that its maker has made, by its id and its hash.',
  fields: (t) => ({
    ...orgField(t),
    room: t.string({ description: 'A project’s id for its default room, or a label.' }),
    inviteId: t.string({ description: 'The key’s id: a random UUID of your own.' }),
    authHash: t.string({ description: 'SHA-256 of the label and the key’s derived secret, in hexadecimal.' }),
    note: t.string({ required: false, description: 'Shown to whoever arrives by the key; at most 4 KiB.' }),
    inviterPresenceId: t.string({ required: false, description: 'Presence of yours that invites, `prs_…`.' }),
    expiresInSeconds: t.int({
      required: false,
      description: 'Seconds until the key expires: 3600 unless told, 60 to 86400.',
    }),
    ...keyField(t),
  }),
});

const RevokeRoomInviteInput = builder.inputType('RevokeRoomInviteInput', {
  description: 'A key to take back.',
  fields: (t) => ({
    ...orgField(t),
    room: t.string({ description: 'A project’s id for its default room, or a label.' }),
    invite: t.string({ description: 'Key, by its id.' }),
    ...keyField(t),
  }),
});

builder.mutationFields((t) => ({
  mintRoomInvite: t.field({
    type: RoomInviteRef,
    nullable: true,
    ...fieldOf(mintRoomInvite),
    authScopes: { credential: true },
    args: { input: t.arg({ type: MintRoomInviteInput, description: 'The key.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, room, inviteId, authHash, note, inviterPresenceId, expiresInSeconds, idempotencyKey } = input;
      const minted = await run(mintRoomInvite, keyed(ctx, idempotencyKey ?? undefined), {
        ...roomInput({ org, room }),
        invite_id: inviteId,
        auth_hash: authHash,
        ...dropNulls({ note, inviter_presence_id: inviterPresenceId, expires_in_seconds: expiresInSeconds }),
      });
      return { ...minted, warnings: mintWarnings };
    },
  }),
  revokeRoomInvite: t.field({
    type: RoomInviteRef,
    nullable: true,
    ...fieldOf(revokeRoomInvite),
    authScopes: { credential: true },
    args: { input: t.arg({ type: RevokeRoomInviteInput, description: 'The key to take back.' }) },
    resolve: (_root, { input: { org, room, invite, idempotencyKey } }, ctx) =>
      run(revokeRoomInvite, keyed(ctx, idempotencyKey ?? undefined), { ...roomInput({ org, room }), invite }),
  }),
}));
