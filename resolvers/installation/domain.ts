import { isPast } from '../../db/intervals.ts';
import { backupJobs, gatewayNodes } from '../../db/schema/installation.ts';
import { domain } from '../../kernel/run/domain.ts';
import { beginEpoch } from './begin-epoch.ts';
import { installationErrors } from './error-codes.ts';
import { getInstallation } from './get-installation.ts';
import { listBackups } from './list-backups.ts';
import { listNodes } from './list-nodes.ts';
import { goneKept } from './node-rows.ts';
import { startBackup } from './start-backup.ts';

export const installation = domain('installation', {
  errors: installationErrors,
  operations: [getInstallation, listNodes, listBackups, startBackup, beginEpoch],
  expires: [
    { table: gatewayNodes, when: isPast(gatewayNodes.seenAt, goneKept) },
    { table: backupJobs, when: isPast(backupJobs.startedAt, '90 days') },
  ],
});
