import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { BackupJob } from '../../db/schema/installation.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { beginStatement, buryStatement } from './backup-rows.ts';
import { BackupJobWire, backupJobToWire } from './wire.ts';

/** `POST /admin/v1/backups`: answers at once, and `installation.listBackups` tells how far the backup has come. */
export const startBackup = mutation({
  name: 'installation.startBackup',
  tool: 'admin_start_backup',
  command: 'admin backup',
  summary: 'Start a backup of the whole installation into the folder of SVC_BACKUP_DIR, in the background.',
  path: 'POST /admin/v1/backups 202',
  access: platformAdmin(),
  input: z.object({}),
  async handler(work): Promise<BackupJob> {
    const { backups, newId } = work.services;
    if (backups.folder === undefined) throw new ServiceError('BACKUP_FOLDER_UNKNOWN');
    await work.rows(buryStatement.with({}));
    const [job] = await work.rows(beginStatement.with({ id: newId('bak') }));
    if (job === undefined) throw new ServiceError('BACKUP_RUNNING');
    work.afterCommit(() => backups.start(job.id));
    return job;
  },
  audit: ({ id }) => ({ action: 'installation.backup_started', object: { kind: 'backup_job', id } }),
  wire: BackupJobWire,
  toWire: backupJobToWire,
});
