import { sql } from '../../../db/drizzle.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { setOf, statement } from '../../../db/sql.ts';
import { forgetProjectTargets } from '../../../kernel/access/project-target.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { AuditEntry, StepRef } from '../../../kernel/run/operation.ts';
import { recordStep } from '../../../kernel/run/steps.ts';
import { runDeletionHooks } from './deletion-hooks.ts';
import { isProject, projectColumns, projectKey } from './load-projects.ts';
import type { ProjectRow } from './wire.ts';

/**
 * Marks a project whose row is locked as deleted: from the commit on it is gone for everybody, its keys with it, and
 * its repository's name is free. Its database is dropped by the steps that follow.
 */
export async function beginDeletion(
  work: Work,
  project: ProjectRow,
): Promise<{ readonly ref: StepRef; readonly orgId: string; readonly audit: AuditEntry }> {
  const { orgId, id, name, server, databaseName, roleName } = project;
  await work.rows(markStatement.with({ orgId, id }));
  await runDeletionHooks(work, { orgId, projectId: id });
  // Sockets of its keys, and readers of its room, have lost their right.
  work.authorityChanged(orgId);
  work.afterCommit(() => forgetProjectTargets(work.services));
  return {
    ref: { orgId, projectId: id, server, databaseName, roleName },
    orgId,
    audit: { action: 'project.deleted', object: { kind: 'project', id }, orgId, details: { name } },
  };
}

/**
 * Deletes a project whose row is locked, after the commit and whatever stops in between: nobody waits for it.
 *
 * @param operation whose steps go on from here
 */
export async function deleteInSteps(
  work: Work,
  project: ProjectRow,
  operation: 'projects.delete' | 'branches.delete',
): Promise<Awaited<ReturnType<typeof beginDeletion>>> {
  const begun = await beginDeletion(work, project);
  await recordStep(work, { operation, orgId: begun.orgId, ref: begun.ref }, undefined);
  return begun;
}

/** Notes that the database of a project is dropped, whose deletion {@link beginDeletion} began. */
export async function endDeletion(work: Work, ref: StepRef): Promise<ProjectRow> {
  const [project] = await work.rows(deletedStatement.with({ orgId: ref.orgId as string, id: ref.projectId as string }));
  return project!;
}

const markStatement = statement(
  'projects.mark-deleted',
  { params: projectKey },
  (key) =>
    sql`update ${projects} ${setOf(projects, {
      state: sql`'deleting'`,
      deletedAt: sql`now()`,
      repoName: sql`null`,
    })} where ${isProject(key)}`,
);

const deletedStatement = statement(
  'projects.deleted',
  { params: projectKey, row: projectColumns },
  (key, row) => sql`update ${projects} ${setOf(projects, { state: sql`'deleted'` })} from ${orgs}
    where ${isProject(key)} and ${orgs.id} = ${projects.orgId} returning ${row}`,
);
