import { createHash } from 'node:crypto';
import { z } from 'zod';
import { openCursor, sealCursor } from '../../../core/cursors.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { Snapshot } from '../shared/snapshot-row.ts';

/** For how long a plan may be confirmed, in milliseconds. Contract 03, section 6. */
const confirmMs = 15 * 60_000;

/** What a plan was made for: another state of the project needs another plan. */
export interface PlannedState {
  readonly projectId: string;
  readonly snapshotId: string;
  readonly schemaSlot: string;
  readonly liveReleaseId: string | null;
  readonly withAuth: boolean;
}

/** What a restore would do. Contract 03, section 6. */
export const RestorePlanWire = z
  .object({
    snapshot_id: z.string(),
    project_id: z.string(),
    snapshot_at: z.iso.datetime(),
    data_loss_statement: z.string().describe('What is lost, in words for whoever decides.'),
    auth: z.object({
      mode: z.enum(['not_restored', 'restore_on_confirm']),
      users: z.int().describe('Users in the snapshot.'),
      passkeys: z.int(),
      message: z.string(),
    }),
    release: z.object({
      snapshot_live_release_id: z.string().nullable(),
      current_live_release_id: z.string().nullable(),
    }),
    target: z.object({
      current_schema_slot: z.string(),
      behavior: z.literal('offline_materialize_then_atomic_flip'),
    }),
    confirm: z.object({ token: z.string(), expires_at: z.iso.datetime() }),
    next_actions: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'RestorePlan' });

export type RestorePlan = z.output<typeof RestorePlanWire>;

const viewOf = ({ projectId, snapshotId, schemaSlot, liveReleaseId, withAuth }: PlannedState) =>
  ({
    prefix: 'rst_',
    kind: 'list',
    view: JSON.stringify(['restore', projectId, snapshotId, schemaSlot, liveReleaseId, withAuth]),
  }) as const;

/** The plan of a restore with the token that confirms it. Nothing is kept of it. */
export function planRestore(services: Services, snapshot: Snapshot, state: PlannedState): RestorePlan {
  const expiresAt = new Date(services.now().getTime() + confirmMs);
  const token = sealCursor(services.keys, viewOf(state), expiresAt.toISOString());
  const path = `/projects/v1/${state.projectId}/snapshots/${snapshot.id}/restore`;
  const facts = snapshot.facts!;
  const include = state.withAuth ? { include: ['auth'] } : {};
  return {
    snapshot_id: snapshot.id,
    project_id: state.projectId,
    snapshot_at: snapshot.capturedAt!.toISOString(),
    data_loss_statement: lossOf(snapshot, state.withAuth),
    auth: {
      mode: state.withAuth ? 'restore_on_confirm' : 'not_restored',
      users: facts.users,
      passkeys: facts.passkeys,
      message: state.withAuth
        ? 'Users and passkeys become those of the snapshot, and everybody is signed out. Sessions and tokens are not restored.'
        : 'Users, passkeys and sessions stay as they are. Name auth in include to restore users and passkeys.',
    },
    release: {
      snapshot_live_release_id: snapshot.liveReleaseId,
      current_live_release_id: state.liveReleaseId,
    },
    target: { current_schema_slot: state.schemaSlot, behavior: 'offline_materialize_then_atomic_flip' },
    confirm: { token, expires_at: expiresAt.toISOString() },
    next_actions: [
      {
        type: 'confirm_restore',
        method: 'POST',
        path,
        body: { ...include, confirm: token },
        why: 'Restores the snapshot.',
      },
    ],
  };
}

function lossOf({ capturedAt, facts }: Snapshot, withAuth: boolean): string {
  const { tables, rows, leftOut } = facts!;
  return [
    `The tables of the project become what they were at ${capturedAt!.toISOString()}: ${tables} tables with ${rows} rows.`,
    'What was written or changed since then is no longer there, the schema and the list of applied migrations included.',
    ...(withAuth ? ['Users and passkeys that came since then are no longer there, and everybody is signed out.'] : []),
    'What is there now is kept as a snapshot for 30 days.',
    ...(leftOut.length === 0 ? [] : [`The snapshot does not have: ${leftOut.join(' ')}`]),
  ].join(' ');
}

/** What a token is known by once it was used. */
export const confirmHash = (token: string): string => createHash('sha256').update(token).digest('hex');

/** @throws RESTORE_CONFIRM_INVALID for a token of another state, and for one that has expired */
export function refuseOtherState(services: Services, token: string, state: PlannedState): void {
  const expiresAt = openCursor(services.keys, viewOf(state), token);
  if (expiresAt === undefined || new Date(expiresAt) < services.now())
    throw new ServiceError('RESTORE_CONFIRM_INVALID', { details: { snapshot_id: state.snapshotId } });
}
