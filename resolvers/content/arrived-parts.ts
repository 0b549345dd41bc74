import { sql } from '../../db/drizzle.ts';
import { contentParts } from '../../db/schema/content.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';

/** The parts of some uploads that have come, as upload and number. */
export async function arrivedOf(work: Work, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await work.rows(arrivedStatement.with({ ids }));
  return new Set(rows.map(({ uploadId, number }) => `${uploadId} ${number}`));
}

const arrivedStatement = statement(
  'content.arrived-parts',
  { params: { ids: typed<readonly string[]>('text[]') }, row: pick(contentParts, 'uploadId', 'number') },
  ({ ids }, row) => sql`select ${row} from ${contentParts} where ${contentParts.uploadId} = any(${ids}::text[])`,
);
