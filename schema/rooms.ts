import { dropNulls } from '../core/drop-nulls.ts';
import { isUuid } from '../core/ids.ts';
import type { Presence, Recipient, RoomMessage } from '../db/schema/rooms.ts';
import type { Context } from '../resolvers/context.ts';
import { execute } from '../resolvers/execute.ts';
import { getMessage } from '../resolvers/rooms/get-message.ts';
import { getRoom } from '../resolvers/rooms/get-room.ts';
import { joinRoom } from '../resolvers/rooms/join-room.ts';
import { listMessages } from '../resolvers/rooms/list-messages.ts';
import { listPresences } from '../resolvers/rooms/list-presences.ts';
import { listRooms } from '../resolvers/rooms/list-rooms.ts';
import {
  loadLastMessages,
  loadMessages,
  loadPresences,
  loadRooms,
  type RoomRef as RoomAddress,
} from '../resolvers/rooms/load-rooms.ts';
import { projectOfRoom, type RoomSummary } from '../resolvers/rooms/room-summary.ts';
import { sendMessage } from '../resolvers/rooms/send-message.ts';
import { messageCursor, presenceState } from '../resolvers/rooms/wire.ts';
import { followRoom, type RoomEvent } from '../subscriptions/rooms.ts';
import { builder, pageArgs } from './builder.ts';
import { around, inOrder, type PageArgs, sliceConnection, toConnection, windowOf } from './connection.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { loaderOf } from './loader.ts';
import { OrganizationRef } from './orgs.ts';
import { ProjectRef } from './projects.ts';

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

const PresenceStateEnum = builder.enumType('PresenceState', {
  description: 'Whether a presence is there.',
  values: {
    ACTIVE: { value: 'active', description: 'Heard of within the hour.' },
    EXPIRED: { value: 'expired', description: 'Silent for longer.' },
    LEFT: { value: 'left', description: 'Said goodbye.' },
  } as const,
});

/** A room's native id: both halves are free of slashes. */
const addressOf = ({ orgId, key }: RoomAddress): string => `${orgId}/${key}`;

function parseAddress(id: string): RoomAddress {
  const [orgId = '', key = ''] = id.split('/', 2);
  return { orgId, key };
}

const lastMessageOf = loaderOf((ctx, rooms: readonly RoomAddress[]) => loadLastMessages(ctx, rooms), addressOf);

const PresenceRef = builder.loadableNodeRef<Presence, string>('RoomPresence', {
  id: { resolve: ({ id }) => id },
  load: async (ids, ctx) => inOrder(ids, await loadPresences(ctx, ids), ({ id }) => id) as Presence[],
  toKey: ({ id }) => id,
});

PresenceRef.implement({
  description: 'One session in one room, under a name that is never given to another.',
  fields: (t) => ({
    presenceId: t.exposeString('id', { description: 'Native id, `prs_…`.' }),
    name: t.exposeString('name', { description: 'Unique in the room for ever.' }),
    task: t.exposeString('task', { nullable: true, description: 'What it is doing.' }),
    program: t.exposeString('program', { nullable: true, description: 'Program that speaks.' }),
    model: t.exposeString('model', { nullable: true, description: 'Model that speaks.' }),
    state: t.field({
      type: PresenceStateEnum,
      description: 'Whether it is there.',
      resolve: (presence, _args, ctx) => presenceState(presence, ctx.services.now()),
    }),
    lastActive: t.expose('lastActive', { type: 'DateTime', description: 'When it was last heard of.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires unless it is heard of again.' }),
  }),
});

const PresenceConnection = builder.connectionObject({ type: PresenceRef, name: 'RoomPresenceConnection' });

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
      edges: t.expose('edges', { type: [RecipientEdgeRef], description: 'The rows of the page.' }),
      pageInfo: t.expose('pageInfo', {
        type: builder.pageInfoRef(),
        description: 'Where the page ends, and whether there is more.',
      }),
    }),
  });

export const RoomRef = builder.loadableNodeRef<RoomSummary, string>('Room', {
  id: { resolve: addressOf },
  load: async (ids, ctx) => {
    const addresses = ids.map(parseAddress);
    const known = addresses.filter(({ orgId, key }) => isUuid(orgId) && key !== '');
    const rooms = await loadRooms(ctx, known);
    return inOrder(
      ids,
      rooms.filter((room) => room !== null),
      addressOf,
    ) as RoomSummary[];
  },
  toKey: addressOf,
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
      type: RecipientConnection,
      description: 'Whom it names, at most 100.',
      args: pageArgs,
      resolve: ({ recipients }, page) => recipientPage(recipients, page),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was sent.' }),
    room: t.field({
      type: RoomRef,
      description: 'The room it was sent in.',
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
  const { messages, hasMore, reset } = await execute(listMessages, ctx, {
    org: address.orgId,
    room: address.key,
    ...dropNulls({ limit, ...where }),
  });
  // A connection is in one order, whichever way it was read.
  const shown = backward ? messages.toReversed() : messages;
  return toConnection({
    rows: shown.map((message) => ({ node: message, cursor: messageCursor(message, ctx) })),
    ...around(reset ? { ...window, cursor: undefined } : window, hasMore),
  });
}

RoomRef.implement({
  description: 'A place to talk: an organization and a key. It comes into being when somebody first writes to it.',
  fields: (t) => ({
    orgId: t.exposeString('orgId', { description: 'Organization that owns it, a UUID.' }),
    key: t.exposeString('key', { description: 'A project’s id for its default room, or a label.' }),
    livePresences: t.exposeInt('livePresences', { description: 'How many presences are there now.' }),
    lastActivityAt: t.expose('lastActivityAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Newest sign of life; null for a room nobody has used.',
    }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The owner; null for a caller that reaches the room without being a member.',
      resolve: ({ orgId }) => orgId,
    }),
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'The project whose default room it is; null for a named room.',
      resolve: ({ key }) => projectOfRoom(key),
    }),
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
      resolve: (room, page, ctx) => messagePage(ctx, room, page),
    }),
    presences: t.field({
      type: PresenceConnection,
      description: listPresences.summary,
      args: pageArgs,
      resolve: async ({ orgId, key }, page, ctx) =>
        sliceConnection(await execute(listPresences, ctx, { org: orgId, room: key }), ({ id }) => id, page),
    }),
  }),
});

const RoomConnection = builder.connectionObject({ type: RoomRef, name: 'RoomConnection' });

builder.objectField(ProjectRef, 'defaultRoom', (t) =>
  t.field({
    type: RoomRef,
    description: 'The room that every project has.',
    resolve: ({ orgId, id }) => addressOf({ orgId, key: id }),
  }),
);

builder.objectField(OrganizationRef, 'rooms', (t) =>
  t.field({
    type: RoomConnection,
    description: listRooms.summary,
    args: pageArgs,
    resolve: async ({ id }, page, ctx) => sliceConnection(await execute(listRooms, ctx, { org: id }), addressOf, page),
  }),
);

const roomArgs = builder.args((t) => ({
  org: t.id({ description: 'Organization, by global or native id.' }),
  room: t.string({ description: 'A project’s id for its default room, or a label.' }),
}));

const roomInput = ({ org, room }: { org: string; room: string }) => ({
  org: nativeId('Organization', org),
  room: nativeId('Project', room),
});

builder.queryFields((t) => ({
  room: t.field({
    type: RoomRef,
    nullable: true,
    description: getRoom.summary,
    authScopes: { credential: true },
    args: roomArgs,
    resolve: (_root, address, ctx) => execute(getRoom, ctx, roomInput(address)),
  }),
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
      execute(getMessage, ctx, { ...roomInput(address), message: nativeId('RoomMessage', message) }),
  }),
}));

const JoinRoomInput = builder.inputType('JoinRoomInput', {
  description: 'Which room to join, and how to be seen there.',
  fields: (t) => ({
    org: t.id({ description: 'Organization, by global or native id.' }),
    room: t.string({ description: 'A project’s id for its default room, or a label.' }),
    requestedName: t.string({ required: false, description: 'Wanted name; a taken one gets a number.' }),
    task: t.string({ required: false, description: 'What the presence is doing; for display.' }),
    program: t.string({ required: false, description: 'Program that speaks; for display.' }),
    model: t.string({ required: false, description: 'Model that speaks; for display.' }),
    sessionKey: t.string({
      required: false,
      description: 'Opaque; brings the same principal back as the same presence.',
    }),
    ...keyField(t),
  }),
});

const SendRoomMessageInput = builder.inputType('SendRoomMessageInput', {
  description: 'A message and where to post it.',
  fields: (t) => ({
    org: t.id({ description: 'Organization, by global or native id.' }),
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

builder.mutationFields((t) => ({
  joinRoom: t.field({
    type: PresenceRef,
    nullable: true,
    description: joinRoom.summary,
    authScopes: { credential: true },
    args: { input: t.arg({ type: JoinRoomInput, description: 'Where and how to join.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, room, requestedName, sessionKey, idempotencyKey, ...shown } = dropNulls(input);
      const named = dropNulls({ requested_name: requestedName, session_key: sessionKey });
      const { presence } = await execute(joinRoom, keyed(ctx, idempotencyKey), {
        ...roomInput({ org, room }),
        ...shown,
        ...named,
      });
      return presence;
    },
  }),
  sendRoomMessage: t.field({
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
      const sent = await execute(sendMessage, keyed(ctx, idempotencyKey), {
        ...roomInput({ org, room }),
        ...said,
        ...rest,
      });
      return sent.message;
    },
  }),
}));

const RoomMessageEventRef = builder.objectRef<RoomEvent>('RoomMessageEvent').implement({
  description: 'A message as it arrives.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'Resume with this as `after`: nothing is missed, nothing comes twice.',
    }),
    message: t.expose('message', { type: MessageRef, description: 'The message.' }),
    reset: t.exposeBoolean('reset', {
      description: 'True on the first event when `after` could not be used and the feed began anew.',
    }),
  }),
});

builder.subscriptionField('roomMessages', (t) =>
  t.field({
    type: RoomMessageEventRef,
    description: 'Messages of a room from a cursor on, then each new one as it is sent.',
    authScopes: { credential: true },
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
