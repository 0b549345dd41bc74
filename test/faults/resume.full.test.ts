import { afterAll, expect, test } from 'vitest';
import type { WalletActor } from '../helpers/actors.ts';
import { openSocket, type RoomEvent, roomSubscription } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { createWallet, type TestWallet } from '../helpers/wallet.ts';

const service = await startService();
afterAll(() => service.stop());
const { actors, call } = service;

const writers = 4;
/** How often each kind of reader loses its connection. */
const kills = { socket: 300, stream: 100, held: 100 };

/** Chance that is the same in every run (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A reader that is thrown out again and again and remembers nothing but its cursor. */
interface Reader {
  readonly ids: string[];
  cursor: string | undefined;
  killsLeft: number;
  done: boolean;
  readonly random: () => number;
}

const reader = (seed: number, killsLeft: number): Reader => ({
  ids: [],
  cursor: undefined,
  killsLeft,
  done: false,
  random: chance(seed),
});

/** When a connection is to be broken: after some messages or after some time, whichever comes first; some never. */
function plan({ killsLeft, random }: Reader, kill: () => void) {
  if (killsLeft <= 0) return { seen: () => undefined, over: () => undefined };
  let messages = Math.floor(random() * 12);
  // Also before the connection is there, and while it is being accepted.
  const timer = setTimeout(kill, random() * 30);
  return {
    seen: () => {
      if (messages-- <= 0) kill();
    },
    over: () => clearTimeout(timer),
  };
}

test('whoever loses its connection at any moment and resumes with its last cursor gets each message once, in order', async () => {
  const { wallet: owner, orgId } = await service.owner();
  const raise = { limits: { reads_per_second: 1e6, reads_burst: 1e6, writes_per_second: 1e6, writes_burst: 1e6 } };
  await call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: raise });
  const key: TestWallet = createWallet();
  const follower = {
    headers: async (path: string) => ({ 'sign-in-with-x': await key.header({ baseUrl: service.url, path }) }),
  };
  const members: WalletActor[] = Array.from({ length: writers }, () => actors.wallet());
  for (const member of [...members, follower]) {
    const { body } = await call<{ principal: { id: string } }>(member, 'GET', '/agent/v1/whoami');
    await actors.member(orgId, body.principal.id, 'developer');
  }
  const messages = `/orgs/v1/${orgId}/rooms/hall/messages`;

  const socket = reader(1, kills.socket);
  const stream = reader(2, kills.stream);
  const held = reader(3, kills.held);
  const all = [socket, stream, held];
  const sent = new Set<string>();

  async function write(writer: WalletActor, name: number) {
    for (let n = 0; all.some(({ killsLeft }) => killsLeft > 0); n++) {
      const { status, body } = await call<{ message_id: string }>(writer, 'POST', messages, {
        body: { body: `${name}-${n}` },
      });
      expect(status).toBe(201);
      sent.add(body.message_id);
    }
  }
  /** One connection of a reader after the other, until it has seen the last message. */
  async function read(one: Reader, connection: (kill: AbortController) => Promise<void>) {
    while (!one.done) {
      const kill = new AbortController();
      const planned = plan(one, () => kill.abort());
      one.killsLeft -= 1;
      observers.set(one, planned.seen);
      await connection(kill);
      planned.over();
    }
  }
  const observers = new Map<Reader, () => void>();
  const take = (one: Reader, id: string, body: string, cursor: string) => {
    // GraphQL says the type, too.
    one.ids.push(id.replace(/^RoomMessage_/, ''));
    one.cursor = cursor;
    one.done = body === 'the last';
    observers.get(one)!();
  };

  const bySocket = read(socket, async (kill) => {
    const client = openSocket(service.url, key);
    const events = client.follow({ org: orgId, room: 'hall', after: socket.cursor });
    // Broken under the client, before or after the handshake.
    const stop = () => {
      client.terminate();
      void events.return?.();
    };
    kill.signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const { data, errors } of events) {
        if (errors !== undefined) throw new Error(JSON.stringify(errors));
        // What arrives after the kill was never seen: the client died before it could keep the cursor.
        if (kill.signal.aborted) break;
        take(socket, data!.roomMessages.message.id, data!.roomMessages.message.body, data!.roomMessages.cursor);
        if (socket.done) break;
      }
    } catch (error) {
      if (!kill.signal.aborted) throw error;
    }
    await client.client.dispose();
  });

  const byStream = read(stream, async (kill) => {
    try {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        signal: kill.signal,
        headers: {
          ...(await follower.headers('/graphql')),
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: JSON.stringify({
          query: roomSubscription,
          variables: { org: orgId, room: 'hall', after: stream.cursor },
        }),
      });
      let text = '';
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        const blocks = text.split('\n\n');
        text = blocks.pop()!;
        for (const block of blocks) {
          const json = /^event: next\ndata: (.*)$/m.exec(block)?.[1];
          if (json === undefined || kill.signal.aborted) continue;
          const { data } = JSON.parse(json) as { data: RoomEvent };
          take(stream, data.roomMessages.message.id, data.roomMessages.message.body, data.roomMessages.cursor);
        }
        if (stream.done) kill.abort();
      }
    } catch (error) {
      if (!kill.signal.aborted) throw error;
    }
  });

  const byHeldReads = read(held, async (kill) => {
    try {
      const from = held.cursor === undefined ? '' : `&cursor=${held.cursor}`;
      const limit = 1 + Math.floor(held.random() * 20);
      const response = await fetch(`${service.url}${messages}?wait=1&limit=${limit}${from}`, {
        signal: kill.signal,
        headers: await follower.headers(messages),
      });
      const page = (await response.json()) as {
        messages: { message_id: string; body_snippet: string; cursor: string }[];
        cursor: string;
      };
      for (const { message_id, body_snippet, cursor } of page.messages) take(held, message_id, body_snippet, cursor);
      // The page's own cursor stands after its last message.
      held.cursor = page.cursor;
    } catch (error) {
      if (!kill.signal.aborted) throw error;
    }
  });

  await Promise.all(members.map(write));
  const last = await call<{ message_id: string }>(owner, 'POST', messages, { body: { body: 'the last' } });
  sent.add(last.body.message_id);
  await Promise.all([bySocket, byStream, byHeldReads]);

  const truth = await service.control.sql<{ id: string }>(
    'select id from room_messages where org_id = $1 order by seq',
    [orgId],
  );
  const ids = truth.map(({ id }) => id);
  expect(new Set(ids)).toEqual(sent);
  for (const { ids: received, killsLeft } of all) {
    expect(received.findIndex((id, index) => id !== ids[index])).toBe(-1);
    expect(received).toHaveLength(ids.length);
    expect(killsLeft).toBeLessThanOrEqual(0);
  }
});
