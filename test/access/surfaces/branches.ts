import { randomUUID } from 'node:crypto';
import type { Stage, Surfaces } from './surface.ts';

export const branchSurfaces = ({ params, service }: Stage): Surfaces => {
  const sql = (text: string, values: readonly unknown[] = [params.project_id]) =>
    service.control.sql(text, [...values]);
  const idOf = () => `prj_branch_of_${params.project_id!.slice(4)}`;
  const none = async () => {
    await sql('delete from project_branches where parent_id = $1');
    return undefined;
  };
  /** A branch as far as its rows say: it has no database. */
  const branch = async () => {
    await none();
    await sql(
      `insert into projects (org_id, id, public_id, name, state, schema_slot, server, database_name, role_name, branch)
       select org_id, $2, $3, 'A branch', 'ready', 'p0', server, 'p_' || $3, 'r_' || $3,
         '{"parentId": "none", "mail": "sandbox", "cron": false}' from projects where id = $1
       on conflict (org_id, id) do update set state = 'ready', deleted_at = null`,
      [params.project_id, idOf(), randomUUID().replaceAll('-', '').slice(0, 20)],
    );
    await sql(
      `insert into project_branches (id, org_id, parent_id, operation_id, name, snapshot_id, takes_snapshot, status, expires_at)
       select $2, org_id, id, 'op_none', 'A branch', 'snap_none', false, 'active', now() + interval '1 day'
       from projects where id = $1`,
      [params.project_id, idOf()],
    );
    return { branch_id: idOf() };
  };
  const read = 'A + + + + F A F';
  const change = 'A + W F N F A F';
  const target = () => `project: "${params.project_id}", branch: "${idOf()}"`;
  return {
    'POST /projects/v1/:project_id/branches': {
      cells: change,
      prepare: none,
      body: () => ({ name: 'A branch' }),
      audited: {
        action: 'branch.created',
        kind: 'branch',
        objectId: 'branch_project_id',
        // Its row is written again once it is filled.
        written: `select xmin::text from audit_events where action = 'branch.created' and object_id = $1`,
      },
      field: () => `mutation { createProjectBranch(input: { project: "${params.project_id}", name: "A branch",
        idempotencyKey: "${randomUUID()}" }) { branch { branchProjectId } } }`,
    },
    'GET /projects/v1/:project_id/branches': {
      cells: read,
      prepare: branch,
      field: () => `{ project(id: "${params.project_id}") { branches { branchProjectId } } }`,
    },
    'POST /projects/v1/:project_id/branches/:branch_id/renew': {
      cells: change,
      prepare: branch,
      audited: {
        action: 'branch.renewed',
        kind: 'branch',
        objectId: 'branch_project_id',
        written: 'select xmin::text from project_branches where id = $1',
      },
      field: () => `mutation { renewProjectBranch(input: { ${target()} }) { branchProjectId } }`,
    },
    'DELETE /projects/v1/:project_id/branches/:branch_id': {
      cells: change,
      prepare: branch,
      audited: {
        action: 'branch.deleted',
        kind: 'branch',
        objectId: 'branch_project_id',
        // Its row is gone.
        written: `select xmin::text from audit_events where action = 'branch.deleted' and object_id = $1`,
      },
      field: () => `mutation { deleteProjectBranch(input: { ${target()} }) { branchProjectId } }`,
    },
  };
};
