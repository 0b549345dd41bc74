import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { projectSnapshots, snapshotKinds, snapshotStatuses } from '../../../db/schema/snapshots.ts';
import { allOf, pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';

export const snapshotColumns = allOf(projectSnapshots, ['dueAt', 'lease', 'attempts']);

export type Snapshot = RowOf<typeof snapshotColumns>;

export const snapshotId = z.string().min(1).max(64).describe('The snapshot, `snap_…`.');

/** A snapshot as it is answered. Contract 03, section 6. */
export const SnapshotWire = z
  .object({
    snapshot_id: z.string(),
    operation_id: z.string(),
    project_id: z.string(),
    kind: z.enum(snapshotKinds),
    profile: z.literal('snapshot'),
    status: z.enum(snapshotStatuses),
    manifest_sha256: z.string().nullable(),
    size_bytes: z.int().describe('What is stored of it, compressed.'),
    live_release_id: z.string().nullable().describe('The release that was live then.'),
    captured_at: z.iso.datetime().nullable().describe('The moment that it shows.'),
    expires_at: z.iso.datetime().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    left_out: z.array(z.string()).describe('What of the database is not part of it, in sentences.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    next_actions: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'ProjectSnapshot' });

const iso = (at: Date | null) => at?.toISOString() ?? null;

export const snapshotToWire = (one: Snapshot): z.output<typeof SnapshotWire> => ({
  snapshot_id: one.id,
  operation_id: one.operationId,
  project_id: one.projectId,
  kind: one.kind,
  profile: 'snapshot',
  status: one.status,
  manifest_sha256: one.manifestSha256,
  size_bytes: Number(one.sizeBytes),
  live_release_id: one.liveReleaseId,
  captured_at: iso(one.capturedAt),
  expires_at: iso(one.expiresAt),
  error: one.error,
  left_out: [...(one.facts?.leftOut ?? [])],
  created_at: one.createdAt.toISOString(),
  updated_at: one.updatedAt.toISOString(),
  next_actions: snapshotActionsOf(one),
});

/** What may be done with a snapshot now. */
export function snapshotActionsOf({ id, projectId, status }: Pick<Snapshot, 'id' | 'projectId' | 'status'>) {
  const all = `/projects/v1/${projectId}/snapshots`;
  if (status === 'running') return [{ type: 'poll', method: 'GET', path: `${all}/${id}` }];
  if (status === 'ready')
    return [
      { type: 'restore', method: 'POST', path: `${all}/${id}/restore`, why: 'Without a confirmation this plans.' },
    ];
  return [{ type: 'create', method: 'POST', path: all, why: 'Take another snapshot.' }];
}

/** @throws SNAPSHOT_NOT_FOUND */
export async function findSnapshot(rows: Rows, owner: { readonly projectId: string }, id: string): Promise<Snapshot> {
  const [found] = await rows(findStatement.with({ projectId: owner.projectId, id }));
  if (found === undefined) throw new ServiceError('SNAPSHOT_NOT_FOUND', { details: { snapshot_id: id } });
  return found;
}

const findStatement = statement(
  'snapshots.find',
  { params: pick(projectSnapshots, 'projectId', 'id'), row: snapshotColumns },
  ({ projectId, id }, row) => sql`select ${row} from ${projectSnapshots}
    where ${projectSnapshots.projectId} = ${projectId} and ${projectSnapshots.id} = ${id}`,
);
