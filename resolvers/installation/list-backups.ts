import { z } from 'zod';
import type { BackupJob } from '../../db/schema/installation.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { latestStatement } from './backup-rows.ts';
import type { BackupSummary } from './services.ts';
import { BackupJobWire, backupJobToWire } from './wire.ts';

/** An installation is saved once a day. */
const dayMs = 86_400_000;

/** The backups that this node knows. */
export interface KnownBackups {
  /** Null without `SVC_BACKUP_DIR`. */
  readonly folder: string | null;
  /** Whether there is no good backup of the last 24 hours; null without a folder. */
  readonly isOverdue: boolean | null;
  readonly backups: readonly BackupSummary[];
  /** The latest one that was started through the gateway; null when none was. */
  readonly job: BackupJob | null;
}

/** How long it took, in seconds. */
export const backupSeconds = ({ startedAt, contents }: BackupSummary): number | null =>
  contents === null ? null : Math.max(0, Math.round((contents.createdAt.getTime() - startedAt.getTime()) / 1_000));

/** `GET /admin/v1/backups`. */
export const listBackups = query({
  name: 'installation.listBackups',
  tool: 'admin_list_backups',
  command: 'admin backups',
  summary: 'Backups in the folder of SVC_BACKUP_DIR, the newest first, and whether the latest is older than a day.',
  path: 'GET /admin/v1/backups',
  access: platformAdmin(),
  input: z.object({}),
  async handler({ services }): Promise<KnownBackups> {
    const { folder, list } = services.backups;
    const [backups, [job]] = await Promise.all([list(), services.db.rows(latestStatement.with({}))]);
    const since = services.now().getTime() - dayMs;
    const isOverdue = !backups.some(({ contents }) => contents !== null && contents.createdAt.getTime() > since);
    return {
      folder: folder ?? null,
      isOverdue: folder === undefined ? null : isOverdue,
      backups,
      job: job ?? null,
    };
  },
  wire: z.object({
    folder: z.string().nullable(),
    is_overdue: z.boolean().nullable(),
    backups: z.array(
      z
        .object({
          run: z.string(),
          started_at: z.iso.datetime(),
          created_at: z.iso.datetime().nullable(),
          duration_seconds: z.number().int().nullable(),
          gateway: z.string().nullable(),
          postgres: z.string().nullable(),
          databases: z.number().int().nullable(),
          projects: z.number().int().nullable(),
          missing: z.number().int().nullable(),
          rows: z.number().int().nullable(),
          files: z.number().int().nullable(),
          bytes: z.number().int().nullable(),
          secrets: z.enum(['passphrase', 'root']).nullable(),
          damaged: z.string().nullable(),
        })
        .meta({ id: 'Backup' }),
    ),
    job: BackupJobWire.nullable(),
  }),
  toWire: ({ folder, isOverdue, backups, job }) => ({
    folder,
    is_overdue: isOverdue,
    backups: backups.map((backup) => {
      const { run, startedAt, contents, damaged } = backup;
      return {
        run,
        started_at: startedAt.toISOString(),
        created_at: contents?.createdAt.toISOString() ?? null,
        duration_seconds: backupSeconds(backup),
        gateway: contents?.gateway ?? null,
        postgres: contents?.postgres ?? null,
        databases: contents?.databases ?? null,
        projects: contents?.projects ?? null,
        missing: contents?.missing ?? null,
        rows: contents?.rows ?? null,
        files: contents?.files ?? null,
        bytes: contents?.bytes ?? null,
        secrets: contents?.secrets ?? null,
        damaged,
      };
    }),
    job: job === null ? null : backupJobToWire(job),
  }),
});
