import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import type { BackupResult } from './backup-installation.ts';

const program = fileURLToPath(new URL('../backup.ts', import.meta.url));

/** How far a backup has come, as its program tells: see `report.ts`. */
export interface BackupLine {
  readonly step?: string;
  readonly database?: string;
  readonly progress?: number | null;
  readonly result?: Pick<BackupResult, 'run' | 'missing'>;
}

/** A backup that a process of its own makes. */
export interface BackupProcess {
  /** Resolves with the last result. @throws Error with the sentence of a refusal */
  readonly done: Promise<Pick<BackupResult, 'run' | 'missing'>>;
  /** Asks it to stop; what it has stored so far is used by the next one. */
  readonly stop: () => void;
}

/**
 * Makes a backup beside the gateway: reading and compressing every row would keep its event loop from requests.
 *
 * @param roots root secrets, current first
 */
export function startBackupProcess(
  config: Config,
  roots: readonly Buffer[],
  folder: string,
  onLine: (line: BackupLine) => void,
): BackupProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, folder], {
    env: environmentOf(config, roots),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let result: BackupLine['result'];
  let said = '';
  createInterface(child.stdout).on('line', (text) => {
    const line = read(text);
    result = line.result ?? result;
    onLine(line);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-10_000);
  });
  const ended = async () => {
    const [code] = (await once(child, 'close')) as [number | null];
    if ((code === 0 || code === 2) && result !== undefined) return result;
    throw new Error(/^svc: (.+)$/m.exec(said)?.[1] ?? `The program of the backup ended (${code}).`);
  };
  return { done: ended(), stop: () => child.kill('SIGTERM') };
}

/** What the program has to know. Not as arguments, which every user of the machine can read. */
function environmentOf(config: Config, roots: readonly Buffer[]): NodeJS.ProcessEnv {
  const { databaseUrl, projectDatabaseUrls, dataDir, backupPassphrase, connectionEnvironment } = config;
  const [current, previous] = roots.map((root) => root.toString('hex'));
  return {
    ...connectionEnvironment,
    SVC_DATA_DIR: dataDir,
    SVC_SECRET_KEY: current,
    ...(previous !== undefined && { SVC_SECRET_KEY_PREVIOUS: previous }),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...(projectDatabaseUrls !== undefined && {
      PROJECT_DATABASE_URLS: Object.entries(projectDatabaseUrls)
        .map(([name, url]) => `${name}=${url}`)
        .join(','),
    }),
    ...(backupPassphrase !== undefined && { SVC_BACKUP_PASSPHRASE: backupPassphrase }),
  };
}

function read(line: string): BackupLine {
  try {
    return JSON.parse(line) as BackupLine;
  } catch {
    return {};
  }
}
