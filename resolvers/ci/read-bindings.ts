import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { ciBindings } from '../../db/schema/ci.ts';
import { pick, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { grantActions } from '../grants/shared/actions.ts';
import {
  bindingColumns,
  bindingId,
  bindingToWire,
  type CiBinding,
  CiBindingWire,
  findBindingStatement,
  found,
  onBinding,
} from './binding-row.ts';

/** `GET /ci/v1/bindings`. Contract 03, section 9.1. */
export const listBindings = query({
  name: 'ci.listBindings',
  tool: 'ci_list_bindings',
  command: 'ci list',
  summary: 'Which workflows of CI may deploy to a project, those too that might once.',
  path: 'GET /ci/v1/bindings',
  access: onProject(grantActions['project:delegates:read'], ({ project }: { readonly project: string }) => project),
  input: z.object({ project: projectId }),
  handler: ({ services, project }): Promise<CiBinding[]> =>
    services.db.rows(listStatement.with({ projectId: project.id })),
  wire: z.object({ bindings: z.array(CiBindingWire) }),
  toWire: (bindings) => ({ bindings: bindings.map(bindingToWire) }),
});

const listStatement = statement(
  'ci.list-bindings',
  { params: pick(ciBindings, 'projectId'), row: bindingColumns },
  ({ projectId: project }, row) => sql`select ${row} from ${ciBindings} where ${ciBindings.projectId} = ${project}
    order by ${ciBindings.revokedAt} is not null, ${ciBindings.createdAt} desc, ${ciBindings.id} desc limit 200`,
);

/** `GET /ci/v1/bindings/:binding_id`. Contract 03, section 9.1. */
export const getBinding = query({
  name: 'ci.getBinding',
  tool: 'ci_get_binding',
  command: 'ci get',
  summary: 'A binding of CI, with what a wallet signed for it.',
  path: 'GET /ci/v1/bindings/:binding_id',
  access: onBinding(grantActions['project:delegates:read']),
  input: z.object({ binding: bindingId }),
  handler: async ({ services, project }, { binding: id }): Promise<CiBinding> =>
    found(await services.db.rows(findBindingStatement.with({ projectId: project.id, id })), id),
  wire: CiBindingWire,
  toWire: bindingToWire,
});
