import { type SQL, sql } from '../../../db/drizzle.ts';
import { contentRemovals } from '../../../db/schema/content.ts';
import { projectSnapshots, snapshotObjects } from '../../../db/schema/snapshots.ts';

/**
 * Lets go of what snapshots hold, and notes it for the object store: the beginning of a statement.
 *
 * @param which rows of `project_snapshots`
 */
export const goneOfSnapshots = (which: SQL): SQL =>
  goneOfCopies(sql`select ${projectSnapshots.id} from ${projectSnapshots} where ${which}`);

/** The same for copies of any kind. @param ids a query @param which of what they hold. @default all */
export const goneOfCopies = (ids: SQL, which: SQL = sql`true`): SQL => sql`gone as (
    delete from ${snapshotObjects} where ${snapshotObjects.snapshotId} in (${ids}) and ${which}
    returning ${snapshotObjects.sha256}
  ), noted as (
    insert into ${contentRemovals} (sha256) select distinct sha256 from gone order by sha256 on conflict do nothing
  )`;
