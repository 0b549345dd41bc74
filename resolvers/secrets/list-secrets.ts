import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { projectSecrets } from '../../db/schema/secrets.ts';
import { pick, statement } from '../../db/sql.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { onItsProject, type ShownSecret, secretColumns } from './secret.ts';
import { secretActions } from './shared/actions.ts';

/** `GET /projects/v1/admin/:project_id/secrets`. Contract 03, section 11. */
export const listSecrets = query({
  name: 'secrets.list',
  tool: 'list_secrets',
  command: 'secrets list',
  summary: 'The keys of a project’s secrets, with their age. No value is ever shown.',
  path: 'GET /projects/v1/admin/:project_id/secrets',
  access: onItsProject(secretActions['project:secrets:read']),
  input: z.object({ project: projectId }),
  handler: ({ services, org, project }): Promise<ShownSecret[]> =>
    services.db.rows(listStatement.with({ orgId: org.id, projectId: project.id })),
  wire: z.object({
    secrets: z.array(
      z.object({
        key: z.string(),
        created_at: z.iso.datetime(),
        updated_at: z.iso.datetime(),
        updated_by: z.string().nullable(),
      }),
    ),
  }),
  toWire: (secrets) => ({
    secrets: secrets.map(({ key, createdAt, updatedAt, updatedBy }) => ({
      key,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
      updated_by: updatedBy,
    })),
  }),
});

// A tier allows few enough of them for one answer.
const listStatement = statement(
  'secrets.list',
  { params: pick(projectSecrets, 'orgId', 'projectId'), row: secretColumns },
  (given, row) => sql`select ${row} from ${projectSecrets} where ${projectSecrets.orgId} = ${given.orgId}
    and ${projectSecrets.projectId} = ${given.projectId} order by ${projectSecrets.key} collate "C"`,
);
