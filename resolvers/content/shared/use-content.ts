import { sql } from '../../../db/drizzle.ts';
import { contentObjects } from '../../../db/schema/content.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';

/** Whose content is meant. */
export interface ContentOwner {
  readonly orgId: string;
  readonly projectId: string;
}

const asked = { ...pick(contentObjects, 'orgId', 'projectId'), sha256s: typed<readonly string[]>('text[]') };

/**
 * The sizes of those objects that a project holds, by their SHA-256, noted as used: the collector then leaves them alone
 * for a day. What other projects hold does not count: nobody may learn of it.
 */
export async function useContent(
  rows: Rows,
  { orgId, projectId }: ContentOwner,
  sha256s: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const held = await rows(useStatement.with({ orgId, projectId, sha256s }));
  return new Map(held.map(({ sha256, size }) => [sha256, Number(size)]));
}

const row = pick(contentObjects, 'sha256', 'size');

const useStatement = statement(
  'content.use',
  { params: asked, row },
  (given, columns) => sql`update ${contentObjects} ${setOf(contentObjects, { usedAt: sql`now()`, givenUp: sql`false` })}
    where ${contentObjects.orgId} = ${given.orgId} and ${contentObjects.projectId} = ${given.projectId}
      and ${contentObjects.sha256} = any(${given.sha256s}::text[]) returning ${columns}`,
);
