import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../../clients/cli/src/run.ts';
import { argumentsOf, programEnv } from '../helpers/programs.ts';

/** The command as the sources have it, a file for each module. */
export const fromSources = [fileURLToPath(new URL('../../clients/cli/src/main.ts', import.meta.url))];

/** The command as it is published, as a process of its own. */
export const asProcess = () => argumentsOf('svc');

const { version } = JSON.parse(readFileSync(new URL('../../clients/cli/package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as one JSON document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly json: any;
  /** Standard error as one JSON document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly error: any;
}

/** A command that goes on until it is told to end. */
export interface Streaming {
  /** The JSON documents on standard output so far, one a line. */
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly lines: () => any[];
  /** Standard output so far. */
  readonly stdout: () => string;
  /** Standard error so far. */
  readonly stderr: () => string;
  /** Asks it to end, as Ctrl-C does. */
  readonly stop: () => Promise<Ended>;
  /** Ends it without a word. */
  readonly kill: () => Promise<Ended>;
  readonly ended: Promise<Ended>;
}

/** A person at a terminal: a home folder and a checkout of their own. */
export interface Terminal {
  readonly config: string;
  readonly checkout: string;
  /** Runs `svc` with these words. */
  readonly svc: (...words: string[]) => Promise<Ended>;
  readonly with: (env: Readonly<Record<string, string>>, input?: string) => (...words: string[]) => Promise<Ended>;
  /** Runs it in a pseudo-terminal, which util-linux's `script` makes. */
  readonly onTerminal: (
    columns: number,
    env?: Readonly<Record<string, string>>,
  ) => (...words: string[]) => Promise<Ended>;
  readonly stream: (...words: string[]) => Streaming;
  readonly streamWith: (env: Readonly<Record<string, string>>) => (...words: string[]) => Streaming;
  /** Puts a file into the checkout. */
  readonly file: (name: string, content: unknown) => Promise<string>;
  readonly remove: () => Promise<void>;
}

/**
 * @param apiBase address of the gateway; undefined: none is named
 * @param command what `node` is given to run `svc` as a process. @default it runs within this process, which starts sooner;
 * streams, terminals and flags of the program itself are processes as ever
 */
export async function terminal(apiBase?: string, command?: readonly string[]): Promise<Terminal> {
  const program = command ?? asProcess();
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  const config = join(folder, 'config');
  const checkout = await mkdtemp(join(folder, 'checkout-'));
  const envWith = (env: Readonly<Record<string, string>>) => ({
    PATH: process.env.PATH,
    ...programEnv(),
    HOME: folder,
    SVC_CONFIG_DIR: config,
    ...(apiBase === undefined ? {} : { SVC_API_BASE: apiBase }),
    ...env,
  });
  const start = (
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input?: string,
    [started, ...args]: readonly [string, ...string[]] = [process.execPath, ...program, ...words],
  ) => {
    const child = spawn(started, args, {
      cwd: checkout,
      env: envWith(env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.stdin.end(input ?? '');
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stdout, stderr, json: parsed(stdout), error: parsed(stderr) }));
    });
    return { child, ended, stdout: () => stdout, stderr: () => stderr };
  };
  /** As `start` does it, within this process. */
  const runHere = async (
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input = '',
  ): Promise<Ended> => {
    let stdout = '';
    let stderr = '';
    const code = await run(words, {
      // What a script sets to nothing is not set.
      env: Object.fromEntries(Object.entries(envWith(env)).filter(([, value]) => value !== '')),
      cwd: checkout,
      home: folder,
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
      stdout: {
        write: (text) => {
          stdout += text;
        },
      },
      stderr: {
        write: (text) => {
          stderr += text;
        },
      },
      version,
      signal: new AbortController().signal,
    });
    return { code, stdout, stderr, json: parsed(stdout), error: parsed(stderr) };
  };
  const runOne = (words: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Ended> =>
    command === undefined && !words.includes('--version') ? runHere(words, env, input) : start(words, env, input).ended;
  const streaming = (words: readonly string[], env?: Readonly<Record<string, string>>): Streaming => {
    const { child, ended, stdout, stderr: said } = start(words, env);
    return {
      ended,
      stdout,
      stderr: said,
      lines: () =>
        stdout()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line)),
      stop() {
        child.kill('SIGINT');
        return ended;
      },
      kill() {
        child.kill('SIGKILL');
        return ended;
      },
    };
  };
  return {
    config,
    checkout,
    svc: (...words) => runOne(words),
    with:
      (env, input) =>
      (...words) =>
        runOne(words, env, input),
    onTerminal:
      (columns, env) =>
      async (...words) => {
        const called = [process.execPath, ...program, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
        const line = `stty cols ${columns}; exec ${called.join(' ')}`;
        const ended = await start(words, env, undefined, ['script', '-qec', line, '/dev/null']).ended;
        // A terminal ends its lines in two characters.
        const stdout = ended.stdout.replaceAll('\r\n', '\n');
        return { ...ended, stdout, json: parsed(stdout) };
      },
    stream: (...words) => streaming(words),
    streamWith:
      (env) =>
      (...words) =>
        streaming(words, env),
    async file(name, content) {
      const path = join(checkout, name);
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
