import { type Client, createClient, type FormattedExecutionResult } from 'graphql-ws';
import WebSocket from 'ws';
import type { Actor } from './actors.ts';
import type { TestWallet } from './wallet.ts';

export interface RoomEvent {
  readonly roomMessages: { readonly cursor: string; readonly message: { readonly id: string; readonly body: string } };
}

/** The documented subscription, to the letter. */
export const roomSubscription = `subscription ($org: ID!, $room: String!, $after: String) {
  roomMessages(org: $org, room: $room, after: $after) { cursor message { id body } }
}`;

export interface SocketClient {
  readonly client: Client;
  /** Every socket that was opened, in order. */
  readonly opened: () => number;
  /** Close codes seen so far. */
  readonly closes: () => readonly number[];
  /** Breaks the connection under the socket, as a network does. */
  readonly terminate: () => void;
  readonly follow: (variables: {
    readonly org: string;
    readonly room: string;
    readonly after?: string | undefined;
  }) => AsyncIterableIterator<FormattedExecutionResult<RoomEvent, unknown>>;
}

/** graphql-ws as its own client speaks it, signed in by a wallet or as somebody else. @param retries how often it reconnects by itself */
export function openSocket(url: string, who: TestWallet | Actor, retries = 0): SocketClient {
  let socket: WebSocket | undefined;
  let opened = 0;
  const closes: number[] = [];
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: retries,
    connectionParams: async () =>
      'headers' in who
        ? who.headers('/graphql')
        : { 'sign-in-with-x': await who.header({ baseUrl: url, path: '/graphql' }) },
    on: {
      opened: (raw) => {
        socket = raw as WebSocket;
        opened += 1;
      },
      closed: (event) => void closes.push((event as { code: number }).code),
    },
  });
  return {
    client,
    opened: () => opened,
    closes: () => closes,
    terminate: () => socket?.terminate(),
    follow: (variables) => client.iterate<RoomEvent, unknown>({ query: roomSubscription, variables }),
  };
}
