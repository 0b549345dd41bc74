import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { CommandOrder, CommandReport } from './inside/command.ts';
import { createFrameReader, FrameError } from './inside/frames.ts';
import { begunLine } from './inside/logs.ts';
import { endBox, giveTo, launch, makeSlot, uidOf } from './launch.ts';
import { readLines } from './log-lines.ts';
import { type Boxes, makeContext } from './make-context.ts';

/** A command to run once in a box of its own. */
export interface CommandToRun extends CommandOrder {
  /** Folder of the machine with the root file system that it runs in. */
  readonly root: string;
  /** What it reads from its standard input and from `/in/input.json`. */
  readonly input: Uint8Array;
  /** Further files that it finds in `/in`, by names without a folder. */
  readonly files?: readonly { readonly name: string; readonly open: () => Promise<Readable> }[];
  /** Memory of each of its processes, and room in each of `/tmp` and `/out`, in MiB. */
  readonly memoryMb: number;
  /** Ends it with everything in its box. */
  readonly signal: AbortSignal;
  /** What it prints, line by line. */
  readonly printed: (text: string, stream: 'stdout' | 'stderr') => void;
}

/** What has come of a command. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started; undefined where it was. */
  readonly error: string | undefined;
  /** Files that it has left in `/out`. */
  readonly files: readonly { readonly name: string; readonly bytes: Buffer }[];
}

/** Files of one command together, in bytes. */
export const commandFilesMax = 64 * 1024 * 1024;

/** How many files a command may leave. */
const filesMost = 1_000;

/** Longest name of a file, in UTF-16 units: no file system has longer ones. */
const nameMax = 255;

/** A command left more in `/out` than may be. */
export class CommandFilesError extends Error {
  override readonly name = 'CommandFilesError';
}

export interface CommandRunner {
  /** @throws CommandFilesError, what the signal is aborted with, and Error where no box can be made */
  readonly run: (order: CommandToRun) => Promise<CommandOutcome>;
  readonly close: () => Promise<void>;
}

/** Numbers of its boxes: apart from those of functions, whose users have the same beginning. */
const firstNumber = 50_000;

/**
 * Runs commands in boxes on this machine: without a network, without rights, with a root of their own. What boxes have in common is
 * made when the first one is needed.
 *
 * @param folder where boxes are made; programs may be run from its file system
 */
export function createCommandRunner({ folder }: { readonly folder: string }): CommandRunner {
  let made: Promise<Boxes> | undefined;
  const numbers = new Set<number>();
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  async function boxes(): Promise<Boxes> {
    // What could not be made is tried again by the next command.
    made ??= makeContext(resolve(folder)).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    const { probe } = await made;
    if (probe.rung !== 'namespaces') throw new Error(`Commands cannot be kept apart here. ${probe.reason}`);
    return made;
  }

  async function run(order: CommandToRun): Promise<CommandOutcome> {
    const { context } = await boxes();
    const signal = AbortSignal.any([order.signal, closing.signal]);
    signal.throwIfAborted();
    let number = firstNumber;
    while (numbers.has(number)) number += 1;
    numbers.add(number);
    const slot = await makeSlot(context, number);
    try {
      const { command, environment, input, memoryMb, root, files = [] } = order;
      const uid = uidOf(number, context.rung);
      const put = async (name: string, content: string | Uint8Array | Readable) => {
        const path = join(slot.code, name);
        await writeFile(path, content, { signal });
        await giveTo(uid, path);
      };
      for (const { name, open } of files) await put(name, await open());
      // The platform's own come last: no file takes their place.
      await put('input.json', input);
      await put('order.json', JSON.stringify({ command, environment } satisfies CommandOrder));
      const args = [`${memoryMb}m`, '/svc/runtime/command.mjs'];
      const box = launch(context, { number, folder: slot.folder, memoryMb, root }, args);
      return await outcomeOf(box, signal, order.printed);
    } finally {
      await rm(slot.folder, { recursive: true, force: true, maxRetries: 5 });
      numbers.delete(number);
    }
  }

  return {
    run(order) {
      const work = run(order);
      running.add(work);
      void work.catch(() => undefined).then(() => running.delete(work));
      return work;
    },
    async close() {
      closing.abort(new Error('The gateway stops.'));
      await Promise.allSettled(running);
      await (await made?.catch(() => undefined))?.folder.remove();
    },
  };
}

async function outcomeOf(
  box: ReturnType<typeof launch>,
  signal: AbortSignal,
  printed: CommandToRun['printed'],
): Promise<CommandOutcome> {
  const { child } = box;
  const end = () => endBox(box);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const files = new Map<string, Buffer[]>();
  let total = 0;
  let told: Extract<CommandReport, { readonly type: 'ended' }> | undefined;
  let fault: Error | undefined;
  let boxErrors = '';
  let isBegun = false;
  const fail = (error: Error) => {
    fault ??= error;
    end();
  };
  readLines(child.stdout!, ({ text }) => printed(text, 'stdout'));
  readLines(child.stderr!, ({ text }) => {
    if (isBegun) printed(text, 'stderr');
    else if (text === begunLine) isBegun = true;
    // Of how boxes are made, with folders of the machine: the operator's to read.
    else boxErrors = `${boxErrors}\n${text}`.slice(-1_000);
  });
  const { push } = createFrameReader(({ head, body }) => {
    const report = head as CommandReport;
    if (report?.type === 'ended') {
      told = report;
      return;
    }
    if (report?.type !== 'file' || typeof report.name !== 'string' || report.name.length > nameMax)
      throw new FrameError('A message has no such type.');
    total += body.length;
    if (total > commandFilesMax) throw new CommandFilesError('The command has left more than 64 MiB of files.');
    const parts = files.get(report.name) ?? [];
    if (body.length > 0) parts.push(Buffer.from(body));
    files.set(report.name, parts);
    if (files.size > filesMost) throw new CommandFilesError('The command has left more than 1,000 files.');
  });
  const channel = child.stdio[3];
  if (!(channel instanceof Socket)) throw new Error('A box was started without its channel.');
  channel.on('error', () => undefined);
  channel.on('data', (bytes: Buffer) => {
    if (fault !== undefined) return;
    try {
      push(bytes);
    } catch (error) {
      fail(error as Error);
    }
  });
  try {
    await once(child, 'close');
  } finally {
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  if (fault !== undefined) throw fault;
  if (told === undefined)
    throw new Error(`The box of a command ended with ${child.signalCode ?? child.exitCode}. ${boxErrors.trim()}`);
  const { code, signal: killed, error } = told;
  return {
    code,
    signal: killed,
    error,
    files: [...files].map(([name, parts]) => ({ name, bytes: Buffer.concat(parts) })),
  };
}
