import { dropNulls } from '../core/drop-nulls.ts';
import type { Recipient, RoomMessage } from '../db/schema/rooms.ts';
import type { Context } from '../resolvers/context.ts';
import { getMessage } from '../resolvers/rooms/get-message.ts';
import { listMessages } from '../resolvers/rooms/list-messages.ts';
import { type FirstMessages, loadFirstMessages } from '../resolvers/rooms/load-message-pages.ts';
import { loadLastMessages, loadMessages, type RoomAddress } from '../resolvers/rooms/load-rooms.ts';
import { sendMessage } from '../resolvers/rooms/send-message.ts';
import { messageCursor } from '../resolvers/rooms/wire.ts';
import { followRoom, type RoomEvent } from '../subscriptions/rooms.ts';
import { builder, pageArgs, sameForAll } from './builder.ts';
import {
  around,
  inOrder,
  type PageArgs,
  rowsDefault,
  rowsMax,
  sliceConnection,
  toConnection,
  windowOf,
} from './connection.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { loaderOf } from './loader.ts';
import { addressOf, PresenceRef, RoomRef, roomArgs, roomInput } from './rooms.ts';
import { run } from './run.ts';
import { selectedBelow } from './selected.ts';

const ImportanceEnum = builder.enumType('MessageImportance', {
  description: 'How loud a message is.',
  values: {
    NORMAL: { value: 'normal', description: 'As usual.' },
    HIGH: { value: 'high', description: 'Stands out.' },
  } as const,
});

const RecipientKindEnum = builder.enumType('RecipientKind', {
  description: 'How a message names somebody.',
  values: {
    TO: { value: 'to', description: 'Meant for them.' },
    CC: { value: 'cc', description: 'They should know.' },
  } as const,
});

/** What a message asks of a presence stands on the edge; the presence is the node. */
interface RecipientEdge extends Recipient {
  readonly cursor: string;
}

const RecipientEdgeRef = builder.objectRef<RecipientEdge>('MessageRecipientEdge').implement({
  description: 'Somebody a message asks to look: attention, not access.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Where the row stands: for `after` and `before`.' }),
    node: t.field({
      type: PresenceRef,
      nullable: true,
      description: 'The presence; null once it is gone.',
      resolve: ({ presenceId }) => presenceId,
    }),
    name: t.exposeString('name', { description: 'Name of the presence.' }),
    kind: t.expose('kind', { type: RecipientKindEnum, description: 'How the message names it.' }),
    ackRequired: t.exposeBoolean('ackRequired', { description: 'Whether it is asked to acknowledge.' }),
    ackedAt: t.field({
      ...sameForAll,
      type: 'DateTime',
      nullable: true,
      description: 'When it did; null until then.',
      resolve: ({ ackedAt }) => (ackedAt === null ? null : new Date(ackedAt)),
    }),
  }),
});

const recipientId = ({ presenceId }: Recipient) => presenceId;

function recipientPage(recipients: readonly Recipient[], page: PageArgs) {
  const { edges, pageInfo } = sliceConnection(recipients, recipientId, page);
  return { edges: edges.map(({ node, cursor }): RecipientEdge => ({ ...node, cursor })), pageInfo };
}

const RecipientConnection = builder
  .objectRef<ReturnType<typeof recipientPage>>('MessageRecipientConnection')
  .implement({
    description: 'A page of those a message names.',
    fields: (t) => ({
      edges: t.expose('edges', { ...sameForAll, type: [RecipientEdgeRef], description: 'The rows of the page.' }),
      pageInfo: t.expose('pageInfo', {
        ...sameForAll,
        type: builder.pageInfoRef(),
        description: 'Where the page ends, and whether there is more.',
      }),
    }),
  });

const MessageRef = builder.loadableNodeRef<RoomMessage, string>('RoomMessage', {
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

const MessageConnection = builder.connectionObject({ type: MessageRef, name: 'RoomMessageConnection' });

async function messagePage(
  ctx: Context,
  address: RoomAddress,
  { wait, ...page }: PageArgs & { wait?: number | null | undefined },
) {
  const window = windowOf(page);
  const { limit, cursor, backward } = window;
  const where = backward ? { order: 'desc' as const, before: cursor } : { cursor, wait };
  const { messages, hasMore, reset } = await run(listMessages, ctx, {
    org: address.orgId,
    room: address.key,
    ...dropNulls({ limit, ...where }),
  });
  // A connection is in one order, whichever way it was read.
  const shown = backward ? messages.toReversed() : messages;
  return toConnection({
    rows: rowsOf(ctx, shown),
    ...around(reset ? { ...window, cursor: undefined } : window, hasMore),
  });
}

/** Messages with their cursors, each sealed when it is asked for. */
const rowsOf = (ctx: Context, messages: readonly RoomMessage[]) =>
  messages.map((node) => ({
    node,
    get cursor() {
      return messageCursor(node, ctx);
    },
  }));

/** Fields of a message that its brief columns answer. */
const briefFields = new Set(['__typename', 'id', 'messageId', 'cursor', 'body', 'sender', 'createdAt', 'room']);

const isSubset = (names: ReadonlySet<string>, of: ReadonlySet<string>) => {
  for (const name of names) if (!of.has(name)) return false;
  return true;
};

interface FirstPage extends RoomAddress {
  readonly limit: number;
  readonly brief: boolean;
}

/** First pages of several rooms in one statement for each length of page, however many ask. */
const firstMessagesOf = loaderOf(
  async (ctx, pages: readonly FirstPage[]) => {
    const alike = new Map<number, FirstPage[]>();
    for (const page of pages) alike.set(page.limit, [...(alike.get(page.limit) ?? []), page]);
    const found = new Map<FirstPage, FirstMessages | null>();
    await Promise.all(
      [...alike].map(async ([limit, group]) => {
        const brief = group.every((page) => page.brief);
        const loaded = await loadFirstMessages(ctx, group, limit, brief);
        for (const [index, page] of group.entries()) found.set(page, loaded[index]!);
      }),
    );
    return pages.map((page) => found.get(page)!);
  },
  ({ limit, brief, ...room }) => `${addressOf(room)} ${limit} ${brief}`,
);

const lastMessageOf = loaderOf((ctx, rooms: readonly RoomAddress[]) => loadLastMessages(ctx, rooms), addressOf);

builder.objectFields(RoomRef, (t) => ({
  lastMessage: t.field({
    type: MessageRef,
    nullable: true,
    description: 'The newest message; null while there is none.',
    resolve: ({ orgId, key }, _args, ctx) => lastMessageOf(ctx).load({ orgId, key }),
  }),
  messages: t.field({
    type: MessageConnection,
    description: listMessages.summary,
    args: pageArgs,
    resolve: async (room, page, ctx, info) => {
      const { limit = rowsDefault, cursor, backward } = windowOf(page);
      if (cursor !== undefined || backward) return messagePage(ctx, room, page);
      const { orgId, key } = room;
      const brief = isSubset(selectedBelow(info, 'edges.node'), briefFields);
      const found = await firstMessagesOf(ctx).load({ orgId, key, limit: Math.min(limit, rowsMax), brief });
      if (found === null) return messagePage(ctx, room, page);
      return toConnection({ rows: rowsOf(ctx, found.messages), hasNext: found.hasMore, hasPrevious: false });
    },
  }),
}));

builder.queryFields((t) => ({
  roomMessages: t.field({
    type: MessageConnection,
    nullable: true,
    description: listMessages.summary,
    authScopes: { credential: true },
    args: {
      ...roomArgs,
      ...pageArgs,
      wait: t.arg.int({ required: false, description: 'Seconds to wait for a message when there is none, 1 to 25.' }),
    },
    resolve: (_root, { org, room, ...page }, ctx) => {
      const address = roomInput({ org, room });
      return messagePage(ctx, { orgId: address.org, key: address.room }, page);
    },
  }),
  roomMessage: t.field({
    type: MessageRef,
    nullable: true,
    description: getMessage.summary,
    authScopes: { credential: true },
    args: { ...roomArgs, message: t.arg.id({ description: 'Message, by global or native id.' }) },
    resolve: (_root, { message, ...address }, ctx) =>
      run(getMessage, ctx, { ...roomInput(address), message: nativeId('RoomMessage', message) }),
  }),
}));

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
    requestedName: t.string({ required: false, description: 'Wanted name, when this call registers a presence.' }),
    ...keyField(t),
  }),
});

builder.mutationField('sendRoomMessage', (t) =>
  t.field({
    type: MessageRef,
    nullable: true,
    description: sendMessage.summary,
    authScopes: { credential: true },
    args: { input: t.arg({ type: SendRoomMessageInput, description: 'The message.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, room, idempotencyKey, threadId, ackRequired, presenceId, sessionKey, requestedName, ...said } =
        dropNulls(input);
      const rest = dropNulls({
        thread_id: threadId,
        ack_required: ackRequired,
        presence_id: presenceId,
        session_key: sessionKey,
        requested_name: requestedName,
      });
      const sent = await run(sendMessage, keyed(ctx, idempotencyKey), {
        ...roomInput({ org, room }),
        ...said,
        ...rest,
      });
      return sent.message;
    },
  }),
);

const RoomMessageEventRef = builder.objectRef<RoomEvent>('RoomMessageEvent').implement({
  description: 'A message as it arrives.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'Resume with this as `after`: nothing is missed, nothing comes twice.',
    }),
    message: t.expose('message', { ...sameForAll, type: MessageRef, description: 'The message.' }),
    reset: t.exposeBoolean('reset', {
      description: 'True on the first event when `after` could not be used and the feed began anew.',
    }),
  }),
});

builder.subscriptionField('roomMessages', (t) =>
  t.field({
    type: RoomMessageEventRef,
    description: 'Messages of a room from a cursor on, then each new one as it is sent.',
    // Whoever opens the feed is asked for a credential; an event may be for many, and has nobody to ask.
    extensions: { perSubscriber: ['after', 'first'] },
    args: {
      ...roomArgs,
      after: t.arg.string({
        required: false,
        description: 'Cursor to resume from; the beginning of the room when absent.',
      }),
      first: t.arg.int({ required: false, description: 'Ends after so many messages; goes on for ever when absent.' }),
    },
    subscribe: (_root, { org, room, ...rest }, ctx) =>
      followRoom(ctx, { ...roomInput({ org, room }), ...dropNulls(rest) }),
    resolve: (event) => event,
  }),
);
