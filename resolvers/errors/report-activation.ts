import { z } from 'zod';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { happenedAt, onReportedProject, releaseId } from './report-input.ts';
import { recordActivation } from './shared/record-activation.ts';

/** `POST /projects/v1/:id/errors/activations`, until deploys say so themselves. */
export const reportActivation = mutation({
  name: 'errors.reportActivation',
  tool: 'report_release_activation',
  command: 'errors report-activation',
  summary: 'Report that a release became the active one of a project, so that its failures are told from older ones.',
  path: 'POST /projects/v1/:project_id/errors/activations',
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
