import { dropNulls } from '../core/drop-nulls.ts';
import { leaveRoom } from '../resolvers/rooms/leave-room.ts';
import { openPresences } from '../resolvers/rooms/open-presences.ts';
import { presenceOf } from '../resolvers/rooms/presence-feed.ts';
import { followPresences, type PresenceEvent } from '../subscriptions/presences.ts';
import { builder, sameForAll } from './builder.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { changeField, inputsOf } from './operation-field.ts';
import { PresenceRef } from './rooms.ts';

changeField('leaveRoom', leaveRoom, {
  type: PresenceRef,
  input:
    'The presence that leaves. It is answered as it then is: somebody else’s as it was, and one that is not there as null.',
  argument: 'Who leaves, and where.',
  ids: { presence: 'RoomPresence' },
  result: ({ presence }) => presence,
});

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

const opened = inputsOf(openPresences, { omit: ['cursor'] });

builder.subscriptionField('roomPresences', (t) =>
  t.field({
    type: PresenceEventRef,
    description: 'Who comes to a room, comes back and leaves, from a cursor on; changes are kept for seven days.',
    ...followed,
    args: {
      ...opened.args,
      ...followArgs,
      name: t.arg.string({ required: false, description: 'Only the presence of exactly this name.' }),
    },
    subscribe: (_root, { after, first, name, ...room }, ctx) =>
      followPresences(ctx, { ...opened.read(room), ...dropNulls({ after, first, name }) }),
    resolve: (event) => event,
  }),
);
