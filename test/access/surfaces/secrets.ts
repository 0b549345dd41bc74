import type { Stage, Surfaces } from './surface.ts';

export const secretSurfaces = ({ params, service }: Stage): Surfaces => {
  // In the graph a word of capitals alone would look like a value of an enumeration.
  const key = '_LATEST';
  /** The secret, for each caller that may delete it. */
  const secret = async () => {
    await service.control.sql(
      `insert into project_secrets (org_id, project_id, key, sealed) select org_id, id, $2, '' from projects where id = $1
       on conflict do nothing`,
      [params.project_id, key],
    );
    return { key };
  };
  return {
    'GET /projects/v1/admin/:project_id/secrets': {
      cells: 'A + + + N + A F',
      prepare: secret,
      field: () => `{ project(id: "${params.project_id}") { secrets { key } } }`,
    },
    'POST /projects/v1/admin/:project_id/secrets': {
      cells: 'A + W F N + A F',
      prepare: secret,
      body: () => ({ key, value: 'hidden' }),
      audited: {
        action: 'secret.replaced',
        kind: 'secret',
        objectId: 'key',
        written: 'select xmin::text from project_secrets where key = $1',
      },
      field: () =>
        `mutation { setSecret(input: { project: "${params.project_id}", key: "${key}", value: "hidden" }) { key } }`,
    },
    'DELETE /projects/v1/admin/:project_id/secrets/:key': {
      cells: 'A + + F N + A F',
      prepare: secret,
      audited: {
        action: 'secret.deleted',
        kind: 'secret',
        objectId: 'key',
        // The row itself is gone.
        written: `select xmin::text from audit_events where action = 'secret.deleted' and object_id = $1`,
      },
      field: () =>
        `mutation { deleteSecret(input: { project: "${params.project_id}", key: "${params.key}" }) { key } }`,
    },
  };
};
