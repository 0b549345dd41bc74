import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from 'graphql-ws';
import WebSocket from 'ws';

/** What all subscribers have in common. */
export interface SubscriberWorld {
  readonly org: string;
  readonly authorization: string;
  /** Addresses of the nodes that run. */
  readonly nodes: () => readonly string[];
  /** Mean time until a subscriber breaks its own connection, in milliseconds. */
  readonly patienceMs: number;
  readonly counts: Counts;
}

/** What happened to connections, over all subscribers. */
export interface Counts {
  /** Broken by a subscriber itself. */
  disconnects: number;
  /** Ended by a node, or with it. */
  cutOff: number;
  /** Subscriptions that began with a cursor. */
  resumed: number;
  /** Events that said that a cursor could not be used. */
  resets: number;
}

export interface Subscriber {
  readonly room: string;
  /** Ids of messages, in the order of receipt. */
  readonly received: string[];
  readonly stop: () => Promise<void>;
}

const query = `subscription ($org: ID!, $room: String!, $after: String) {
  roomMessages(org: $org, room: $room, after: $after) { cursor reset message { messageId } }
}`;

interface Event {
  readonly roomMessages: { readonly cursor: string; readonly reset: boolean; readonly message: { messageId: string } };
}

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/** Follows a room until it is stopped, losing its connection now and then, and remembers nothing but its last cursor. */
export function startSubscriber(world: SubscriberWorld, room: string): Subscriber {
  const received: string[] = [];
  let cursor: string | undefined;
  let stopped = false;
  let leave = () => {};

  async function connectOnce(url: string): Promise<void> {
    let socket: WebSocket | undefined;
    let broken = false;
    let client: Client | undefined;
    // Disposed of while it connects, it fails as the connecting does.
    const dispose = async () => void (await Promise.resolve(client?.dispose()).catch(() => undefined));
    leave = () => void dispose();
    client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: world.authorization },
      retryAttempts: 0,
      on: {
        opened: (opened) => {
          socket = opened as WebSocket;
        },
      },
    });
    const breaking = setTimeout(
      () => {
        broken = true;
        world.counts.disconnects++;
        // As a network does: without a goodbye.
        socket?.terminate();
        if (socket === undefined) void dispose();
      },
      -Math.log(1 - Math.random()) * world.patienceMs,
    );
    try {
      if (cursor !== undefined) world.counts.resumed++;
      const events = client.iterate<Event>({ query, variables: { org: world.org, room, after: cursor } });
      for await (const { data, errors } of events) {
        if (errors !== undefined) throw new Error(JSON.stringify(errors));
        const { message, reset, ...event } = data!.roomMessages;
        if (reset) world.counts.resets++;
        received.push(message.messageId);
        ({ cursor } = event);
      }
    } catch {
      // Whatever it was, it goes on from its cursor; what was lost by it is found in the end.
    }
    clearTimeout(breaking);
    if (!stopped && !broken) world.counts.cutOff++;
    await dispose();
  }

  const running = (async () => {
    while (!stopped) {
      const nodes = world.nodes();
      if (nodes.length > 0) await connectOnce(pick(nodes));
      if (!stopped) await sleep(Math.random() * 500);
    }
  })();
  return {
    room,
    received,
    async stop() {
      stopped = true;
      leave();
      await running;
    },
  };
}
