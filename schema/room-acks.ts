import { dropNulls } from '../core/drop-nulls.ts';
import { ackMessage } from '../resolvers/rooms/ack-message.ts';
import { builder } from './builder.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { MessageRef } from './room-messages.ts';
import { roomInput } from './rooms.ts';
import { run } from './run.ts';

const AckRoomMessageInput = builder.inputType('AckRoomMessageInput', {
  description: 'A message, and who acknowledges it.',
  fields: (t) => ({
    ...orgField(t),
    room: t.string({ description: 'A project’s id for its default room, or a label.' }),
    message: t.id({ description: 'Message, by global or native id.' }),
    presenceId: t.string({
      required: false,
      description: 'Presence that acknowledges, `prs_…`; the one that the message names when absent.',
    }),
    sessionKey: t.string({ required: false, description: 'Session that acknowledges, by its key.' }),
    ...keyField(t),
  }),
});

builder.mutationField('ackRoomMessage', (t) =>
  t.field({
    type: MessageRef,
    nullable: true,
    ...fieldOf(ackMessage),
    authScopes: { credential: true },
    args: { input: t.arg({ type: AckRoomMessageInput, description: 'The message and who acknowledges it.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, room, message, presenceId, sessionKey, idempotencyKey } = input;
      const acked = await run(ackMessage, keyed(ctx, idempotencyKey ?? undefined), {
        ...roomInput({ org, room }),
        message: nativeId('RoomMessage', message),
        ...dropNulls({ presence_id: presenceId, session_key: sessionKey }),
      });
      return acked.message;
    },
  }),
);
