import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { Grant } from '../../db/schema/projects.ts';
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
  handler: ({ services, org, project }) => services.db.rows<Grant>(listStatement, [org.id, project.id]),
  wire: z.object({ grants: z.array(GrantWire) }),
  toWire: (grants) => ({ grants: grants.map(grantToWire) }),
});

const listStatement: Statement = {
  name: 'grants.list',
  text: `select ${grantColumns} from project_grants g where g.org_id = $1 and g.project_id = $2 ${liveFirst('project_grants', 'g')}`,
};
