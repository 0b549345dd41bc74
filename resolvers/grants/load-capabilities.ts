import type { Statement } from '../../db/pool.ts';
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
  const rows = await ctx.services.db.rows<{ project: string; capability: Capability }>(statement, [
    principalIdOf(caller),
    projects,
  ]);
  return projects.map((project) => rows.flatMap((row) => (row.project === project ? [row.capability] : [])));
}

const statement: Statement = {
  name: 'grants.capabilities',
  pipelined: true,
  text: `select g.project_id as project, g.capability from project_grants g
    where g.principal_id = $1 and g.project_id = any($2::text[]) and ${grantHolds('g')} order by g.created_at`,
};
