import { sql } from '../../../db/drizzle.ts';
import { projects } from '../../../db/schema/projects.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';

/** Notes that a project whose database was made is ready. */
export const readyProjectStatement = statement(
  'projects.made-ready',
  { params: pick(projects, 'orgId', 'id') },
  ({ orgId, id }) => sql`update ${projects} ${setOf(projects, { state: sql`'ready'` })}
    where ${projects.orgId} = ${orgId} and ${projects.id} = ${id} and ${projects.state} = 'provisioning'`,
);
