import { dropNulls } from '../core/drop-nulls.ts';
import type { Presence, RoomMessage } from '../db/schema/rooms.ts';
import type { Context } from '../kernel/run/context.ts';
import { getMessage } from '../resolvers/rooms/get-message.ts';
import { listMessages, type MessagePage } from '../resolvers/rooms/list-messages.ts';
import { type FirstMessages, loadFirstMessages } from '../resolvers/rooms/load-message-pages.ts';
import { loadLastMessages, type RoomAddress } from '../resolvers/rooms/load-rooms.ts';
import { messageCursor } from '../resolvers/rooms/shared/wire.ts';
import { builder, pageArgs } from './builder.ts';
import {
  around,
  type PageArgs,
  rowsDefault,
  rowsMax,
  SealedEdge,
  sliceConnection,
  toConnection,
  windowOf,
} from './connection.ts';
import { loaderOf } from './loader.ts';
import { fieldOf, inputsOf, readField, rootFieldOf } from './operation-field.ts';
import { filterSpelling, MessageRef } from './room-messages.ts';
import { addressOf, PresenceConnection, RoomRef } from './rooms.ts';
import { run } from './run.ts';
import { selectedBelow } from './selected.ts';

const MessageConnection = builder.connectionObject({ type: MessageRef, name: 'RoomMessageConnection' });

type Rows = ReturnType<typeof toConnection<RoomMessage>>;

type PageState = Pick<MessagePage, 'reset' | 'cursor' | 'earliestCursor' | 'held'>;

/** A page, and what was told with it. */
interface MessagesPage extends Rows {
  readonly told: PageState;
}

/** What is told with a first page that was read together with those of other rooms. */
class NewestMessages implements PageState {
  readonly reset = false;
  readonly earliestCursor = undefined;
  readonly held = undefined;
  readonly #last: SealedEdge<RoomMessage> | undefined;

  /** @param last row of the page; of an empty one the cursor is not asked for */
  constructor(last: SealedEdge<RoomMessage> | undefined) {
    this.#last = last;
  }

  get cursor(): string {
    return this.#last!.cursor;
  }
}

const toldOf = (page: object) => (page as MessagesPage).told;

builder.objectFields(MessageConnection, (t) => ({
  cursor: t.string({
    description: 'Where to read on, as `after`; of an empty page the cursor that was given.',
    resolve: (page) => toldOf(page).cursor,
  }),
  reset: t.boolean({
    description: 'Whether the cursor could not be used, so that the page starts at the earliest message kept.',
    resolve: (page) => toldOf(page).reset,
  }),
  earliestCursor: t.string({
    nullable: true,
    description: 'Right before the earliest message that is kept; only with `reset`.',
    resolve: (page) => toldOf(page).earliestCursor,
  }),
  waitedMs: t.int({
    nullable: true,
    description: 'Milliseconds that it was held; null unless it was asked to wait.',
    resolve: (page) => toldOf(page).held?.waitedMs,
  }),
  livePresences: t.field({
    type: PresenceConnection,
    nullable: true,
    description: 'Others who are live, latest first, at most 200; null unless it was asked to wait.',
    args: pageArgs,
    resolve: (page, args) => {
      const live = toldOf(page).held?.live;
      return live && sliceConnection<Presence>(live, ({ id }) => id, args);
    },
  }),
}));

const wanted = inputsOf(listMessages, {
  omit: ['cursor', 'limit', 'order', 'before'],
  ...filterSpelling,
  types: { ...filterSpelling.types, wait: 'Int' },
});

async function messagePage(
  ctx: Context,
  { wait, ...filter }: ReturnType<typeof wanted.read>,
  page: PageArgs,
): Promise<MessagesPage> {
  const window = windowOf(page);
  const { limit, cursor, backward } = window;
  const where = backward ? { order: 'desc' as const, before: cursor } : { cursor, wait };
  const told = await run(listMessages, ctx, { ...filter, ...dropNulls({ limit, ...where }) });
  const { messages, hasMore, reset } = told;
  // A connection is in one order, whichever way it was read.
  const shown = backward ? messages.toReversed() : messages;
  return {
    ...toConnection({
      rows: rowsOf(ctx, shown),
      ...around(reset ? { ...window, cursor: undefined } : window, hasMore),
    }),
    told,
  };
}

/** Messages with their cursors, each sealed when it is asked for. */
function rowsOf(ctx: Context, messages: readonly RoomMessage[]): SealedEdge<RoomMessage>[] {
  const seal = (message: RoomMessage) => messageCursor(message, ctx);
  return messages.map((message) => new SealedEdge(message, seal));
}

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
    ...fieldOf(listMessages),
    args: pageArgs,
    resolve: async (room, page, ctx, info) => {
      const { limit = rowsDefault, cursor, backward } = windowOf(page);
      const { orgId, key } = room;
      if (cursor !== undefined || backward) return messagePage(ctx, { org: orgId, room: key }, page);
      const brief = isSubset(selectedBelow(info, 'edges.node'), briefFields);
      const found = await firstMessagesOf(ctx).load({ orgId, key, limit: Math.min(limit, rowsMax), brief });
      // Where an empty room is read on, the operation itself knows.
      if (found === null || (found.messages.length === 0 && selectedBelow(info, '').has('cursor'))) {
        return messagePage(ctx, { org: orgId, room: key }, page);
      }
      const rows = rowsOf(ctx, found.messages);
      return {
        ...toConnection({ rows, hasNext: found.hasMore, hasPrevious: false }),
        told: new NewestMessages(rows.at(-1)),
      };
    },
  }),
}));

builder.queryField('roomMessages', (t) =>
  t.field({
    type: MessageConnection,
    nullable: true,
    ...rootFieldOf(listMessages),
    args: { ...wanted.args, ...pageArgs },
    resolve: (_root, args, ctx) => messagePage(ctx, wanted.read(args), args),
  }),
);

readField('roomMessage', getMessage, { type: MessageRef, ids: { message: 'RoomMessage' } });
