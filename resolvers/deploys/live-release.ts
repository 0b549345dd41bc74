import { sql } from '../../db/drizzle.ts';
import { liveReleases } from '../../db/schema/releases.ts';
import { pick, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import type { ReleaseOwner } from './release-store.ts';

/** What a project serves now. */
export interface LiveRelease {
  /** Null before the first one. */
  readonly releaseId: string | null;
  readonly generation: bigint;
  /** The operation whose migrations run now. */
  readonly gatedBy: string | null;
}

const none: LiveRelease = { releaseId: null, generation: 0n, gatedBy: null };

export async function findLive(rows: Rows, owner: ReleaseOwner): Promise<LiveRelease> {
  const [found] = await rows(findStatement.with(owner));
  return found ?? none;
}

const findStatement = statement(
  'releases.live',
  { params: pick(liveReleases, 'orgId', 'projectId'), row: pick(liveReleases, 'releaseId', 'generation', 'gatedBy') },
  (given, row) => sql`select ${row} from ${liveReleases}
    where ${liveReleases.orgId} = ${given.orgId} and ${liveReleases.projectId} = ${given.projectId}`,
);
