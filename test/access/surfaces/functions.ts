import type { Stage, Surfaces } from './surface.ts';

export const functionSurfaces = ({ params, service }: Stage): Surfaces => {
  const name = 'talker';
  /** A function that has printed a line. */
  const printed = async () => {
    await service.control.sql(
      `insert into function_logs (org_id, project_id, position, function, release_id, stream, message, at)
       select org_id, id, 1, $2, 'rel_none', 'stdout', 'hello', now() from projects
       where id = $1 and not exists (select from function_logs where project_id = $1)`,
      [params.project_id, name],
    );
    return { name };
  };
  return {
    'GET /projects/v1/admin/:project_id/functions': {
      cells: 'A + + + + + A F',
      field: () => `{ project(id: "${params.project_id}") { functions { name } } }`,
    },
    'GET /projects/v1/admin/:project_id/functions/:name/logs': {
      cells: 'A + + + + + A F',
      prepare: printed,
      field: () => `{ project(id: "${params.project_id}") { functionLogs(name: "${name}") { message } } }`,
    },
  };
};
