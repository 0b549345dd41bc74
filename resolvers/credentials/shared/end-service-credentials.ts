import { sql } from '../../../db/drizzle.ts';
import { projectCredentials, type RevokedBy } from '../../../db/schema/project-credentials.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { forgetCredentials } from '../../identity/shared/project-credentials.ts';

/**
 * Revokes the service credentials of a project that goes to another organization, as its service key becomes another one.
 * Those of the kind `anon` stay, as the anon key does: sites carry them inside.
 */
export async function endServiceCredentials(
  work: Work,
  project: { readonly orgId: string; readonly projectId: string },
): Promise<void> {
  await work.rows(endStatement.with({ ...project, revokedReason: 'transferred' satisfies RevokedBy }));
  work.afterCommit(() => forgetCredentials(work.services));
}

const endStatement = statement(
  'credentials.end-service',
  { params: pick(projectCredentials, 'orgId', 'projectId', 'revokedReason') },
  ({ orgId, projectId, revokedReason }) => sql`update ${projectCredentials}
    ${setOf(projectCredentials, { revokedAt: sql`now()`, revokedReason })}
    where ${projectCredentials.orgId} = ${orgId} and ${projectCredentials.projectId} = ${projectId}
      and ${projectCredentials.kind} = 'service' and ${projectCredentials.revokedAt} is null`,
);
