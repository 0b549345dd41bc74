import { z } from 'zod';
import type { BackupJob } from '../../db/schema/installation.ts';

export const BackupJobWire = z
  .object({
    job_id: z.string(),
    state: z.enum(['running', 'done', 'failed']),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    step: z.string().nullable(),
    progress: z.number().min(0).max(1).nullable(),
    run: z.string().nullable(),
    missing: z.array(z.object({ database: z.string(), reason: z.string() })),
    error: z.string().nullable(),
  })
  .meta({ id: 'BackupJob' });

export const backupJobToWire = (job: BackupJob): z.infer<typeof BackupJobWire> => ({
  job_id: job.id,
  state: job.state,
  started_at: job.startedAt.toISOString(),
  ended_at: job.endedAt?.toISOString() ?? null,
  step: job.step,
  progress: job.progress,
  run: job.run,
  missing: job.missing.map(({ database, reason }) => ({ database, reason })),
  error: job.error,
});
