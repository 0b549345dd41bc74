import type { Statement } from '../../db/pool.ts';
import { writeAudit } from '../../kernel/durability/audit-log.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { recordStep } from '../../kernel/run/steps.ts';
import { beginDeletion } from './begin-deletion.ts';
import { deleteProject } from './delete-project.ts';
import { projectColumns } from './shared/load-projects.ts';
import type { ProjectRow } from './shared/wire.ts';

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
  await ctx.services.db.rows(emptiedStatement, []);
  return begun;
}

async function beginSome(work: Work): Promise<number> {
  const caller = await work.caller();
  const projects = await work.rows<ProjectRow>(leftStatement, [batch]);
  for (const project of projects) {
    const { ref, orgId, audit } = await beginDeletion(work, project);
    const scope = { org: { id: orgId }, authority: { kind: 'system', reason: 'organization_purged' } };
    await writeAudit(work.client, work, caller, scope, audit);
    await recordStep(work, { operation: deleteProject.name, orgId, ref }, undefined);
  }
  return projects.length;
}

// One that is still being made is left for the next time: it is ready or undone by then.
const leftStatement: Statement = {
  name: 'projects.left-of-purged',
  text: `select ${projectColumns} from orgs o join projects p on p.org_id = o.id
    where o.lifecycle_state = 'purged' and o.emptied_at is null and p.deleted_at is null and p.state = 'ready'
    limit $1 for update of p skip locked`,
};

// Nothing is created in a purged organization, so it is not looked at again.
const emptiedStatement: Statement = {
  name: 'projects.purged-orgs-emptied',
  text: `update orgs o set emptied_at = now() where o.lifecycle_state = 'purged' and o.emptied_at is null
      and not exists (select from projects p where p.org_id = o.id and p.deleted_at is null)`,
};
