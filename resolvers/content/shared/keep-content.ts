import { sql } from '../../../db/drizzle.ts';
import { contentObjects } from '../../../db/schema/content.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';

/** Keeps content from the collector for as long as there are releases. @returns what of it is there */
export const keepContentStatement = statement(
  'content.keep',
  {
    params: { ...pick(contentObjects, 'orgId', 'projectId'), sha256s: typed<readonly string[]>('text[]') },
    row: pick(contentObjects, 'sha256'),
  },
  (given, row) => sql`update ${contentObjects} ${setOf(contentObjects, { released: sql`true`, usedAt: sql`now()` })}
    where ${contentObjects.orgId} = ${given.orgId} and ${contentObjects.projectId} = ${given.projectId}
      and ${contentObjects.sha256} = any(${given.sha256s}::text[]) returning ${row}`,
);
