import { parseArgs } from 'node:util';
import { BackupFolder } from './copies/backup-folder.ts';
import { backupInstallation } from './copies/backup-installation.ts';
import { listBackups } from './copies/list-backups.ts';
import { openInstallation } from './copies/open-installation.ts';
import { runProgram } from './copies/program.ts';
import { RestoreError } from './copies/restore-error.ts';

/**
 * `backup.ts [<folder>] [--keep <n>]` saves the installation; `backup.ts [<folder>] --list` tells what is there. Without a
 * folder it is the one of `SVC_BACKUP_DIR`.
 */
await runProgram('svc-backup', async ({ config, version, report, signal }) => {
  const { values, positionals } = parseArgs({
    options: { keep: { type: 'string' }, list: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [path = config.backupDir, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new RestoreError('Name one folder for the backup, or set SVC_BACKUP_DIR.');
  const keep = values.keep === undefined ? undefined : Number(values.keep);
  if (keep !== undefined && !(Number.isInteger(keep) && keep >= 1))
    throw new RestoreError('--keep takes a whole number from 1 on.');
  const folder = new BackupFolder(path);
  if (values.list === true) return listBackups(folder);
  const installation = await openInstallation(config, version);
  try {
    await folder.make();
    const lock = await folder.lock();
    try {
      await folder.clean();
      const result = await backupInstallation({
        installation,
        folder,
        passphrase: config.backupPassphrase,
        report,
        signal,
      });
      // What could not be saved today may be in no backup but the oldest.
      if (keep === undefined || result.missing.length > 0) return result;
      report.step('prune');
      try {
        const { runs, bytes } = await folder.prune(keep);
        return { ...result, pruned_runs: runs, freed_bytes: bytes };
      } catch (error) {
        // The backup is good all the same.
        return { ...result, not_pruned: (error as Error).message };
      }
    } finally {
      await lock.release();
    }
  } finally {
    await installation.close();
  }
});
