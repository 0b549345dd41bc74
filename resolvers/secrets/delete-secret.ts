import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projectSecrets } from '../../db/schema/secrets.ts';
import { statement } from '../../db/sql.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { keyOf, keyParams, onItsProject, type ShownSecret, secretColumns } from './secret.ts';
import { secretActions } from './shared/actions.ts';

/** `DELETE /projects/v1/admin/:project_id/secrets/:key`. Contract 03, section 11. */
export const deleteSecret = mutation({
  name: 'secrets.delete',
  tool: 'delete_secret',
  command: 'secrets delete',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete a secret of a project for good.',
  path: 'DELETE /projects/v1/admin/:project_id/secrets/:key',
  access: onItsProject(secretActions['project:secrets:write']),
  lifecycle: 'owned',
  // Any text is the key of a secret that there is none of.
  input: z.object({
    project: projectId,
    key: z.string().min(1).max(256).describe('The key, for example `STRIPE_KEY`.'),
  }),
  async handler(work, { key }): Promise<ShownSecret> {
    await lockProjectFor(work, secretActions['project:secrets:write']);
    const [deleted] = await work.rows(deleteStatement.with(keyOf(work, key)));
    if (deleted === undefined) throw new ServiceError('SECRET_NOT_FOUND', { details: { key } });
    return deleted;
  },
  audit: ({ key }, _input, { project }) => ({
    action: 'secret.deleted',
    object: { kind: 'secret', id: key },
    details: { project_id: project.id },
  }),
  wire: z.object({ status: z.literal('deleted'), key: z.string() }),
  toWire: ({ key }) => ({ status: 'deleted' as const, key }),
});

const deleteStatement = statement(
  'secrets.delete',
  { params: keyParams, row: secretColumns },
  (given, row) => sql`delete from ${projectSecrets} where ${projectSecrets.orgId} = ${given.orgId}
    and ${projectSecrets.projectId} = ${given.projectId} and ${projectSecrets.key} = ${given.key} returning ${row}`,
);
