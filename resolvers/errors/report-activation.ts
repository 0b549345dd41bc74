import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { activationsMax, noteReleases } from './known-releases.ts';
import { happenedAt, onReportedProject, releaseId } from './report-input.ts';
import type { ReportedProject } from './reported.ts';

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
  const { orgId, projectId } = project;
  const [row] = await work.rows<Activation>(activateStatement, [orgId, projectId, id, at ?? null]);
  await work.rows(shortenStatement, [orgId, projectId, activationsMax]);
  return row!;
}

/** `POST /projects/v1/:id/errors/activations`, until deploys say so themselves. */
export const reportActivation = mutation({
  name: 'errors.reportActivation',
  tool: 'report_release_activation',
  command: 'errors report-activation',
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

// A statement of its own: one sees what was there when it began. The history is read from its newest end.
const shortenStatement: Statement = {
  name: 'errors.shorten-history',
  text: `with first as (
      select activated_at, seq from release_activations where org_id = $1 and project_id = $2
      order by activated_at desc, seq desc offset $3 limit 1
    )
    delete from release_activations a using first
    where a.org_id = $1 and a.project_id = $2 and (a.activated_at, a.seq) <= (first.activated_at, first.seq)`,
};

const activateStatement: Statement = {
  name: 'errors.activate',
  text: `insert into release_activations (org_id, project_id, release_id, activated_at)
    values ($1, $2, $3, date_trunc('milliseconds', least(coalesce($4::timestamptz, now()), now())))
    returning project_id as "projectId", release_id as "releaseId", activated_at as "activatedAt"`,
};
