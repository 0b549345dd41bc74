import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { projectGrants } from '../../db/schema/projects.ts';
import { pick, statement } from '../../db/sql.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { onItsProject } from './grant-input.ts';
import { grantActions } from './shared/actions.ts';
import { GrantWire, grantColumns, grantToWire, liveFirst } from './wire.ts';

/** `GET /projects/v1/:id/grants`. Contract 01, section 6.6. */
export const listGrants = query({
  name: 'grants.list',
  tool: 'list_project_grants',
  command: 'grants list',
  summary: 'Grants on a project: those that hold first, newest first.',
  access: onItsProject(grantActions['project:grants:read']),
  input: z.object({ project: projectId }),
  handler: ({ services, org, project }) =>
    services.db.rows(listStatement.with({ orgId: org.id, projectId: project.id })),
  wire: z.object({ grants: z.array(GrantWire) }),
  toWire: (grants) => ({ grants: grants.map(grantToWire) }),
});

const listStatement = statement(
  'grants.list',
  { params: pick(projectGrants, 'orgId', 'projectId'), row: grantColumns },
  (given, row) => sql`select ${row} from ${projectGrants} where ${projectGrants.orgId} = ${given.orgId}
    and ${projectGrants.projectId} = ${given.projectId} ${liveFirst(projectGrants, given)}`,
);
