import { parseArgs } from 'node:util';
import { BackupFolder } from './copies/backup-folder.ts';
import { runProgram } from './copies/program.ts';
import { RestoreError } from './copies/restore-error.ts';
import { restoreInstallation } from './copies/restore-installation.ts';

/** `restore.ts <folder> [--run <id>] [--leave-out <database>]… [--project-hours <n>]` brings a backup back. */
await runProgram('svc-restore', async ({ config, report, signal }) => {
  const { values, positionals } = parseArgs({
    options: {
      run: { type: 'string' },
      'leave-out': { type: 'string', multiple: true },
      'project-hours': { type: 'string', default: '24' },
    },
    allowPositionals: true,
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new RestoreError('Name the folder of the backup.');
  const hours = Number(values['project-hours']);
  if (!(hours > 0 && hours < Number.POSITIVE_INFINITY))
    throw new RestoreError('--project-hours takes a number above 0.');
  const folder = new BackupFolder(path);
  return restoreInstallation({
    config,
    folder,
    run: values.run,
    projectMs: hours * 3_600_000,
    leaveOut: new Set(values['leave-out'] ?? []),
    report,
    signal,
  });
});
