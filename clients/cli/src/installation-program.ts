import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cli } from './cli.ts';
import type { Flag, Flags } from './command.ts';
import { local } from './failure.ts';
import { gatewayFolder } from './gateway-folder.ts';
import { readText } from './input.ts';
import { askNewPassphrase, askPassphrase, canAsk } from './passphrase.ts';
import { progress } from './progress.ts';

/** Flags of the commands that work on a whole installation. */
export const installationFlags: readonly Flag[] = [
  {
    name: 'data-dir',
    type: 'string',
    placeholder: 'folder',
    about: 'The data folder of the gateway: SVC_DATA_DIR, or .svc in the gateway’s folder unless told.',
  },
  {
    name: 'passphrase-file',
    type: 'string',
    placeholder: 'file',
    about:
      'File with the passphrase of the backup’s secrets, - for standard input: SVC_BACKUP_PASSPHRASE unless told, else asked for on a terminal.',
  },
];

interface ProgramLine {
  readonly step?: string;
  readonly database?: string;
  readonly progress?: number | null;
  readonly needs?: 'passphrase';
  readonly result?: Readonly<Record<string, unknown>>;
}

/**
 * Runs a program of the gateway's own clone, which reads the same configuration as the gateway does: this command itself
 * knows nothing of databases. A person at a terminal is asked for a passphrase that is needed and was not given: for
 * `newSecrets` at once, else when the program says so.
 */
export async function runInstallationProgram(
  cli: Cli,
  program: 'backup' | 'restore',
  words: readonly string[],
  flags: Flags,
  { newSecrets = false }: { readonly newSecrets?: boolean } = {},
): Promise<Done> {
  const folder = await gatewayFolder(cli);
  const dataDir = flags.text('data-dir') ?? cli.env.SVC_DATA_DIR;
  const passphraseFile = flags.text('passphrase-file');
  const env: NodeJS.ProcessEnv = { ...process.env, ...cli.env };
  env.SVC_DATA_DIR = dataDir === undefined ? join(folder, '.svc') : resolve(cli.cwd, dataDir);
  // Not as an argument, which every user of the machine can read.
  if (passphraseFile !== undefined) env.SVC_BACKUP_PASSPHRASE = (await readText(cli, passphraseFile)).trim();
  if (newSecrets && !env.SVC_BACKUP_PASSPHRASE && !env.SVC_SECRET_KEY && canAsk(cli))
    env.SVC_BACKUP_PASSPHRASE = await askNewPassphrase(cli);
  let run = await runOnce(cli, program, words, { folder, env });
  if ('sentence' in run && run.needsPassphrase && canAsk(cli)) {
    env.SVC_BACKUP_PASSPHRASE = await askPassphrase(cli);
    run = await runOnce(cli, program, words, { folder, env });
  }
  if ('sentence' in run) throw local('LOCAL_ERROR', run.sentence, { details: { program, folder } });
  return run;
}

interface Done {
  readonly result: Readonly<Record<string, unknown>>;
  /** 2: done, but for what the result names. */
  readonly code: 0 | 2;
}

interface Refused {
  /** Why. */
  readonly sentence: string;
  readonly needsPassphrase: boolean;
}

async function runOnce(
  cli: Cli,
  program: 'backup' | 'restore',
  words: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<Done | Refused> {
  const bar = progress(cli);
  const child = spawn('npm', ['run', '--silent', program, '--', ...words], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // The group, for npm is between.
  const stop = () => process.kill(-child.pid!, 'SIGTERM');
  cli.signal.addEventListener('abort', stop, { once: true });
  let doing: string = program;
  let done: number | undefined;
  let needsPassphrase = false;
  let result: ProgramLine['result'];
  createInterface(child.stdout).on('line', (line) => {
    const told = read(line);
    if (told.result !== undefined) result = told.result;
    if (told.step !== undefined) doing = [told.step, told.database].filter(Boolean).join(' ');
    if (told.needs === 'passphrase') needsPassphrase = true;
    done = told.progress ?? done;
    if (told.step !== undefined || told.progress !== undefined) bar.at(doing, done);
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', (error) => failed(local('LOCAL_ERROR', `npm cannot be run: ${error.message}`)));
    child.once('close', done);
  });
  cli.signal.removeEventListener('abort', stop);
  bar.end();
  if ((code === 0 || code === 2) && result !== undefined) return { result, code };
  return {
    sentence: /^svc: (.+)$/m.exec(said)?.[1] ?? (said.trim() || `It ended (${code}).`),
    needsPassphrase,
  };
}

function read(line: string): ProgramLine {
  try {
    return JSON.parse(line) as ProgramLine;
  } catch {
    return {};
  }
}
