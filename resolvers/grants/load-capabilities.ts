import { sql } from '../../db/drizzle.ts';
import { projectGrants } from '../../db/schema/projects.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Capability } from '../../kernel/access/permissions.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import type { Context } from '../../kernel/run/context.ts';

/** What grants open to the caller on each of several projects, in one statement; of a delegate, what its scope names. */
export async function loadCapabilities(ctx: Context, projects: readonly string[]): Promise<readonly Capability[][]> {
  const caller = await ctx.caller();
  if (caller.kind === 'delegate') {
    const named = caller.scope.capabilities as readonly Capability[];
    return projects.map((project) => (caller.projectIds.includes(project) ? [...named] : []));
  }
  const rows = await ctx.services.db.rows(heldStatement.with({ principal: principalIdOf(caller), projects }));
  return projects.map((project) =>
    rows.flatMap((row) => (row.projectId === project ? [row.capability as Capability] : [])),
  );
}

const heldStatement = statement(
  'grants.capabilities',
  {
    params: { principal: typed<string | null>('text'), projects: typed<readonly string[]>('text[]') },
    row: pick(projectGrants, 'projectId', 'capability'),
    pipelined: true,
  },
  ({ principal, projects }, row) => sql`select ${row} from ${projectGrants}
    where ${projectGrants.principalId} = ${principal} and ${projectGrants.projectId} = any(${projects}::text[])
      and ${grantHolds(projectGrants)} order by ${projectGrants.createdAt}`,
);
