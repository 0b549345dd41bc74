import { randomUUID } from 'node:crypto';
import { planRestore } from '../../../resolvers/snapshots/restore/restore-plan.ts';
import type { Snapshot } from '../../../resolvers/snapshots/shared/snapshot-row.ts';
import type { Stage, Surfaces } from './surface.ts';

/** The release that is live, where nobody has made one: what a plan of a restore is bound to. */
const ofProject = `select p.schema_slot as slot, l.release_id as release from projects p
  left join live_releases l on l.org_id = p.org_id and l.project_id = p.id where p.id = $1`;

export const snapshotSurfaces = ({ params, service }: Stage): Surfaces => {
  const sql = <Row extends object>(text: string, values: readonly unknown[] = [params.project_id]) =>
    service.control.sql<Row>(text, [...values]);
  const idOf = () => `snap_of_${params.project_id!}`;
  let token = '';
  /** Rows of snapshots stay as they are made, so that who has written them can be asked. */
  async function still(): Promise<void> {
    await sql(
      `create or replace function stay() returns trigger language plpgsql as $$ begin return null; end $$;
       create or replace trigger stay before update on project_snapshots for each row execute function stay();
       delete from project_restores; delete from project_snapshots`,
      [],
    );
  }
  /** A snapshot that is ready as far as its row says, and a plan of its restore. */
  const snapshot = async () => {
    await still();
    const facts = { tables: 0, rows: 0, users: 0, passkeys: 0, leftOut: [] };
    await sql(
      `insert into project_snapshots (id, org_id, project_id, operation_id, kind, status, facts, captured_at)
       select $2, org_id, id, 'op_none', 'manual', 'ready', $3, now() from projects where id = $1`,
      [params.project_id, idOf(), JSON.stringify(facts)],
    );
    await sql(
      `update deploy_operations set status = 'failed' where project_id = $1 and status not in ('ready', 'planning', 'uploading')`,
    );
    const [at] = await sql<{ slot: string; release: string | null }>(ofProject);
    const shown = { id: idOf(), capturedAt: new Date(), liveReleaseId: null, facts } as unknown as Snapshot;
    const state = { schemaSlot: at!.slot, liveReleaseId: at!.release, withAuth: false };
    const planned = { ...state, projectId: params.project_id!, snapshotId: idOf() };
    token = planRestore(service.app.services, shown, planned).confirm.token;
    return { snapshot_id: idOf() };
  };
  const read = 'A + + + + F A F';
  const change = 'A + W F N F A F';
  const target = () => `project: "${params.project_id}", snapshot: "${idOf()}"`;
  return {
    'POST /projects/v1/:project_id/snapshots': {
      cells: change,
      prepare: async () => {
        await still();
        return undefined;
      },
      audited: {
        action: 'snapshot.created',
        kind: 'snapshot',
        objectId: 'snapshot_id',
        written: 'select xmin::text from project_snapshots where id = $1',
      },
      field: () => `mutation { createProjectSnapshot(input: { project: "${params.project_id}",
        idempotencyKey: "${randomUUID()}" }) { snapshotId } }`,
    },
    'GET /projects/v1/:project_id/snapshots': {
      cells: read,
      prepare: snapshot,
      field: () => `{ project(id: "${params.project_id}") { snapshots { edges { node { snapshotId } } } } }`,
    },
    'GET /projects/v1/:project_id/snapshots/:snapshot_id': {
      cells: read,
      prepare: snapshot,
      field: () => `{ project(id: "${params.project_id}") { snapshot(snapshot: "${idOf()}") { snapshotId } } }`,
    },
    'POST /projects/v1/:project_id/snapshots/:snapshot_id/restore': {
      cells: change,
      prepare: snapshot,
      // It fails at once, since the snapshot holds nothing; whoever may not even begin it is told so.
      body: () => ({ confirm: token }),
      audited: {
        action: 'database.restore_begun',
        kind: 'snapshot',
        objectId: 'snapshot_id',
        written: `select s.xmin::text from project_snapshots s join project_restores r on r.pre_restore_id = s.id
          where r.snapshot_id = $1`,
      },
      field: () =>
        `mutation { restoreProjectSnapshot(input: { ${target()}, confirm: "${token}" }) { restore { snapshotId } } }`,
    },
    'DELETE /projects/v1/:project_id/snapshots/:snapshot_id': {
      cells: change,
      prepare: snapshot,
      audited: {
        action: 'snapshot.deleted',
        kind: 'snapshot',
        objectId: 'snapshot_id',
        // The row itself is gone.
        written: `select xmin::text from audit_events where action = 'snapshot.deleted' and object_id = $1`,
      },
      field: () => `mutation { deleteProjectSnapshot(input: { ${target()} }) { snapshotId } }`,
    },
  };
};
