import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { Delegate } from '../../db/schema/projects.ts';
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
  handler: ({ services, org, project }) => services.db.rows<Delegate>(listStatement, [org.id, project.id]),
  wire: z.object({ delegates: z.array(DelegateWire) }),
  toWire: (delegates) => ({ delegates: delegates.map(delegateToWire) }),
});

const listStatement: Statement = {
  name: 'delegates.list',
  text: `select ${delegateColumns} from delegates d where d.org_id = $1 and d.project_id = $2 ${liveFirst('delegates', 'd')}`,
};
