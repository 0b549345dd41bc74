import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argumentsOf, programEnv } from '../helpers/programs.ts';

/** The command as the sources have it, a file for each module. */
export const fromSources = [fileURLToPath(new URL('../../clients/cli/src/main.ts', import.meta.url))];

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
 * @param command what `node` is given to run `svc`. @default as it is bundled for publishing
 */
export async function terminal(apiBase?: string, command: readonly string[] = argumentsOf('svc')): Promise<Terminal> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  const config = join(folder, 'config');
  const checkout = await mkdtemp(join(folder, 'checkout-'));
  const start = (
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input?: string,
    [program, ...args]: readonly [string, ...string[]] = [process.execPath, ...command, ...words],
  ) => {
    const child = spawn(program, args, {
      cwd: checkout,
      env: {
        PATH: process.env.PATH,
        ...programEnv(),
        HOME: folder,
        SVC_CONFIG_DIR: config,
        ...(apiBase === undefined ? {} : { SVC_API_BASE: apiBase }),
        ...env,
      },
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
    svc: (...words) => start(words).ended,
    with:
      (env, input) =>
      (...words) =>
        start(words, env, input).ended,
    onTerminal:
      (columns, env) =>
      async (...words) => {
        const called = [process.execPath, ...command, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
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
