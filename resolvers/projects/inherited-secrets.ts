import { sql } from '../../db/drizzle.ts';
import { projectSecrets } from '../../db/schema/secrets.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';

interface TransferredProject {
  readonly id: string;
  readonly orgId: string;
  readonly transferredAt: Date | null;
}

/** Whether a project has secrets that its former owner knows: none was set anew since it was handed over. */
export async function hasInheritedSecrets(
  rows: Rows,
  { id, orgId, transferredAt }: TransferredProject,
): Promise<boolean> {
  if (transferredAt === null) return false;
  const [row] = await rows(inheritedStatement.with({ orgId, projectId: id, since: transferredAt }));
  return row!.isHeld;
}

const inheritedStatement = statement(
  'secrets.inherited',
  {
    params: {
      ...pick(projectSecrets, 'orgId', 'projectId'),
      since: typed<Date>('timestamp with time zone'),
    },
    row: { isHeld: computed<boolean>('boolean', sql`is_held`) },
  },
  ({ orgId, projectId, since }, row) => sql`select ${row} from (select exists (select from ${projectSecrets}
    where ${projectSecrets.orgId} = ${orgId} and ${projectSecrets.projectId} = ${projectId}
      and ${projectSecrets.updatedAt} < ${since}) as is_held) inherited`,
);
