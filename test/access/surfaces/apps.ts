import { randomUUID } from 'node:crypto';
import { releasesOf } from './releases-of.ts';
import type { Stage, Surfaces } from './surface.ts';

export const appSurfaces = ({ params, service }: Stage): Surfaces => {
  const idOf = () => `appv_of_${params.project_id!}`;
  const { sql } = service.control;
  /** A version as far as its row says: it has no schema. It is the only one of a project that has a release. */
  const version = async () => {
    await releasesOf({ params, service }).withFunction('probed');
    await sql('delete from app_versions where project_id = $1 and id <> $2', [params.project_id, idOf()]);
    await sql(
      `insert into app_versions (id, org_id, project_id, number, release_id, name, tags, visibility, fork_allowed, fork_price,
         min_tier, required_secrets, required_actions, contents, status)
       select $2, org_id, id, 1000, 'rel_none', 'An app', '{}', 'public', true, 0, 'prototype', '[]', '[]',
         '{"tables": [], "functions": [], "migrations": [], "routes": 0, "siteFiles": 0, "siteBytes": 0, "totalBytes": 0, "warnings": []}',
         'published' from projects where id = $1
       on conflict (id) do update set deleted_at = null`,
      [params.project_id, idOf()],
    );
    return { version_id: idOf() };
  };
  /** The project as if it had been forked. */
  const fork = async () => {
    await version();
    await sql(
      `insert into app_forks (id, org_id, lane, version_id, operation_id, price, status)
       select id, org_id, org_id::text, $2, 'op_none', 0, 'ready' from projects where id = $1 on conflict do nothing`,
      [params.project_id, idOf()],
    );
    return undefined;
  };
  const read = 'A + + + + + A F';
  const change = 'A + + F N + A F';
  const open = '+ + + + + + + +';
  const versions = '/projects/v1/admin/:project_id/versions';
  const target = () => `project: "${params.project_id}", version: "${idOf()}"`;
  const audited = (action: string) => ({
    action,
    kind: 'app_version',
    objectId: 'id',
    // Its row is written again once it is prepared.
    written: `select xmin::text from audit_events where action = '${action}' and object_id = $1`,
  });
  return {
    'GET /apps/v1': { cells: open, prepare: version, field: () => '{ apps { edges { cursor } } }' },
    'GET /apps/v1/:version_id': {
      cells: open,
      prepare: version,
      field: () => `{ app(version: "${idOf()}") { versionId } }`,
    },
    'POST /fork/v1': {
      cells: 'A + + F N F A F',
      prepare: version,
      body: () => ({ org_id: params.org_id, version_id: idOf(), name: 'A fork' }),
      audited: {
        action: 'app.forked',
        kind: 'project',
        objectId: 'project_id',
        // Its row is written again once it is made, or is not.
        written: `select xmin::text from audit_events where action = 'app.forked' and object_id = $1`,
      },
      field: () => `mutation { forkApp(input: { org: "${params.org_id}", versionId: "${idOf()}", name: "A fork",
        idempotencyKey: "${randomUUID()}" }) { fork { projectId } } }`,
    },
    'GET /fork/v1/:project_id': {
      addition: { status: 200, reason: 'a fork that takes longer than its request is waited for here' },
      cells: read,
      prepare: fork,
      field: () => `{ project(id: "${params.project_id}") { fork { projectId } } }`,
    },
    'POST /projects/v1/admin/:project_id/publish': {
      cells: change,
      prepare: version,
      body: () => ({}),
      audited: audited('app.published'),
      field: () =>
        `mutation { publishApp(input: { project: "${params.project_id}", idempotencyKey: "${randomUUID()}" }) { versionId } }`,
    },
    [`GET ${versions}`]: {
      cells: read,
      prepare: version,
      field: () => `{ project(id: "${params.project_id}") { appVersions { versionId } } }`,
    },
    [`PATCH ${versions}/:version_id`]: {
      cells: change,
      prepare: version,
      body: () => ({ description: 'Another one' }),
      audited: audited('app.updated'),
      field: () => `mutation { updateAppVersion(input: { ${target()}, description: "Another one" }) { versionId } }`,
    },
    [`DELETE ${versions}/:version_id`]: {
      cells: change,
      prepare: version,
      audited: { ...audited('app.deleted'), objectId: 'version_id' },
      field: () => `mutation { deleteAppVersion(input: { ${target()} }) { versionId } }`,
    },
  };
};
