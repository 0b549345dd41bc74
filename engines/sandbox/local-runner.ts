import { availableParallelism, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { type BoxProcess, startBoxProcess } from './box-process.ts';
import { createEgress, type EgressOptions } from './egress.ts';
import { createFunctionProcesses, type FunctionProcesses } from './function-processes.ts';
import { makeContext } from './make-context.ts';
import { createPrewarmed } from './prewarmed.ts';
import type { Probe } from './probe.ts';
import { FunctionFailureError, type LoadedFunction, type Runner, type RunnerEvents } from './runner.ts';

export interface LocalRunnerOptions extends EgressOptions {
  /** Where boxes are made; programs may be run from its file system. */
  readonly folder: string;
  readonly events: RunnerEvents;
  /**
   * Runs functions without walls where boxes cannot be made. They reach the network of the machine: for code that the
   * operator trusts alone. @default false
   */
  readonly trusted?: boolean;
  /** Processes that wait, for each size of memory in use. @default 2 */
  readonly prewarmed?: number;
  /** How long a process without calls lives, in milliseconds. @default 120_000 */
  readonly idleMs?: number;
  /** Longest that a module may take to load, in milliseconds. @default 5_000 */
  readonly startMs?: number;
  /** Memory that all processes may use together, in MiB. @default a third of the machine's */
  readonly memoryMb?: number;
  /** Most processes of one function. @default as many as there are processors */
  readonly processesPerFunction?: number;
}

/** A runner on this machine, and how strong its walls are. */
export interface LocalRunner extends Runner {
  readonly probe: Probe;
}

/** Memory of a process without calls, in MiB: what most packages of npm take. */
const idleMb = 40;

/** How often idle processes are looked for at the least, in milliseconds. */
const sweepMs = 5_000;

const keyOf = ({ projectId, functionId, releaseId, digest }: LoadedFunction) =>
  [projectId, functionId, releaseId, digest].join(' ');

/**
 * Runs functions in boxes on this machine. Where none can be made it runs no function, unless they are trusted: the probe
 * tells why.
 *
 * @throws Error when the machine lacks Node.js 22
 */
export async function createLocalRunner({
  folder: parent,
  events,
  trusted = false,
  prewarmed = 2,
  idleMs = 120_000,
  startMs = 5_000,
  memoryMb = Math.floor(totalmem() / 3 / 1024 / 1024),
  processesPerFunction = availableParallelism(),
  ...ways
}: LocalRunnerOptions): Promise<LocalRunner> {
  // Boxes are started at the root of the machine.
  const { context, probe, folder } = await makeContext(resolve(parent));
  const egress = createEgress(ways);
  const numbers = new Set<number>();
  const processes = new Set<BoxProcess>();
  const functions = new Map<string, FunctionProcesses>();
  let kills = 0;
  let closed = false;

  async function start(size: number): Promise<BoxProcess> {
    let number = 1;
    while (numbers.has(number)) number += 1;
    numbers.add(number);
    const options = { context, number, memoryMb: size, events, egress, startMs };
    const process = await startBoxProcess(options).catch((error: unknown) => {
      numbers.delete(number);
      throw new FunctionFailureError({ kind: 'load_failed', reason: `No process could be started. ${String(error)}` });
    });
    processes.add(process);
    if (closed) process.end({ kind: 'cancelled' });
    void process.gone.then(() => {
      processes.delete(process);
      numbers.delete(number);
    });
    return process;
  }
  const pool = createPrewarmed({ start, size: prewarmed });

  const idle = () =>
    [...processes]
      .filter((process) => process.isOpen() && process.calls() === 0)
      .sort((a, b) => a.idleSince() - b.idleSince());
  const usedMb = () =>
    [...processes].reduce(
      (sum, process) => sum + (process.calls() === 0 ? Math.min(idleMb, process.memoryMb) : process.memoryMb),
      0,
    );

  async function startFor(fn: LoadedFunction): Promise<BoxProcess> {
    const old = idle();
    while (usedMb() + fn.memoryMb > memoryMb) {
      const oldest = old.shift();
      if (oldest === undefined)
        throw new FunctionFailureError({ kind: 'busy', reason: 'The memory for functions is in use.' });
      oldest.end({ kind: 'cancelled' });
      await oldest.gone;
    }
    const process = await pool.take(fn.memoryMb);
    await process.load(fn);
    return process;
  }

  function processesOf(fn: LoadedFunction): FunctionProcesses {
    if (closed) throw new FunctionFailureError({ kind: 'cancelled' });
    if (probe.rung !== 'namespaces' && !trusted)
      throw new FunctionFailureError({
        kind: 'load_failed',
        reason: `Functions cannot be kept apart here. ${probe.reason}`,
      });
    const key = keyOf(fn);
    let found = functions.get(key);
    if (found === undefined) {
      found = createFunctionProcesses({ fn, start: startFor, most: processesPerFunction });
      functions.set(key, found);
    }
    return found;
  }

  const sweep = setInterval(
    () => {
      for (const process of idle()) if (Date.now() - process.idleSince() > idleMs) process.end({ kind: 'cancelled' });
      for (const [key, { isEmpty }] of functions) if (isEmpty()) functions.delete(key);
    },
    Math.min(idleMs, sweepMs),
  );
  sweep.unref();

  return {
    probe,
    async load(fn) {
      await processesOf(fn).use(() => undefined);
    },
    call: async (fn, call) => processesOf(fn).use((process) => process.call(call)),
    async kill({ projectId, functionId, releaseId }) {
      const meant = [...processes].filter((process) => {
        const fn = process.fn();
        return (
          fn?.projectId === projectId &&
          (functionId === undefined || fn.functionId === functionId) &&
          (releaseId === undefined || fn.releaseId === releaseId)
        );
      });
      kills += meant.length;
      for (const process of meant) process.end({ kind: 'cancelled' });
      await Promise.all(meant.map(({ gone }) => gone));
    },
    stats() {
      const owned = [...processes].filter((process) => process.fn() !== undefined);
      return {
        rung: probe.rung,
        prewarmed: pool.count(),
        processes: owned.length,
        idle: owned.filter((process) => process.calls() === 0).length,
        callsRunning: owned.reduce((sum, process) => sum + process.calls(), 0),
        memoryMb: usedMb(),
        startsFromPool: pool.taken.fromPool,
        startsWithoutPool: pool.taken.started,
        kills,
        egress: egress.counts(),
      };
    },
    async close() {
      closed = true;
      clearInterval(sweep);
      pool.close();
      const all = [...processes];
      for (const process of all) process.end({ kind: 'cancelled' });
      await Promise.all(all.map(({ gone }) => gone));
      await folder.remove();
    },
  };
}
