import { type SQL, sql } from '../../db/drizzle.ts';
import { contentObjects, contentUploads } from '../../db/schema/content.ts';
import { snapshotObjects } from '../../db/schema/snapshots.ts';

/**
 * Whether somebody holds an object, or is about to: the one condition under which the object store keeps it. Whatever holds
 * objects besides has to be named here.
 *
 * @param sha256 an expression
 */
export const isHeld = (sha256: SQL): SQL => sql`(
    exists (select from ${contentObjects} where ${contentObjects.sha256} = ${sha256})
    or exists (select from ${contentUploads} where ${contentUploads.sha256} = ${sha256})
    or exists (select from ${snapshotObjects} where ${snapshotObjects.sha256} = ${sha256}))`;
