import type { Statement } from '../../db/pool.ts';
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
  const ended = await work.rows<{ id: string }>(endStatement, [org.id, project.id, grants.map(({ id }) => id)]);
  return ended.map(({ id }) => id);
}

const endStatement: Statement = {
  name: 'delegates.end',
  text: `update delegates set revoked_at = now()
    where org_id = $1 and project_id = $2 and grant_id = any($3::uuid[]) and revoked_at is null returning id`,
};
