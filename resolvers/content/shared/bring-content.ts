import { sql } from '../../../db/drizzle.ts';
import { contentObjects, type PlannedContent } from '../../../db/schema/content.ts';
import { namesOf, pick, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { keepContentLock } from './content-lock.ts';
import type { ContentOwner } from './use-content.ts';

/** Has a project hold objects that are in the store and held by somebody. @param released whether a release is about to name them */
export async function bringContent(
  work: Work,
  owner: ContentOwner,
  content: readonly PlannedContent[],
  released: boolean,
): Promise<void> {
  if (content.length === 0) return;
  await work.rows(keepContentLock.with({}));
  await work.rows(
    bringStatement.with({
      ...owner,
      released,
      sha256s: content.map(({ sha256 }) => sha256),
      sizes: content.map(({ size }) => size),
    }),
  );
}

const bringStatement = statement(
  'content.bring',
  {
    params: {
      ...pick(contentObjects, 'orgId', 'projectId', 'released'),
      sha256s: typed<readonly string[]>('text[]'),
      sizes: typed<readonly number[]>('bigint[]'),
    },
  },
  ({ orgId, projectId, released, sha256s, sizes }) => sql`insert into ${contentObjects}
    (${namesOf(contentObjects.orgId, contentObjects.projectId, contentObjects.sha256, contentObjects.size, contentObjects.released)})
    select ${orgId}::uuid, ${projectId}, given.sha256, given.size, ${released}::boolean
    from (select distinct on (sha256) sha256, size from unnest(${sha256s}::text[], ${sizes}::bigint[]) as one (sha256, size)) given
    order by given.sha256
    on conflict (${namesOf(contentObjects.orgId, contentObjects.projectId, contentObjects.sha256)}) do update
    set released = ${contentObjects.released} or excluded.released, used_at = now()`,
);
