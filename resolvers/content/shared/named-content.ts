import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { assets, assetVersions } from '../../../db/schema/assets.ts';
import { contentObjects, type PlannedContent } from '../../../db/schema/content.ts';
import { jobArtifacts } from '../../../db/schema/jobs.ts';
import { mailboxMessages } from '../../../db/schema/mailboxes.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ContentOwner } from './use-content.ts';

/**
 * Notes that assets, mails or artifacts of jobs name content, which is then kept. In the transaction that writes them, with the row of the project
 * locked.
 *
 * @throws CONTENT_MISSING for what the project does not hold
 */
export async function nameContent(rows: Rows, owner: ContentOwner, content: readonly PlannedContent[]): Promise<void> {
  if (content.length === 0) return;
  const sha256s = [...new Set(content.map(({ sha256 }) => sha256))];
  const held = await rows(nameStatement.with({ ...owner, sha256s }));
  const sizes = new Map(held.map(({ sha256, size }) => [sha256, Number(size)]));
  const missing = content.filter(({ sha256, size }) => sizes.get(sha256) !== size);
  if (missing.length > 0)
    throw new ServiceError('CONTENT_MISSING', {
      details: { missing: missing.slice(0, 100).map(({ sha256 }) => sha256) },
    });
}

/** Gives up what no asset, no mail and no artifact names any more, of content that one of them has named until now. */
export async function giveUpContent(rows: Rows, owner: ContentOwner, sha256s: readonly string[]): Promise<void> {
  if (sha256s.length > 0) await rows(giveUpStatement.with({ ...owner, sha256s }));
}

const params = { ...pick(contentObjects, 'orgId', 'projectId'), sha256s: typed<readonly string[]>('text[]') };

const nameStatement = statement(
  'content.name',
  { params, row: pick(contentObjects, 'sha256', 'size') },
  (given, row) => sql`update ${contentObjects}
    ${setOf(contentObjects, { named: sql`true`, givenUp: sql`false`, usedAt: sql`now()` })}
    where ${contentObjects.orgId} = ${given.orgId} and ${contentObjects.projectId} = ${given.projectId}
      and ${contentObjects.sha256} = any(${given.sha256s}::text[]) returning ${row}`,
);

// It goes after an hour, unless something has come to name it within a day: a plan counts on it for as long.
const giveUpStatement = statement(
  'content.give-up',
  { params },
  (given) => sql`update ${contentObjects} ${setOf(contentObjects, {
    named: sql`false`,
    givenUp: sql`not ${contentObjects.released}`,
    usedAt: sql`least(greatest(${contentObjects.usedAt}, now() - interval '24 hours'), now())`,
  })}
    where ${contentObjects.orgId} = ${given.orgId} and ${contentObjects.projectId} = ${given.projectId}
      and ${contentObjects.sha256} = any(${given.sha256s}::text[]) and ${contentObjects.named}
      and not exists (select from ${assets} where ${assets.projectId} = ${contentObjects.projectId}
        and ${assets.sha256} = ${contentObjects.sha256} and ${assets.orgId} = ${contentObjects.orgId})
      and not exists (select from ${assetVersions} where ${assetVersions.projectId} = ${contentObjects.projectId}
        and ${assetVersions.sha256} = ${contentObjects.sha256} and ${assetVersions.orgId} = ${contentObjects.orgId}
        and ${assetVersions.retiredAt} is null)
      and not exists (select from ${mailboxMessages} where ${mailboxMessages.rawSha256} = ${contentObjects.sha256}
        and ${mailboxMessages.projectId} = ${contentObjects.projectId})
      and not exists (select from ${jobArtifacts} where ${jobArtifacts.projectId} = ${contentObjects.projectId}
        and ${jobArtifacts.sha256} = ${contentObjects.sha256})`,
);
