import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { releaseActivations } from '../../db/schema/errors.ts';
import { insertInto, pick, statement, typed } from '../../db/sql.ts';
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
  const [row] = await work.rows(activateStatement.with({ orgId, projectId, releaseId: id, at: at ?? null }));
  await work.rows(shortenStatement.with({ orgId, projectId, most: activationsMax }));
  return row!;
}

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

// A statement of its own: one sees what was there when it began. The history is read from its newest end.
const shortenStatement = statement(
  'errors.shorten-history',
  { params: { ...pick(releaseActivations, 'orgId', 'projectId'), most: typed<number>('bigint') } },
  ({ orgId, projectId: project, most }) => sql`with first as (
      select ${releaseActivations.activatedAt}, ${releaseActivations.seq} from ${releaseActivations}
      where ${releaseActivations.orgId} = ${orgId} and ${releaseActivations.projectId} = ${project}
      order by ${releaseActivations.activatedAt} desc, ${releaseActivations.seq} desc offset ${most} limit 1
    )
    delete from ${releaseActivations} using first
    where ${releaseActivations.orgId} = ${orgId} and ${releaseActivations.projectId} = ${project}
      and (${releaseActivations.activatedAt}, ${releaseActivations.seq}) <= (first.activated_at, first.seq)`,
);

const activateStatement = statement(
  'errors.activate',
  {
    params: {
      ...pick(releaseActivations, 'orgId', 'projectId', 'releaseId'),
      at: typed<Date | null>('timestamp with time zone'),
    },
    row: pick(releaseActivations, 'projectId', 'releaseId', 'activatedAt'),
  },
  ({ at, ...given }, row) =>
    sql`${insertInto(releaseActivations, {
      ...given,
      activatedAt: sql`date_trunc('milliseconds', least(coalesce(${at}::timestamptz, now()), now()))`,
    })} returning ${row}`,
);
