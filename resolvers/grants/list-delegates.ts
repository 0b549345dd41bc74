import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { delegates } from '../../db/schema/projects.ts';
import { pick, statement } from '../../db/sql.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { DelegateWire, delegateColumns, delegateToWire } from './delegate-wire.ts';
import { onItsProject } from './grant-input.ts';
import { grantActions } from './shared/actions.ts';
import { liveFirst } from './wire.ts';

/** `GET /projects/v1/:id/delegates`. Contract 01, section 6.7. */
export const listDelegates = query({
  name: 'delegates.list',
  tool: 'list_delegates',
  command: 'delegates list',
  summary: 'Delegates on a project, never with a token: those that hold first, newest first.',
  access: onItsProject(grantActions['project:delegates:read']),
  input: z.object({ project: projectId }),
  handler: ({ services, org, project }) =>
    services.db.rows(listStatement.with({ orgId: org.id, projectId: project.id })),
  wire: z.object({ delegates: z.array(DelegateWire) }),
  toWire: (listed) => ({ delegates: listed.map(delegateToWire) }),
});

const listStatement = statement(
  'delegates.list',
  { params: pick(delegates, 'orgId', 'projectId'), row: delegateColumns },
  (given, row) => sql`select ${row} from ${delegates} where ${delegates.orgId} = ${given.orgId}
    and ${delegates.projectId} = ${given.projectId} ${liveFirst(delegates, given)}`,
);
