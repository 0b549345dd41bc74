import type { Presence } from '../db/schema/rooms.ts';
import { liveBesideSender, type SentMessage, sendMessage } from '../resolvers/rooms/send-message.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { changeField } from './operation-field.ts';
import { ImportanceEnum, MessageRef } from './room-messages.ts';
import { arrivedPresence, PresenceConnection, PresenceRef } from './rooms.ts';

const SendingRef = builder.objectRef<SentMessage>('RoomMessageSending').implement({
  description: 'What the answer to a send tells besides the message.',
  fields: (t) => ({
    deduplicated: t.exposeBoolean('deduplicated', {
      description: 'Whether it was sent before under its sender’s own key, so that nothing was written.',
    }),
    senderPresence: t.field({
      type: PresenceRef,
      description: 'Who sent it, and how the call came by that presence.',
      resolve: ({ sender }) => arrivedPresence(sender),
    }),
    livePresences: t.field({
      type: PresenceConnection,
      nullable: true,
      description: 'Others who are live in the room now, latest first, at most 200.',
      args: pageArgs,
      resolve: async (sent, page, ctx) =>
        sliceConnection<Presence>(await liveBesideSender(ctx, sent), ({ id }) => id, page),
    }),
  }),
});

builder.objectField(MessageRef, 'sending', (t) =>
  t.field({
    type: SendingRef,
    nullable: true,
    description: 'What the answer to its sending tells besides; null in every other answer.',
    resolve: ({ sending }) => sending,
  }),
);

changeField('sendRoomMessage', sendMessage, {
  type: MessageRef,
  input: 'A message and where to post it.',
  argument: 'The message.',
  rename: { idempotency_key: 'messageKey' },
  types: { importance: ImportanceEnum },
  result: (sending) => ({ ...sending.message, sending }),
});
