import { dropNulls } from '../core/drop-nulls.ts';
import type { Presence } from '../db/schema/rooms.ts';
import { liveBesideSender, type SentMessage, sendMessage } from '../resolvers/rooms/send-message.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { ImportanceEnum, MessageRef } from './room-messages.ts';
import { arrivedPresence, newcomerFields, PresenceConnection, PresenceRef, roomInput } from './rooms.ts';
import { run } from './run.ts';

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

const SendRoomMessageInput = builder.inputType('SendRoomMessageInput', {
  description: 'A message and where to post it.',
  fields: (t) => ({
    ...orgField(t),
    room: t.string({ description: 'A project’s id for its default room, or a label.' }),
    body: t.string({ description: 'Markdown, at most 32 KiB; a longer body is refused, never cut.' }),
    to: t.stringList({ required: false, description: 'Names of live presences this message is meant for.' }),
    cc: t.stringList({ required: false, description: 'Names of live presences that should know.' }),
    threadId: t.string({ required: false, description: 'Any label; replies repeat it.' }),
    importance: t.field({ type: ImportanceEnum, required: false, description: 'How loud it is; normal unless told.' }),
    ackRequired: t.boolean({ required: false, description: 'Asks those in `to` to acknowledge.' }),
    presenceId: t.string({ required: false, description: 'Presence that speaks, `prs_…`.' }),
    sessionKey: t.string({ required: false, description: 'Session that speaks; one is registered when it is new.' }),
    ...newcomerFields(t),
    messageKey: t.string({
      required: false,
      description:
        'A key of the sender’s own: again from the same presence, it answers the first message. 1 to 256 characters.',
    }),
    ...keyField(t),
  }),
});

builder.mutationField('sendRoomMessage', (t) =>
  t.field({
    type: MessageRef,
    nullable: true,
    ...fieldOf(sendMessage),
    authScopes: { credential: true },
    args: { input: t.arg({ type: SendRoomMessageInput, description: 'The message.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, room, idempotencyKey, threadId, ackRequired, presenceId, sessionKey, messageKey, ...said } =
        dropNulls(input);
      const { requestedName, ...more } = said;
      const rest = dropNulls({
        thread_id: threadId,
        ack_required: ackRequired,
        presence_id: presenceId,
        session_key: sessionKey,
        requested_name: requestedName,
        idempotency_key: messageKey,
      });
      const sending = await run(
        sendMessage,
        keyed(ctx, idempotencyKey),
        { ...roomInput({ org, room }), ...more, ...rest },
        { idempotency_key: 'messageKey' },
      );
      return { ...sending.message, sending };
    },
  }),
);
