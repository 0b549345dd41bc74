import { sql } from '../../../db/drizzle.ts';
import { liveReleases } from '../../../db/schema/releases.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** What a project serves, and since when. */
export interface LastDeploy {
  readonly releaseId: string;
  readonly activatedAt: Date;
}

/** The latest deploys of projects, in the order given, by one statement; null for a project that was never deployed to. */
export async function lastDeploysOf(
  { db }: Pick<Services, 'db'>,
  projects: readonly { readonly orgId: string; readonly id: string }[],
): Promise<(LastDeploy | null)[]> {
  if (projects.length === 0) return [];
  const found = await db.rows(
    lastStatement.with({ orgIds: projects.map(({ orgId }) => orgId), ids: projects.map(({ id }) => id) }),
  );
  const byId = new Map(found.map((row) => [row.projectId, row]));
  return projects.map(({ id }) => {
    const { releaseId = null, changedAt = null } = byId.get(id) ?? {};
    return releaseId === null || changedAt === null ? null : { releaseId, activatedAt: changedAt };
  });
}

const lastStatement = statement(
  'projects.last-deploys',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]'), ids: typed<readonly string[]>('text[]') },
    row: pick(liveReleases, 'projectId', 'releaseId', 'changedAt'),
    pipelined: true,
  },
  ({ orgIds, ids }, row) => sql`select ${row} from ${liveReleases}
    where (${liveReleases.orgId}, ${liveReleases.projectId}) in
      (select * from unnest(${orgIds}::uuid[], ${ids}::text[]))`,
);
