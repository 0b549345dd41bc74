import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpRequest, LoadCommand } from './load-protocol.ts';
import { cpuSeconds, familyCpuSeconds, type Server } from './processes.ts';
import { ask, type Stage } from './stage.ts';

export interface Contender {
  readonly server: Server;
  readonly requests: readonly HttpRequest[];
}

export interface Round {
  readonly perSecond: number;
  /** Processor time of the server for one request, in microseconds. */
  readonly cpu: number;
  /** The same of Postgres. */
  readonly databaseCpu: number;
  readonly p50: number;
  readonly p99: number;
}

/** Rounds by the name of the contender. */
export type Race<Name extends string> = Readonly<Record<Name, readonly Round[]>>;

const warmUpSeconds = 1;
/** A busy machine gives less of a second: until then a server runs code that was not made fast yet. */
const warmUpAnswers = 3_000;
const warmUpRuns = 5;
const secondsMax = 15;

/**
 * Lets contenders answer one after the other, round by round (A B C, A B C, …), so that whatever else the machine does
 * meets all of them. One round of each before is for warming up and does not count.
 *
 * @param thin whether answers are read no further than needed
 */
export async function race<Name extends string>(
  stage: Stage,
  contenders: Readonly<Record<Name, Contender>>,
  connections: number,
  { thin = false }: { readonly thin?: boolean } = {},
): Promise<Race<Name>> {
  const { rounds, seconds } = stage.options;
  const entries = Object.entries(contenders) as [Name, Contender][];
  const seen = Object.fromEntries(entries.map(([name]) => [name, [] as Round[]])) as Record<Name, Round[]>;
  for (const [, { server, requests }] of entries) {
    await ask(server, requests[0]!);
    for (let run = 0, answered = 0; run < warmUpRuns && answered < warmUpAnswers; run++) {
      const warmUp = { url: server.url, requests, connections, seconds: warmUpSeconds, thin };
      answered += (await stage.load().ask(warmUp)).answered;
    }
    await quiet(server);
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name] of entries) {
      seen[name].push(await measure(stage, name, contenders[name], { connections, seconds, thin }));
    }
  }
  return seen;
}

async function measure(
  stage: Stage,
  name: string,
  { server, requests }: Contender,
  way: Pick<LoadCommand, 'connections' | 'seconds' | 'thin'>,
): Promise<Round> {
  const { connections, seconds } = way;
  const [cpu, databaseCpu] = [await cpuSeconds(server.pid), await familyCpuSeconds(stage.postmaster)];
  const got = await stage.load().ask({ url: server.url, requests, ...way });
  const used = (await cpuSeconds(server.pid)) - cpu;
  const databaseUsed = (await familyCpuSeconds(stage.postmaster)) - databaseCpu;
  await quiet(server);
  if (got.failed > 0) throw new Error(`${name}: ${got.failed} requests failed.`);
  // Too few to say anything: on a busy machine a round may have to be longer.
  if (got.answered < connections) {
    if (seconds > secondsMax) throw new Error(`${name} answered ${got.answered} requests in ${seconds} seconds.`);
    return measure(stage, name, { server, requests }, { ...way, seconds: seconds * 2 });
  }
  return {
    perSecond: got.answered / got.seconds,
    cpu: (used / got.answered) * 1e6,
    databaseCpu: (databaseUsed / got.answered) * 1e6,
    p50: got.p50,
    p99: got.p99,
  };
}

/** Waits until a server has done what was still under way, so that the next contender does not pay for it. */
async function quiet({ pid }: Server): Promise<void> {
  for (let patience = 40, before = -1; patience > 0; patience--) {
    const used = await cpuSeconds(pid);
    if (used === before) return;
    before = used;
    await sleep(50);
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** @param percent of the values that are no larger */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]!;
}

/** Median of the ratios of each round: what slowed down a whole round falls out of it. */
export const medianRatio = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((value, round) => value / theirs[round]!));

/** How long something takes, in milliseconds. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
