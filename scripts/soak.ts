/**
 * Follows rooms with many subscribers over several nodes while connections break, nodes are killed and NATS goes away, and
 * compares in the end what each subscriber received with what is in the table. Ends with 1 unless all of it agrees.
 *
 * Usage: npm run soak [-- --minutes 10 --subscribers 1000 --rooms 20 --per-second 40]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { natsProgram } from './lane-programs.ts';
import { startFaults } from './soak/faults.ts';
import { startSender } from './soak/sender.ts';
import { type Counts, type Subscriber, startSubscriber } from './soak/subscriber.ts';
import { addUp, isClean, tallyOf } from './soak/tally.ts';
import { startWorld } from './soak/world.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    subscribers: { type: 'string', default: '1000' },
    rooms: { type: 'string', default: '20' },
    /** Messages sent, in all rooms together. */
    'per-second': { type: 'string', default: '40' },
  },
});
const [minutes, subscriberCount, roomCount, perSecond] = [
  options.minutes,
  options.subscribers,
  options.rooms,
  options['per-second'],
].map(Number) as [number, number, number, number];
if (![minutes, subscriberCount, roomCount, perSecond].every((value) => value > 0)) {
  process.stderr.write('soak: every option is a number above zero.\n');
  process.exit(2);
}
const runMs = minutes * 60_000;

const startedAt = performance.now();
const say = (what: string) =>
  void process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);

// Without signals between them two nodes are no fair test; one is.
const nodeCount = natsProgram() === undefined ? 1 : 2;
say(`starting Postgres and ${nodeCount === 1 ? 'one node; nats-server is not there' : 'two nodes with NATS'}`);
const world = await startWorld(nodeCount);
const interrupted = (why: unknown) => {
  process.stderr.write(`soak: ${why instanceof Error ? why.stack : JSON.stringify(why)}\n`);
  void world.clear().finally(() => process.exit(1));
};
for (const event of ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection']) process.once(event, interrupted);

const { org, authorization } = world;
const nodes = () => world.nodes.filter((node) => node.running()).map(({ url }) => url);
const rooms = Array.from({ length: roomCount }, (_, n) => `soak-${n}`);
const counts: Counts = { disconnects: 0, cutOff: 0, resumed: 0, resets: 0 };

const senderCount = Math.min(8, Math.ceil(perSecond));
const senders = Array.from({ length: senderCount }, () =>
  startSender({ org, authorization, rooms, nodes }, (senderCount * 1000) / perSecond),
);
// Each breaks its connection about five times; those who come late have more to catch up with.
const patienceMs = runMs / 5;
const subscribers: Subscriber[] = [];
for (let n = 0; n < subscriberCount; n++) {
  subscribers.push(startSubscriber({ org, authorization, nodes, patienceMs, counts }, rooms[n % roomCount]!));
  if (n % 50 === 49) await sleep(100);
}
say(`${subscriberCount} subscribers follow ${roomCount} rooms`);
const faults = startFaults(world, { runMs, say });
await sleep(runMs);
await faults.stop();
await Promise.all(senders.map((sender) => sender.stop()));
say('comparing');

const tables = new Map<string, readonly string[]>();
for (const room of rooms) tables.set(room, await world.table(room));
/** How long the last messages may take to arrive everywhere, connections that have yet to be made included. */
const deadline = performance.now() + 60_000;
const behind = () => subscribers.filter(({ room, received }) => received.length < tables.get(room)!.length).length;
while (behind() > 0 && performance.now() < deadline) await sleep(100);
// Whatever comes twice, comes now.
await sleep(1_000);
await Promise.all(subscribers.map((subscriber) => subscriber.stop()));

const tally = addUp(subscribers.map(({ room, received }) => tallyOf(received, tables.get(room)!)));
const inTable = new Set([...tables.values()].flat());
const acknowledged = senders.flatMap(({ sent }) => [...sent.values()].flat());
const result = {
  minutes,
  nodes: nodeCount,
  subscribers: subscriberCount,
  rooms: roomCount,
  messages: inTable.size,
  delivered: subscribers.reduce((sum, { received }) => sum + received.length, 0),
  ...counts,
  ...faults.counts,
  sendsRetried: senders.reduce((sum, sender) => sum + sender.retries(), 0),
  /** Answered for, and not in the table. */
  unsaved: acknowledged.filter((id) => !inTable.has(id)).length,
  /** In the table, and sent by no sender: a message that was sent again was stored again. */
  uncalledFor: inTable.size - new Set(acknowledged).size,
  ...tally,
};
await world.clear();
for (const [name, value] of Object.entries(result)) process.stdout.write(`${name} ${value}\n`);
const clean = isClean(tally) && result.unsaved === 0 && result.uncalledFor === 0 && counts.resets === 0;
process.stdout.write(clean ? 'Every log equals the table.\n' : 'LOGS AND TABLE DIFFER.\n');
process.exit(clean ? 0 : 1);
