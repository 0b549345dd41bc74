import { sql } from '../../db/drizzle.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { setOf, statement, typed } from '../../db/sql.ts';
import { writeAudit } from '../../kernel/durability/audit-log.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { deleteInSteps } from './shared/begin-deletion.ts';
import { projectColumns, projectsAndOrgs } from './shared/load-projects.ts';

/** Projects whose deletion is begun in one transaction. */
const batch = 50;

/**
 * Begins to delete whatever organizations that are purged still have: each project as its owner would, in the same
 * steps. On several nodes at once each takes other projects.
 *
 * @returns how many were begun
 */
export async function purgeProjects(ctx: Context): Promise<number> {
  let begun = 0;
  for (;;) {
    ctx.signal.throwIfAborted();
    const found = await unitOfWork(ctx, beginSome);
    begun += found;
    if (found < batch) break;
  }
  await ctx.services.db.rows(emptiedStatement.with({}));
  return begun;
}

async function beginSome(work: Work): Promise<number> {
  const caller = await work.caller();
  const projects = await work.rows(leftStatement.with({ limit: batch }));
  for (const project of projects) {
    const { orgId, audit } = await deleteInSteps(work, project, 'projects.delete');
    const scope = { org: { id: orgId }, authority: { kind: 'system', reason: 'organization_purged' } };
    await writeAudit(work.client, work, caller, scope, audit);
  }
  return projects.length;
}

// One that is still being made is left for the next time: it is ready or undone by then.
const leftStatement = statement(
  'projects.left-of-purged',
  { params: { limit: typed<number>('bigint') }, row: projectColumns },
  ({ limit }, row) => sql`select ${row} from ${projectsAndOrgs}
    where ${orgs.lifecycleState} = 'purged' and ${orgs.emptiedAt} is null and ${projects.deletedAt} is null
      and ${projects.state} = 'ready'
    limit ${limit} for update of ${projects} skip locked`,
);

// Nothing is created in a purged organization, so it is not looked at again.
const emptiedStatement = statement(
  'projects.purged-orgs-emptied',
  {},
  () => sql`update ${orgs} ${setOf(orgs, { emptiedAt: sql`now()` })}
    where ${orgs.lifecycleState} = 'purged' and ${orgs.emptiedAt} is null and not exists (
      select from ${projects} where ${projects.orgId} = ${orgs.id} and ${projects.deletedAt} is null)`,
);
