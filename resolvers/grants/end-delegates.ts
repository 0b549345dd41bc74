import { sql } from '../../db/drizzle.ts';
import { delegates } from '../../db/schema/projects.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';

/**
 * Ends the delegates of grants that have ended, in a statement of its own: it sees those that were made while the
 * grants' rows were waited for.
 *
 * @returns their ids
 */
export async function endDelegates(
  work: Work,
  { org, project }: ProjectScope,
  grants: readonly { readonly id: string }[],
): Promise<string[]> {
  if (grants.length === 0) return [];
  const given = { orgId: org.id, projectId: project.id, grantIds: grants.map(({ id }) => id) };
  const ended = await work.rows(endStatement.with(given));
  return ended.map(({ id }) => id);
}

const endStatement = statement(
  'delegates.end',
  {
    params: { ...pick(delegates, 'orgId', 'projectId'), grantIds: typed<readonly string[]>('uuid[]') },
    row: pick(delegates, 'id'),
  },
  ({ orgId, projectId, grantIds }, row) => sql`update ${delegates} ${setOf(delegates, { revokedAt: sql`now()` })}
    where ${delegates.orgId} = ${orgId} and ${delegates.projectId} = ${projectId}
      and ${delegates.grantId} = any(${grantIds}::uuid[]) and ${delegates.revokedAt} is null returning ${row}`,
);
