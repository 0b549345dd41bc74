import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { encodeFrame } from './frames.ts';
import { begunLine } from './logs.ts';

/** What a command is started with, in `/in/order.json`. */
export interface CommandOrder {
  /** The program, and what it is given. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What is told of a command: its files in parts, then its end. */
export type CommandReport =
  | { readonly type: 'file'; readonly name: string }
  | { readonly type: 'ended'; readonly code: number | null; readonly signal: string | null; readonly error?: string };

/** Bytes of a file that one message holds. */
const partBytes = 1024 * 1024;

const channel = new Socket({ fd: 3 });

/** @returns once the gateway takes more: a box holds no file of a command in memory */
const report = (head: CommandReport, body?: Uint8Array): Promise<void> =>
  new Promise((resolve) => channel.write(Buffer.concat(encodeFrame(0, head, body)), () => resolve()));

async function tell(name: string): Promise<void> {
  const file = opened(`/out/${name}`);
  if (file === undefined) return;
  try {
    if (!fstatSync(file).isFile()) return;
    const buffer = Buffer.alloc(partBytes);
    let isFirst = true;
    for (let length = readSync(file, buffer); length > 0 || isFirst; length = readSync(file, buffer)) {
      await report({ type: 'file', name }, buffer.subarray(0, length));
      isFirst = false;
    }
  } finally {
    closeSync(file);
  }
}

/** @returns undefined for what is gone meanwhile, is closed to its own user, or has a name that is no text */
function opened(path: string): number | undefined {
  try {
    // A link may lead to what is no file of the command.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

async function ended(report_: CommandReport): Promise<void> {
  for (const entry of readdirSync('/out', { withFileTypes: true })) if (entry.isFile()) await tell(entry.name);
  await report(report_);
  process.exit(0);
}

const { command, environment }: CommandOrder = JSON.parse(readFileSync('/in/order.json', 'utf8'));
writeSync(2, `${begunLine}\n`);
const child = spawn(command[0]!, command.slice(1), {
  cwd: '/tmp',
  env: environment,
  // Its input stands in a file, too.
  stdio: [openSync('/in/input.json', 'r'), 'inherit', 'inherit'],
});
let error: string | undefined;
child.once('error', (fault) => {
  error = fault.message;
});
child.once(
  'close',
  (code, signal) => void ended({ type: 'ended', code, signal, ...(error === undefined ? {} : { error }) }),
);
