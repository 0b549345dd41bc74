import { dropNulls } from '../core/drop-nulls.ts';
import type { RoomMessage } from '../db/schema/rooms.ts';
import { loadMessages } from '../resolvers/rooms/load-rooms.ts';
import { openRoom } from '../resolvers/rooms/open-room.ts';
import type { SentMessage } from '../resolvers/rooms/send-message.ts';
import { messageCursor } from '../resolvers/rooms/shared/wire.ts';
import { followRoom, type RoomEvent } from '../subscriptions/rooms.ts';
import { builder, pageArgs, sameForAll } from './builder.ts';
import { inOrder } from './connection.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { RecipientConnection, recipientPage } from './message-recipients.ts';
import { inputsOf } from './operation-field.ts';
import { addressOf, RoomRef } from './rooms.ts';

export const ImportanceEnum = builder.enumType('MessageImportance', {
  description: 'How loud a message is.',
  values: {
    NORMAL: { value: 'normal', description: 'As usual.' },
    HIGH: { value: 'high', description: 'Stands out.' },
  } as const,
});

const AddresseeEnum = builder.enumType('MessageAddressee', {
  description: 'Whom messages name.',
  values: { ME: { value: 'me', description: 'The presence that the presence id or the session key says.' } } as const,
});

/** How the graph spells a message filter. */
export const filterSpelling = {
  types: { addressed_to: AddresseeEnum },
  describe: { addressed_to: 'Only messages that name the presence which the presence id or the session key says.' },
} as const;

/** A message, and what the call that answers it tells of its sending. */
export interface ShownMessage extends RoomMessage {
  readonly sending?: SentMessage;
}

export const MessageRef = builder.loadableNodeRef<ShownMessage, string>('RoomMessage', {
  id: { resolve: ({ id }) => id },
  load: async (ids, ctx) => inOrder(ids, await loadMessages(ctx, ids), ({ id }) => id) as RoomMessage[],
  toKey: ({ id }) => id,
});

MessageRef.implement({
  description: 'What somebody said in a room. Messages outlive the presences that sent them.',
  fields: (t) => ({
    messageId: t.exposeString('id', { description: 'Native id, `msg_…`.' }),
    cursor: t.string({
      ...sameForAll,
      description: 'Reading on from here begins after this message.',
      resolve: (message, _args, ctx) => messageCursor(message, ctx),
    }),
    body: t.exposeString('body', { description: 'Markdown, at most 32 KiB.' }),
    sender: t.exposeString('senderName', { description: 'Name of the presence that sent it.' }),
    senderPresenceId: t.exposeString('senderPresenceId', { description: 'Presence that sent it, `prs_…`.' }),
    threadId: t.exposeString('threadId', {
      nullable: true,
      description: 'Label that replies repeat; null outside any thread.',
    }),
    importance: t.expose('importance', { type: ImportanceEnum, description: 'How loud it is.' }),
    ackRequired: t.exposeBoolean('ackRequired', {
      description: 'Whether those it is meant for are asked to acknowledge.',
    }),
    recipients: t.field({
      ...sameForAll,
      type: RecipientConnection,
      description: 'Whom it names, at most 100.',
      args: pageArgs,
      resolve: ({ recipients }, page) => recipientPage(recipients, page),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was sent.' }),
    room: t.field({
      type: RoomRef,
      nullable: true,
      description: 'The room it was sent in; null for a caller whose right to it has just ended.',
      resolve: ({ orgId, roomKey }) => addressOf({ orgId, key: roomKey }),
    }),
  }),
});

const RoomMessageEventRef = builder.objectRef<RoomEvent>('RoomMessageEvent').implement({
  description: 'A message as it arrives.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    message: t.expose('message', { ...sameForAll, type: MessageRef, description: 'The message.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

const opened = inputsOf(openRoom, { omit: ['cursor'], ...filterSpelling });

builder.subscriptionField('roomMessages', (t) =>
  t.field({
    type: RoomMessageEventRef,
    description: 'Messages of a room from a cursor on, then each new one as it is sent.',
    ...followed,
    args: {
      ...opened.args,
      ...followArgs,
      importance: t.arg({ type: ImportanceEnum, required: false, description: 'Only messages as loud as this.' }),
    },
    subscribe: (_root, args, ctx) => {
      const { after, first, importance } = args;
      return followRoom(ctx, { ...opened.read(args), ...dropNulls({ after, first, importance }) });
    },
    resolve: (event) => event,
  }),
);
