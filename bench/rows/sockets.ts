import { setTimeout as sleep } from 'node:timers/promises';
import type { RowName } from '../options.ts';
import { cpuSeconds, residentKiB, type Server, startWorker, type Worker } from '../processes.ts';
import { median, medianRatio } from '../race.ts';
import { atLeast, atMost, below, type Line, line } from '../report.ts';
import { ask, type Stage } from '../stage.ts';
import type { Collected, SubscribersCommand } from '../subscribers.ts';

const subscription = `subscription ($org: ID!, $room: String!) {
  roomMessages(org: $org, room: $room) { cursor message { messageId body } } }`;

type Crowd = Worker<SubscribersCommand, Collected | null>;

/** Somebody who sends what all sockets then get. */
interface Broadcaster {
  readonly server: Server;
  /** How a socket comes to listen. */
  readonly listening: Pick<Extract<SubscribersCommand, { do: 'connect' }>, 'graphql'>;
  readonly send: (dueAt: number) => Promise<unknown>;
}

/** The clock of this machine, in microseconds. */
const now = () => Number(process.hrtime.bigint() / 1000n);

/** 200 bytes that begin with the time at which they were due, in sixteen digits. */
const body = (dueAt: number) => `${dueAt}`.padStart(16, '0').padEnd(200, '. The quick brown fox');

const posted = (path: string, headers: Record<string, string>, message: object) => ({
  method: 'POST' as const,
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(message),
});

function ours(stage: Stage, room: string, apart = false): Broadcaster {
  const { writtenOrgId: org, authorization } = stage.dataset;
  const path = `/orgs/v1/${org}/rooms/${room}/messages`;
  let nth = 0;
  return {
    server: stage.gateway,
    listening: { graphql: { authorization, query: subscription, variables: { org, room }, apart } },
    // Nobody says so much alone, and a presence sends one message after the other.
    send: (dueAt) => {
      const message = { body: body(dueAt), session_key: `bench-${nth++ % senders}` };
      return ask(stage.gateway, posted(path, { authorization }, message));
    },
  };
}

async function bare(stage: Stage): Promise<Broadcaster> {
  const server = await stage.bareSockets();
  return { server, listening: {}, send: (dueAt) => ask(server, posted('/', {}, { body: body(dueAt) })) };
}

/** Connects sockets; resolves when every one of them gets what is sent. */
async function gather(crowd: Crowd, { server, listening, send }: Broadcaster, sockets: number): Promise<void> {
  const url = `${server.url.replace('http', 'ws')}/graphql`;
  await crowd.ask({ do: 'connect', url, sockets, ...listening });
  // Nothing acknowledges a subscription, so messages are sent until one has reached all.
  for (let attempt = 0; attempt < 20; attempt++) {
    await crowd.ask({ do: 'reset' });
    await send(now());
    const got = await crowd.ask({ do: 'collect', messages: 1, patience: 3 });
    if (got!.delivered >= got!.sockets) return;
  }
  throw new Error('Not every socket gets messages.');
}

interface Broadcast extends Collected {
  /** Processor time of the server for one message that one socket got, in microseconds. */
  readonly cpu: number;
  readonly perSecond: number;
}

/** As many send at once. */
const senders = 16;
/** How long sockets may take to get what was sent to them, in seconds. */
const patience = 30;

/** Sends messages, so many a second, or as fast as they are taken. A sender that is late does not hide it: see `body`. */
async function broadcast(crowd: Crowd, from: Broadcaster, { messages, perSecond }: Plan): Promise<Broadcast> {
  await crowd.ask({ do: 'reset' });
  const cpu = await cpuSeconds(from.server.pid);
  const startedAt = now();
  let nth = 0;
  const sendNext = async () => {
    while (nth < messages) {
      const dueAt = perSecond === undefined ? now() : startedAt + (nth * 1_000_000) / perSecond;
      nth++;
      if (dueAt > now()) await sleep((dueAt - now()) / 1000);
      await from.send(Math.round(dueAt));
    }
  };
  const sending = Array.from({ length: perSecond === undefined ? 4 : senders }, sendNext);
  const [got] = await Promise.all([crowd.ask({ do: 'collect', messages, patience }), ...sending]);
  const used = (await cpuSeconds(from.server.pid)) - cpu;
  const { delivered, seconds } = got!;
  return { ...got!, cpu: (used / delivered) * 1e6, perSecond: delivered / seconds };
}

interface Plan {
  readonly sockets: number;
  readonly messages: number;
  readonly perSecond?: number;
}

type Who = 'ours' | 'bare' | 'alone';

/**
 * The gateway, then bare `ws`, round by round, and where it is asked for the gateway executing for each subscriber; each has
 * its sockets only while it is its turn.
 */
async function alternate(stage: Stage, plan: Plan, room: string, alone?: Plan) {
  const seen: Record<Who, Broadcast[]> = { ours: [], bare: [], alone: [] };
  const broadcasters = {
    ours: (round: number) => ours(stage, `${room}-${round}`),
    bare: () => bare(stage),
    alone: (round: number) => ours(stage, `${room}-alone-${round}`, true),
  } as const;
  for (let round = 0; round < stage.options.rounds; round++) {
    for (const [who, its] of [
      ['ours', plan],
      ['bare', plan],
      ['alone', alone],
    ] as const) {
      if (its === undefined) continue;
      const from = await broadcasters[who](round);
      seen[who].push(
        await withCrowd(async (crowd) => {
          await gather(crowd, from, its.sockets);
          // What runs for the first time is slower than it will ever be again.
          if (its.perSecond !== undefined) await broadcast(crowd, from, its);
          return broadcast(crowd, from, its);
        }),
      );
    }
  }
  return (what: keyof Broadcast, against: 'bare' | 'alone' = 'bare') => {
    const [own, other] = [seen.ours, seen[against]].map((list) => list.map((one) => one[what])) as [number[], number[]];
    const rounds = { ours: seen.ours, [against]: seen[against] };
    return { ours: median(own), reference: median(other), ratio: medianRatio(own, other), rounds };
  };
}

async function withCrowd<Result>(run: (crowd: Crowd) => Promise<Result>): Promise<Result> {
  const crowd: Crowd = startWorker('subscribers.ts');
  try {
    const result = await run(crowd);
    await crowd.ask({ do: 'close' });
    return result;
  } finally {
    await crowd.stop();
  }
}

/** 1,000 sockets in one room, 100 messages a second. */
export async function fanOut(stage: Stage): Promise<Line[]> {
  const row: RowName = 'fan-out';
  const seen = await alternate(stage, { sockets: 1_000, messages: 200, perSecond: 100 }, row);
  const { rounds: _, ...delivered } = seen('perSecond');
  return [
    line({
      row,
      name: 'fan-out, 1,000 sockets, 100/s, CPU per message : bare ws',
      unit: 'µs',
      ...seen('cpu'),
      target: atMost(1.3),
    }),
    line({ row, name: '  delivered', unit: '/s', ...delivered }),
  ];
}

/** 1,000 sockets in one room, 200 messages a second: how long one is on its way. */
export async function latency(stage: Stage): Promise<Line[]> {
  const row: RowName = 'latency';
  const seen = await alternate(stage, { sockets: 1_000, messages: 300, perSecond: 200 }, row);
  // The target is a time, not a ratio; bare `ws` beside it tells what the machine and the load generator take.
  const value = (what: 'p50' | 'p99') => {
    const { ours, reference, rounds } = seen(what);
    return { ours, reference, rounds };
  };
  return [
    line({
      row,
      name: 'send to receive, 1,000 sockets, 200/s, p50 | bare ws',
      unit: 'ms',
      ...value('p50'),
      target: below(10),
    }),
    line({
      row,
      name: 'send to receive, 1,000 sockets, 200/s, p99 | bare ws',
      unit: 'ms',
      ...value('p99'),
      target: below(50),
    }),
  ];
}

/** 5,000 sockets in one room, messages as fast as they are taken. */
export async function saturated(stage: Stage): Promise<Line[]> {
  const row: RowName = 'saturated';
  const sockets = 5_000;
  // One execution for each subscriber takes so much longer that fewer messages say as much.
  const seen = await alternate(stage, { sockets, messages: 60 }, row, { sockets, messages: 6 });
  const { rounds: _, ...cpu } = seen('cpu');
  return [
    line({
      row,
      name: 'fan-out, 5,000 sockets, saturated, delivered : bare ws',
      unit: '/s',
      ...seen('perSecond'),
      target: atLeast(2),
    }),
    line({ row, name: '  CPU per message', unit: 'µs', ...cpu }),
    line({
      row,
      name: '  delivered : an execution for each subscriber',
      unit: '/s',
      ...seen('perSecond', 'alone'),
      target: atLeast(10),
    }),
  ];
}

/** The gateway before it has done much, and what each further socket that subscribes and is silent adds. */
export async function memory(stage: Stage): Promise<Line[]> {
  const row: RowName = 'memory';
  const { pid } = stage.gateway;
  await sleep(3_000);
  const idle = await residentKiB(pid);
  const from = ours(stage, row);
  const more = 3_000;
  const grown = await withCrowd(async (crowd) => {
    // The first thousand pays for what is compiled and loaded once.
    await gather(crowd, from, 1_000);
    await sleep(2_000);
    const before = await residentKiB(pid);
    await gather(crowd, from, more);
    await sleep(2_000);
    return (await residentKiB(pid)) - before;
  });
  return [
    line({
      row,
      name: 'memory of an idle server, without Postgres',
      unit: 'MiB',
      ours: idle / 1024,
      target: atMost(220),
    }),
    line({
      row,
      name: 'memory of an idle subscribed socket',
      unit: 'KiB',
      ours: grown / more,
      target: atMost(16),
    }),
  ];
}
