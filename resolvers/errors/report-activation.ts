import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { projectId } from '../fields.ts';
import { mutation } from '../operation.ts';
import type { Work } from '../unit-of-work.ts';
import { noteReleases } from './known-releases.ts';
import type { ReportedProject } from './record-occurrences.ts';
import { happenedAt, onReportedProject, releaseId } from './report-input.ts';

export interface Activation {
  readonly projectId: string;
  readonly releaseId: string;
  readonly activatedAt: Date;
}

/**
 * Notes that a release became the active one. One that becomes active again, by a rollback, is noted again: what was
 * active before a release is told by this history, not by what it was made from.
 */
export async function recordActivation(
  work: Work,
  project: ReportedProject,
  { releaseId: id, at }: { readonly releaseId: string; readonly at?: Date | undefined },
): Promise<Activation> {
  await noteReleases(work, project, [id]);
  const values = [project.orgId, project.projectId, id, at ?? null];
  const [row] = await work.rows<Activation>(activateStatement, values);
  return row!;
}

/** `POST /projects/v1/:id/errors/activations`, until deploys say so themselves. */
export const reportActivation = mutation({
  name: 'errors.reportActivation',
  summary: 'Report that a release became the active one of a project, so that its failures are told from older ones.',
  access: onReportedProject,
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    release_id: releaseId.describe('The release, `rel_…`.'),
    at: happenedAt.optional(),
  }),
  handler: (work, { release_id, at }) =>
    recordActivation(work, { orgId: work.org.id, projectId: work.project.id }, { releaseId: release_id, at }),
  audit: (activation) => ({
    action: 'project.release_activated',
    object: { kind: 'project', id: activation.projectId },
    details: { release_id: activation.releaseId, activated_at: activation.activatedAt.toISOString() },
  }),
  wire: z.object({ project_id: z.string(), release_id: z.string(), activated_at: z.iso.datetime() }),
  toWire: (activation) => ({
    project_id: activation.projectId,
    release_id: activation.releaseId,
    activated_at: activation.activatedAt.toISOString(),
  }),
});

const activateStatement: Statement = {
  name: 'errors.activate',
  text: `insert into release_activations (org_id, project_id, release_id, activated_at)
    values ($1, $2, $3, date_trunc('milliseconds', least(coalesce($4::timestamptz, now()), now())))
    returning project_id as "projectId", release_id as "releaseId", activated_at as "activatedAt"`,
};
