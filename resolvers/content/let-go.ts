import { type SQL, sql } from '../../db/drizzle.ts';
import { contentObjects, contentRemovals } from '../../db/schema/content.ts';

/**
 * Lets go of content, and notes for the object store what was let go: the beginning of a statement, in which `gone` are
 * the rows that were deleted.
 *
 * @param which rows of `content_objects`
 */
export const goneFrom = (which: SQL): SQL => sql`gone as (
    delete from ${contentObjects} where ${which} returning ${contentObjects.sha256}
  ), noted as (
    insert into ${contentRemovals} (sha256) select distinct sha256 from gone order by sha256 on conflict do nothing
  )`;
