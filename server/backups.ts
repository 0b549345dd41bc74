import type { Logger } from 'pino';
import { safeMessage } from '../core/safe-message.ts';
import type { Database } from '../db/pool.ts';
import { endStatement, progressStatement } from '../resolvers/installation/backup-rows.ts';
import type { Backups } from '../resolvers/installation/services.ts';
import type { Config } from './config.ts';
import { BackupFolder } from './copies/backup-folder.ts';
import { type BackupLine, type BackupProcess, startBackupProcess } from './copies/backup-process.ts';
import { rememberedSummaries } from './copies/list-backups.ts';

/** How often the row of a job is written, in milliseconds; a job that is silent for a minute counts as dead. */
const noteMs = 5_000;

export interface BackupsOptions {
  readonly config: Config;
  readonly roots: readonly Buffer[];
  readonly db: Pick<Database, 'rows'>;
  readonly log: Logger;
}

/** The backups with what their owner needs besides. */
export interface RunningBackups extends Backups {
  /** Ends a backup that runs here, and waits until its row says so. */
  readonly stop: () => Promise<void>;
}

/** Backups in the folder of `SVC_BACKUP_DIR`, and the program that makes one. */
export function createBackups({ config, roots, db, log }: BackupsOptions): RunningBackups {
  const folder = config.backupDir === undefined ? undefined : new BackupFolder(config.backupDir);
  const summaries = folder === undefined ? async () => [] : rememberedSummaries(folder);
  const running = new Map<BackupProcess, Promise<void>>();
  let isStopping = false;

  async function run(jobId: string, path: string): Promise<void> {
    let latest: { readonly step: string | null; readonly progress: number | null } = { step: null, progress: null };
    const onLine = ({ step, database, progress }: BackupLine) => {
      const doing = step === undefined ? latest.step : [step, database].filter(Boolean).join(' ');
      latest = { step: doing, progress: progress ?? latest.progress };
    };
    const note = () =>
      db.rows(progressStatement.with({ id: jobId, ...latest })).catch((error) => {
        log.warn({ err: error, jobId }, 'The progress of a backup cannot be written.');
      });
    const process = startBackupProcess(config, roots, path, onLine);
    const timer = setInterval(() => void note(), noteMs).unref();
    const ended = process.done
      .then(
        ({ run, missing }) => ({ state: 'done', run, missing: JSON.stringify(missing), error: null }) as const,
        (error) => ({ state: 'failed', run: null, missing: '[]', error: safeMessage(error) }) as const,
      )
      .then(async (end) => {
        clearInterval(timer);
        running.delete(process);
        log[end.state === 'done' ? 'info' : 'error']({ jobId, run: end.run, reason: end.error }, 'A backup has ended.');
        await db.rows(endStatement.with({ id: jobId, ...end }));
      })
      .catch((error) => log.error({ err: error, jobId }, 'The end of a backup cannot be written.'));
    running.set(process, ended);
    if (isStopping) process.stop();
    await ended;
  }

  return {
    folder: folder?.path,
    list: summaries,
    start: (jobId) => void run(jobId, folder!.path),
    stop: async () => {
      isStopping = true;
      for (const process of running.keys()) process.stop();
      await Promise.all(running.values());
    },
  };
}
