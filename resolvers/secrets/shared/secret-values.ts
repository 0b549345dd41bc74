import { sql } from '../../../db/drizzle.ts';
import { projectSecrets } from '../../../db/schema/secrets.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Services } from '../../../kernel/run/context.ts';

interface SecretPlace {
  readonly orgId: string;
  readonly projectId: string;
  readonly key: string;
}

/** A value opens for its own project and key alone: a row that is moved to another one is worth nothing there. */
const contextOf = ({ orgId, projectId, key }: SecretPlace) => `${orgId} ${projectId} ${key}`;

/** A value as it is stored. */
export const sealSecret = ({ keys }: Pick<Services, 'keys'>, place: SecretPlace, value: Buffer): Buffer =>
  keys.seal('project-secrets', value, contextOf(place));

/** The value of what is stored. */
export const openSecret = ({ keys }: Pick<Services, 'keys'>, place: SecretPlace, sealed: Buffer): Buffer =>
  keys.open('project-secrets', sealed, contextOf(place));

/** The secrets of a project in clear, by key: for the environment of its functions alone. */
export async function secretValues(
  services: Pick<Services, 'db' | 'keys'>,
  owner: Omit<SecretPlace, 'key'>,
): Promise<Readonly<Record<string, string>>> {
  const rows = await services.db.rows(valuesStatement.with(owner));
  return Object.fromEntries(
    rows.map(({ key, sealed }) => [key, openSecret(services, { ...owner, key }, sealed).toString('utf8')]),
  );
}

const valuesStatement = statement(
  'secrets.values',
  { params: pick(projectSecrets, 'orgId', 'projectId'), row: pick(projectSecrets, 'key', 'sealed'), pipelined: true },
  (given, row) => sql`select ${row} from ${projectSecrets} where ${projectSecrets.orgId} = ${given.orgId}
    and ${projectSecrets.projectId} = ${given.projectId} order by ${projectSecrets.key}`,
);
