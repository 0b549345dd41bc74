import { dropNulls } from '../core/drop-nulls.ts';
import { leaveRoom } from '../resolvers/rooms/leave-room.ts';
import { presenceOf } from '../resolvers/rooms/presence-feed.ts';
import { followPresences, type PresenceEvent } from '../subscriptions/presences.ts';
import { builder, sameForAll } from './builder.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { PresenceRef, roomArgs, roomInput } from './rooms.ts';
import { run } from './run.ts';

const LeaveRoomInput = builder.inputType('LeaveRoomInput', {
  description:
    'The presence that leaves. It is answered as it then is: somebody else’s as it was, and one that is not there as null.',
  fields: (t) => ({
    ...orgField(t),
    room: t.string({ description: 'A project’s id for its default room, or a label.' }),
    presence: t.id({ description: 'Presence, by global or native id.' }),
    ...keyField(t),
  }),
});

builder.mutationField('leaveRoom', (t) =>
  t.field({
    type: PresenceRef,
    nullable: true,
    ...fieldOf(leaveRoom),
    authScopes: { credential: true },
    args: { input: t.arg({ type: LeaveRoomInput, description: 'Who leaves, and where.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, room, presence, idempotencyKey } = dropNulls(input);
      const left = await run(leaveRoom, keyed(ctx, idempotencyKey), {
        ...roomInput({ org, room }),
        presence: nativeId('RoomPresence', presence),
      });
      return left.presence;
    },
  }),
);

const PresenceEventRef = builder.objectRef<PresenceEvent>('RoomPresenceEvent').implement({
  description: 'Somebody came to a room, came back or left. Who falls silent is not told of: see `expiresAt`.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    presence: t.field({
      ...sameForAll,
      type: PresenceRef,
      description: 'The presence as it was right after.',
      resolve: ({ change }) => presenceOf(change),
    }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

builder.subscriptionField('roomPresences', (t) =>
  t.field({
    type: PresenceEventRef,
    description: 'Who comes to a room, comes back and leaves, from a cursor on; changes are kept for seven days.',
    ...followed,
    args: {
      ...roomArgs,
      ...followArgs,
      name: t.arg.string({ required: false, description: 'Only the presence of exactly this name.' }),
    },
    subscribe: (_root, { org, room, ...rest }, ctx) =>
      followPresences(ctx, { ...roomInput({ org, room }), ...dropNulls(rest) }),
    resolve: (event) => event,
  }),
);
