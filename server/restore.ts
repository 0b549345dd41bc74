import { parseArgs } from 'node:util';
import { BackupFolder } from './copies/backup-folder.ts';
import { runProgram } from './copies/program.ts';
import { RestoreError } from './copies/restore-error.ts';
import { restoreInstallation } from './copies/restore-installation.ts';

/** `restore.ts <folder> [--run <id>] [--leave-out <database>]…` brings a backup back. */
await runProgram('svc-restore', async ({ config, report, signal }) => {
  const { values, positionals } = parseArgs({
    options: { run: { type: 'string' }, 'leave-out': { type: 'string', multiple: true } },
    allowPositionals: true,
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new RestoreError('Name the folder of the backup.');
  const folder = new BackupFolder(path);
  return restoreInstallation({
    config,
    folder,
    run: values.run,
    leaveOut: new Set(values['leave-out'] ?? []),
    report,
    signal,
  });
});
