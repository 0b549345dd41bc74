import { sql } from '../../../db/drizzle.ts';
import { projectSecrets } from '../../../db/schema/secrets.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { ReleaseOwner } from '../release-store.ts';

/** Keys of the secrets that a project holds. */
export async function secretKeysOf(services: Pick<Services, 'db'>, owner: ReleaseOwner): Promise<ReadonlySet<string>> {
  const rows = await services.db.rows(secretsStatement.with(owner));
  return new Set(rows.map(({ key }) => key));
}

const secretsStatement = statement(
  'deploys.secret-keys',
  { params: pick(projectSecrets, 'orgId', 'projectId'), row: pick(projectSecrets, 'key') },
  (given, row) => sql`select ${row} from ${projectSecrets}
    where ${projectSecrets.orgId} = ${given.orgId} and ${projectSecrets.projectId} = ${given.projectId}`,
);
