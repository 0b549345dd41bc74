import { sql } from '../../../db/drizzle.ts';
import { releaseActivations } from '../../../db/schema/errors.ts';
import { insertInto, pick, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { activationsMax, noteReleases } from '../known-releases.ts';
import type { ReportedProject } from '../reported.ts';

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
