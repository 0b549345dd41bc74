import { advisoryLock } from '../../../db/advisory-lock.ts';
import { sql } from '../../../db/drizzle.ts';
import type { Org } from '../../../db/schema/orgs.ts';
import { projectSecrets } from '../../../db/schema/secrets.ts';
import { computed, insertInto, pick, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { limitsOf } from '../../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../../kernel/limits/quota.ts';
import { sealSecret } from './secret-values.ts';

/** Gives a new project its secrets. @param values by key, which were checked @throws QUOTA_EXCEEDED */
export async function giveSecrets(
  work: Work,
  org: Pick<Org, 'id' | 'tier' | 'limitOverrides'>,
  projectId: string,
  values: ReadonlyMap<string, string>,
  updatedBy: string | null,
): Promise<void> {
  if (values.size === 0) return;
  await work.rows(advisoryLock.with({ key: `secrets:${org.id}` }));
  const [counted] = await work.rows(countStatement.with({ orgId: org.id }));
  const limit = limitsOf(org).secrets;
  if (counted!.used + values.size > limit)
    throw quotaExceeded({ scope: 'organization', metric: 'secrets' }, limit, counted!.used);
  for (const [key, value] of values) {
    const place = { orgId: org.id, projectId, key };
    const sealed = sealSecret(work.services, place, Buffer.from(value));
    await work.rows(insertStatement.with({ ...place, sealed, updatedBy }));
  }
}

const countStatement = statement(
  'secrets.count-of-org',
  { params: pick(projectSecrets, 'orgId'), row: { used: computed<number>('integer', sql`count(*)::int`) } },
  ({ orgId }, row) => sql`select ${row} from ${projectSecrets} where ${projectSecrets.orgId} = ${orgId}`,
);

const insertStatement = statement(
  'secrets.give',
  { params: pick(projectSecrets, 'orgId', 'projectId', 'key', 'sealed', 'updatedBy') },
  (given) => insertInto(projectSecrets, given),
);
