import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useClient } from 'urql';
import { type Envelope, envelopeOf } from '../../graph/envelope.ts';
import { useFeed } from '../../graph/use-feed.ts';
import { type MessageWindow, withEarlier, withLater, withNew } from './message-window.ts';
import type { RoomProps } from './place.ts';
import {
  EarlierMessagesDocument,
  FollowMessagesDocument,
  LaterMessagesDocument,
  type MessageLineFragment,
  OneMessageDocument,
} from './room.graphql.ts';

/** Messages of a page. More would cost more than the gateway allows for one document. */
const pageSize = 50;

/** The word for the first message of a room, in place of an id. */
export const firstMessage = 'first';

export interface Messages {
  /** Undefined until the first page has loaded. */
  readonly rows: readonly MessageLineFragment[] | undefined;
  readonly error: Envelope | undefined;
  /** Whether the first message of the list is loaded. */
  readonly isWhole: boolean;
  /** Loads earlier messages; undefined when there are none, or when the gateway refused them. */
  readonly earlier: (() => void) | undefined;
  /** Loads later messages; undefined when the newest one is shown. */
  readonly later: (() => void) | undefined;
  /** How many messages were sent since the list was opened. */
  readonly arrived: number;
  /** Distinguishes one opening of the list from the next. */
  readonly opening: string;
  readonly change: (change: (row: MessageLineFragment) => MessageLineFragment) => void;
  /** Opens the list again, at its newest message unless an address names another. */
  readonly again: () => void;
}

interface MessagesOptions extends RoomProps {
  readonly thread: string | undefined;
  /** The message to open the list at, by its id; {@link firstMessage}; or undefined: the newest. */
  readonly at: string | undefined;
  /** Whether its reader looks at earlier messages. */
  readonly readsBack: () => boolean;
}

interface Opened extends MessageWindow {
  readonly of: string;
  /** Where the subscription begins. */
  readonly cursor: string;
}

/** Messages of a room or of a thread, as they are sent, without a gap or a repeat, at any place of the room. */
export function useMessages({ org, room, thread, at, readsBack }: MessagesOptions): Messages {
  const client = useClient();
  const [state, setState] = useState<Opened>();
  const [failed, setFailed] = useState<Envelope>();
  const [attempt, setAttempt] = useState(0);
  const variables = { org, room, threadId: thread ?? null };
  const of = `${JSON.stringify(variables)} ${at ?? ''} ${attempt}`;
  const current = state?.of === of ? state : undefined;
  const update = (change: (now: Opened) => MessageWindow) =>
    setState((now) => (now?.of === of ? { ...now, ...change(now) } : now));

  const readEarlier = async (last: number, before?: string) => {
    const asked = { ...variables, last, before };
    const { data, error } = await client.query(EarlierMessagesDocument, asked, fresh).toPromise();
    if (data?.roomMessages == null) throw error;
    const { cursor, edges, pageInfo } = data.roomMessages;
    const rest = pageInfo.hasPreviousPage ? (pageInfo.startCursor ?? undefined) : undefined;
    return { cursor, rows: edges.map(({ node }) => node), before: rest };
  };
  const readLater = async (after?: string) => {
    const asked = { ...variables, first: pageSize, after };
    const { data, error } = await client.query(LaterMessagesDocument, asked, fresh).toPromise();
    if (data?.roomMessages == null) throw error;
    const { edges, pageInfo } = data.roomMessages;
    return { rows: edges.map(({ node }) => node), isNewest: !pageInfo.hasNextPage };
  };

  const open = async (): Promise<Omit<Opened, 'of'>> => {
    const none = { late: [], arrived: 0 };
    if (at === undefined) {
      const { rows, cursor, before } = await readEarlier(pageSize);
      return { ...none, rows, cursor, before, after: undefined };
    }
    if (at === firstMessage) {
      const { cursor } = await readEarlier(1);
      const { rows } = await readLater();
      return { ...none, rows, cursor, before: undefined, after: rows.at(-1)?.cursor };
    }
    const { data, error } = await client.query(OneMessageDocument, { org, room, message: at }, fresh).toPromise();
    if (data?.roomMessage == null || data.roomMessages == null) throw error;
    const { roomMessage: row } = data;
    const [earlier, later] = await Promise.all([readEarlier(pageSize, row.cursor), readLater(row.cursor)]);
    const rows = [...earlier.rows, row, ...later.rows];
    // The next page tells whether there is more, and cannot miss a message that was sent meanwhile.
    return { ...none, rows, cursor: data.roomMessages.cursor, before: earlier.before, after: rows.at(-1)!.cursor };
  };

  const shown = useRef(of);
  shown.current = of;
  const reading = useRef(new Set<string>());
  const once = async (name: string, read: () => Promise<void>) => {
    const key = `${name} ${of}`;
    if (reading.current.has(key)) return;
    reading.current.add(key);
    try {
      await read();
    } catch (error) {
      if (shown.current === of) setFailed(envelopeOf(error));
    } finally {
      reading.current.delete(key);
    }
  };
  const onOpen = useEffectEvent(() => {
    setFailed(undefined);
    void once('open', async () => {
      const opened = await open();
      // Its reader may have gone to another place of the room since.
      if (shown.current === of) setState({ ...opened, of });
    });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` names everything that is read.
  useEffect(() => onOpen(), [of]);

  const ended = useFeed(
    FollowMessagesDocument,
    current === undefined ? undefined : { ...variables, after: current.cursor },
    ({ roomMessages: { reset, message } }) =>
      update((now) => withNew(reset ? { ...now, rows: [], before: undefined } : now, message, readsBack())),
  );

  const { before, after } = current ?? {};
  return {
    rows: current?.rows,
    error: failed ?? ended,
    isWhole: current !== undefined && before === undefined,
    earlier:
      before === undefined || failed !== undefined
        ? undefined
        : () =>
            void once('earlier', async () => {
              const page = await readEarlier(pageSize, before);
              update((now) => (now.before === before ? withEarlier(now, page.rows, page.before) : now));
            }),
    later:
      after === undefined || failed !== undefined
        ? undefined
        : () =>
            void once('later', async () => {
              const page = await readLater(after);
              update((now) => (now.after === after ? withLater(now, page.rows, page.isNewest) : now));
            }),
    arrived: current?.arrived ?? 0,
    opening: of,
    change: (change) => update((now) => ({ ...now, rows: now.rows.map(change) })),
    again: () => setAttempt((tried) => tried + 1),
  };
}

const fresh = { requestPolicy: 'network-only' } as const;
