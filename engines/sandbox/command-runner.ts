import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { CommandOrder, CommandReport } from './inside/command.ts';
import { createFrameReader, type Frame, FrameError } from './inside/frames.ts';
import { begunLine } from './inside/logs.ts';
import { type Box, endBox, giveTo, launch, makeSlot, uidOf } from './launch.ts';
import { type LeftFile, LeftFiles } from './left-files.ts';
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

/** What has come of a command. Neither code nor signal: it has ended what was to tell of it. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started; undefined where it was. */
  readonly error: string | undefined;
  /** Files that it has left in `/out`. */
  readonly files: readonly LeftFile[];
}

export interface CommandRunner {
  /**
   * Runs one.
   *
   * @param settle what is done with its outcome: files of it are there until it is done
   * @throws CommandFilesError, what the signal is aborted with, Error where no box can be made, and what `settle` throws
   */
  readonly run: (order: CommandToRun, settle: (outcome: CommandOutcome) => Promise<void>) => Promise<void>;
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

  const run: CommandRunner['run'] = async (order, settle) => {
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
      const left = join(slot.folder, 'left');
      await mkdir(left);
      const args = [`${memoryMb}m`, '/svc/runtime/command.mjs'];
      const box = launch(context, { number, folder: slot.folder, memoryMb, root }, args);
      await settle(await outcomeOf(box, { left: new LeftFiles(left), signal, printed: order.printed }));
    } finally {
      await rm(slot.folder, { recursive: true, force: true, maxRetries: 5 });
      numbers.delete(number);
    }
  };

  return {
    run(order, settle) {
      const work = run(order, settle);
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

interface Watched extends Pick<CommandToRun, 'signal' | 'printed'> {
  readonly left: LeftFiles;
}

async function outcomeOf(box: Box, { left, signal, printed }: Watched): Promise<CommandOutcome> {
  const { child } = box;
  const end = () => endBox(box);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  let boxErrors = '';
  let isBegun = false;
  readLines(child.stdout!, ({ text }) => printed(text, 'stdout'));
  readLines(child.stderr!, ({ text }) => {
    if (isBegun) printed(text, 'stderr');
    else if (text === begunLine) isBegun = true;
    // Of how boxes are made, with folders of the machine: the operator's to read.
    else boxErrors = `${boxErrors}\n${text}`.slice(-1_000);
  });
  const channel = child.stdio[3];
  if (!(channel instanceof Socket)) throw new Error('A box was started without its channel.');
  try {
    const told = await readReports(channel, left).catch((error: unknown) => {
      end();
      throw error;
    });
    await closed;
    signal.throwIfAborted();
    if (told === undefined && !isBegun)
      throw new Error(`The box of a command ended with ${child.signalCode ?? child.exitCode}. ${boxErrors.trim()}`);
    // Whoever has the rights of the command may end what tells of it.
    const { code, signal: killed, error } = told ?? { code: null, signal: null };
    return { code, signal: killed, error, files: left.files() };
  } finally {
    signal.removeEventListener('abort', end);
    await closed.catch(() => undefined);
    await left.close();
  }
}

type EndReport = Extract<CommandReport, { readonly type: 'ended' }>;

/** Reads what is told of a command, no faster than its files can be written. @returns how it ended, if that was told */
async function readReports(channel: Socket, left: LeftFiles): Promise<EndReport | undefined> {
  let told: EndReport | undefined;
  const frames: Frame[] = [];
  const { push } = createFrameReader((frame) => frames.push(frame));
  for await (const bytes of untilBroken(channel)) {
    push(bytes);
    for (const { head, body } of frames.splice(0)) {
      const report = head as CommandReport | null;
      if (report?.type === 'ended') told = report;
      else if (report?.type === 'file' && typeof report.name === 'string') await left.add(report.name, body);
      else throw new FrameError('A message has no such type.');
    }
  }
  return told;
}

/** A box that is ended breaks its channel, which is no fault of its own. */
async function* untilBroken(channel: Socket): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const bytes of channel) yield bytes as Buffer;
  } catch {}
}
