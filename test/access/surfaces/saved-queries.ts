import { randomUUID } from 'node:crypto';
import type { Stage, Surfaces } from './surface.ts';

export const savedQuerySurfaces = ({ params, service }: Stage): Surfaces => {
  /** A query of its own for each caller that may delete it. */
  const query = async () => {
    const id = randomUUID();
    await service.control.sql(
      `insert into saved_queries (org_id, project_id, id, name, sql)
       select org_id, id, $2, 'to go', 'select 1' from projects where id = $1`,
      [params.project_id, id],
    );
    return { query_id: id };
  };
  const reason = 'the contract keeps no queries';
  return {
    'GET /projects/v1/:project_id/queries': {
      addition: { status: 200, reason },
      cells: 'A + + + N + A +',
      field: () => `{ project(id: "${params.project_id}") { savedQueries { edges { cursor } } } }`,
    },
    'POST /projects/v1/:project_id/queries': {
      addition: { status: 200, reason },
      cells: 'A + + F N + A F',
      body: () => ({ name: 'latest', sql: 'select 1' }),
      field: () =>
        `mutation { saveQuery(input: { project: "${params.project_id}", name: "latest", sql: "select 1" }) { queryId } }`,
      audited: {
        action: 'saved_query.created',
        kind: 'saved_query',
        objectId: 'query_id',
        written: 'select xmin::text from saved_queries where id = $1',
      },
    },
    'DELETE /projects/v1/:project_id/queries/:query_id': {
      addition: { status: 200, reason },
      cells: 'A + + F N + A F',
      prepare: query,
      field: () =>
        `mutation { deleteQuery(input: { project: "${params.project_id}", query: "${params.query_id}" }) { queryId } }`,
      audited: {
        action: 'saved_query.deleted',
        kind: 'saved_query',
        objectId: 'query_id',
        // The row itself is gone.
        written: `select xmin::text from audit_events where action = 'saved_query.deleted' and object_id = $1`,
      },
    },
  };
};
