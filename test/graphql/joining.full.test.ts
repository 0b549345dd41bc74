import { afterAll, expect, test } from 'vitest';
import type { WalletActor } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { openProtocolSocket } from './protocol-socket.ts';

const service = await startService();
afterAll(() => service.stop());
const { actors, call } = service;

const writers = 3;
const sockets = 6;
/** Subscriptions that come and go on each socket, one after the other, several at a time. */
const joins = 40;
const atOnce = 4;

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

/** Documents that are shared, by many or by few, and one that is executed for each alone. */
const selections = ['message { id }', 'message { id body }', 'reset message { id }', 'message { id room { key } }'];
const document = (selection: string) => `subscription ($org: ID!, $room: String!, $after: String, $first: Int) {
  roomMessages(org: $org, room: $room, after: $after, first: $first) { cursor ${selection} }
}`;

interface Seen {
  readonly id: string;
  readonly cursor: string;
}

/** What one subscription got, and where it had begun. */
interface Joined {
  readonly after: Seen | undefined;
  readonly got: readonly Seen[];
}

test.each([1, 2])(
  'whoever joins while messages flow, from whatever cursor, gets what follows it, each message once and in order (seed %i)',
  async (seed) => {
    const { wallet: owner, orgId } = await service.owner();
    const raise = { limits: { reads_per_second: 1e6, reads_burst: 1e6, writes_per_second: 1e6, writes_burst: 1e6 } };
    await call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: raise });
    const members: WalletActor[] = Array.from({ length: writers }, () => actors.wallet());
    for (const member of members) {
      const { body } = await call<{ principal: { id: string } }>(member, 'GET', '/agent/v1/whoami');
      await actors.member(orgId, body.principal.id, 'developer');
    }
    const messages = `/orgs/v1/${orgId}/rooms/hall/messages`;
    const known: Seen[] = [];
    const all: Joined[] = [];
    let joining = true;

    async function write(writer: WalletActor) {
      while (joining) expect((await call(writer, 'POST', messages, { body: { body: 'flow' } })).status).toBe(201);
    }

    async function join(which: number) {
      const random = chance(seed * 1_000 + which);
      const reader = which % 2 === 0 ? owner : members[which % writers]!;
      const raw = await openProtocolSocket(service.url);
      await raw.init(await reader.headers('/graphql'));
      let nth = 0;
      async function one() {
        while (nth < joins) {
          const id = `${nth++}`;
          const after = random() < 0.2 ? undefined : known[Math.floor(known.length * (1 - random() ** 3))];
          const first = random() < 0.5 ? undefined : 1 + Math.floor(random() * 40);
          const variables = { org: orgId, room: 'hall', after: after?.cursor, first };
          const got: Seen[] = [];
          const ended = new Promise<void>((resolve) => {
            const stopAt = first ?? 1 + Math.floor(random() * 40);
            raw.socket.on('message', function listen(data) {
              const { id: of, type, payload } = JSON.parse(String(data));
              if (of !== id) return;
              if (type === 'next') {
                const { cursor, message } = payload.data.roomMessages;
                const seen = { id: message.id, cursor };
                got.push(seen);
                known.push(seen);
              }
              if (type === 'complete' || (first === undefined && got.length === stopAt)) {
                raw.socket.off('message', listen);
                if (type !== 'complete') raw.complete(id);
                resolve();
              }
            });
          });
          raw.subscribe(id, document(selections[Math.floor(random() * selections.length)]!), { variables });
          await ended;
          all.push({ after, got });
          if (first !== undefined) expect(got).toHaveLength(first);
        }
      }
      raw.socket.setMaxListeners(0);
      await Promise.all(Array.from({ length: atOnce }, one));
      raw.socket.terminate();
    }

    const writing = members.map(write);
    await Promise.all(Array.from({ length: sockets }, (_, which) => join(which)));
    joining = false;
    await Promise.all(writing);

    const truth = await service.control.sql<{ id: string }>(
      'select id from room_messages where org_id = $1 order by seq',
      [orgId],
    );
    const places = new Map(truth.map(({ id }, place) => [`RoomMessage_${id}`, place]));
    expect(all).toHaveLength(sockets * joins);
    for (const { after, got } of all) {
      const begin = after === undefined ? 0 : places.get(after.id)! + 1;
      expect(got.map(({ id }) => places.get(id))).toEqual(got.map((_, index) => begin + index));
    }
  },
  120_000,
);
