import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { newKey, readEvent, type SignedEvent, signEvent } from '../../engines/relay/signed-event.ts';

/** What a relay does with an event that it is sent. */
export type Taking =
  | 'take'
  /** Says nothing, and ends the connection. */
  | 'drop'
  /** Takes it, and ends the connection before it says so. */
  | 'take and drop'
  /** Takes it, and never answers. */
  | 'take and hang'
  /** Refuses with these words. */
  | { readonly refuse: string };

/**
 * A relay of the protocol Nostr on a port of its own, as far as channel routes speak to one: it takes events over WebSockets
 * (NIP-01), says who it is (NIP-11), and who the members of its groups are (NIP-29). It keeps what it takes once for each id, as
 * relays do, and writes down each sending.
 */
export async function startRelay() {
  const self = newKey();
  const operator = newKey();
  const groups = new Map<string, Set<string>>();
  const sent: { readonly text: string; readonly event: SignedEvent }[] = [];
  const kept = new Map<string, SignedEvent>();
  let behaviour: (event: SignedEvent, attempt: number) => Taking = () => 'take';
  let asksWho = false;
  let lists = 0;

  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/nostr+json' });
    response.end(
      JSON.stringify({
        name: 'a relay',
        self: self.publicKey,
        pubkey: operator.publicKey,
        supported_nips: [1, 11, 29, 42],
      }),
    );
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    const challenge = Math.random().toString(36);
    let known: string | undefined;
    const say = (...frame: unknown[]) => socket.send(JSON.stringify(frame));
    if (asksWho) say('AUTH', challenge);
    socket.on('message', (data) => {
      const text = String(data);
      const [kind, first, second] = JSON.parse(text) as [string, unknown, Record<string, unknown>];
      if (kind === 'AUTH') {
        const event = readEvent(first);
        const isRight =
          event?.kind === 22_242 && event.tags.some(([name, value]) => name === 'challenge' && value === challenge);
        if (isRight) known = event.pubkey;
        say('OK', (first as SignedEvent).id, isRight, isRight ? '' : 'restricted: another challenge');
      } else if (asksWho && known === undefined) {
        if (kind === 'REQ') say('CLOSED', first, 'auth-required: say who you are');
        else say('OK', (first as SignedEvent).id, false, 'auth-required: say who you are');
      } else if (kind === 'REQ') answer(say, String(first), second);
      else if (kind === 'EVENT') take(socket, say, text, first);
    });
  });

  /** The list of members of each group that is asked for, signed by the relay itself. */
  function answer(say: (...frame: unknown[]) => void, name: string, filter: Record<string, unknown>): void {
    for (const group of (filter['#d'] ?? []) as string[]) {
      const members = groups.get(group);
      if (members === undefined) continue;
      lists += 1;
      const tags = [['d', group], ...[...members].map((one) => ['p', one])];
      say(
        'EVENT',
        name,
        signEvent(self.secret, { created_at: 1_700_000_000 + lists, kind: 39_002, tags, content: '' }),
      );
    }
    say('EOSE', name);
  }

  function take(socket: WebSocket, say: (...frame: unknown[]) => void, text: string, given: unknown): void {
    const event = readEvent(given);
    if (event === undefined) {
      say('OK', (given as SignedEvent).id, false, 'invalid: the id or the signature is wrong');
      return;
    }
    sent.push({ text: text.slice('["EVENT",'.length, -1), event });
    const group = event.tags.find(([name]) => name === 'h')?.[1] ?? '';
    const isMember = groups.get(group)?.has(event.pubkey) === true;
    const how = isMember ? behaviour(event, sent.length) : { refuse: 'restricted: not a member of the group' };
    if (typeof how === 'object') say('OK', event.id, false, how.refuse);
    if (how === 'drop') socket.terminate();
    if (typeof how === 'object' || how === 'drop') return;
    const isNew = !kept.has(event.id);
    kept.set(event.id, event);
    if (how === 'take and drop') socket.terminate();
    if (how === 'take') say('OK', event.id, true, isNew ? '' : 'duplicate: have it already');
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}`,
    /** As an operator of the gateway names it. */
    origin: `http://127.0.0.1:${port}`,
    self,
    operator,
    /** Every sending of an event, in order, with its bytes. */
    sent,
    /** What it keeps: each event once. */
    kept,
    in: (group: string) =>
      [...kept.values()].filter(({ tags }) => tags.some(([name, value]) => name === 'h' && value === group)),
    join: (group: string, ...members: readonly string[]) =>
      void groups.set(group, new Set([...(groups.get(group) ?? []), ...members])),
    leave: (group: string, member: string) => void groups.get(group)?.delete(member),
    behave: (next: typeof behaviour) => void (behaviour = next),
    /** From now on it speaks only with those who say who they are (NIP-42). */
    askWho: (next: boolean) => void (asksWho = next),
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((closed) => void server.close(() => closed()));
    },
  };
}

export type Relay = Awaited<ReturnType<typeof startRelay>>;
