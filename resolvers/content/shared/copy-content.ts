import { alias, sql } from '../../../db/drizzle.ts';
import { contentObjects } from '../../../db/schema/content.ts';
import { from, namesOf, pick, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { keepContentLock } from './content-lock.ts';
import type { ContentOwner } from './use-content.ts';

/** Whose content becomes whose, too. */
export interface ContentCopy {
  readonly source: ContentOwner;
  readonly target: ContentOwner;
}

/**
 * Has a project hold what another one holds. The bytes are stored once.
 *
 * @param as what names them there
 */
export async function copyContent(
  work: Work,
  { source: from, target: to }: ContentCopy,
  sha256s: readonly string[],
  as: 'released' | 'named',
): Promise<void> {
  if (sha256s.length === 0) return;
  await work.rows(keepContentLock.with({}));
  await work.rows(
    copyStatement.with({
      sourceOrg: from.orgId,
      source: from.projectId,
      targetOrg: to.orgId,
      target: to.projectId,
      sha256s: [...new Set(sha256s)],
      named: as === 'named',
    }),
  );
}

const source = alias(contentObjects, 'source');

const copyStatement = statement(
  'content.copy',
  {
    params: {
      ...pick(contentObjects, 'named'),
      sourceOrg: typed<string>('uuid'),
      source: typed<string>('text'),
      targetOrg: typed<string>('uuid'),
      target: typed<string>('text'),
      sha256s: typed<readonly string[]>('text[]'),
    },
  },
  ({ sourceOrg, source: owner, targetOrg, target, sha256s, named }) => sql`insert into ${contentObjects} (${namesOf(
    contentObjects.orgId,
    contentObjects.projectId,
    contentObjects.sha256,
    contentObjects.size,
    contentObjects.released,
    contentObjects.named,
  )}) select ${targetOrg}::uuid, ${target}, ${source.sha256}, ${source.size}, not ${named}, ${named}
    from ${from(source)} where ${source.orgId} = ${sourceOrg} and ${source.projectId} = ${owner}
      and ${source.sha256} = any(${sha256s}::text[])
    on conflict (${namesOf(contentObjects.orgId, contentObjects.projectId, contentObjects.sha256)}) do update
    set released = ${contentObjects.released} or not ${named}, named = ${contentObjects.named} or ${named}`,
);
