import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { beginEpochStatement, epochStatement } from '../../db/feed-epoch.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';

/** An epoch of feeds. */
export interface BegunEpoch {
  /** Its name, which is nobody's secret. */
  readonly epoch: string;
  readonly begunAt: Date;
}

/** `POST /admin/v1/epochs`. A copy that is put back looks like its original, so its operator has to say so. */
export const beginEpoch = mutation({
  name: 'installation.beginEpoch',
  tool: 'admin_begin_epoch',
  command: 'admin new-epoch',
  summary:
    'Begin a new epoch of feeds: every follower starts over and is told so. For a copy of the data folder or a snapshot of the disk that was put back.',
  path: 'POST /admin/v1/epochs 201',
  access: platformAdmin(),
  input: z.object({}),
  async handler(work): Promise<BegunEpoch> {
    const [begun] = await work.rows(beginEpochStatement.with({ epoch: randomUUID() }));
    const [row] = await work.rows(epochStatement.with({}));
    const { epoch } = row!;
    work.afterCommit(() => work.services.epochs.begun(epoch));
    return { epoch, begunAt: begun!.begunAt };
  },
  audit: ({ epoch }) => ({ action: 'installation.epoch_begun', object: { kind: 'feed_epoch', id: epoch } }),
  wire: z.object({ epoch: z.string(), begun_at: z.iso.datetime() }),
  toWire: ({ epoch, begunAt }) => ({ epoch, begun_at: begunAt.toISOString() }),
});
