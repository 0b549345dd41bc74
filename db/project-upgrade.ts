import type pg from 'pg';
import { statementsSince, templateVersion } from './project-template.ts';

/**
 * Takes the project database that a connection is to from its version to the template's, in one transaction; a newer
 * version stays.
 */
export async function upgradeProject(client: pg.Client): Promise<void> {
  // Nothing of the tenant's is to be found by a name that is ours. A failure ends the connection, and this with it.
  await client.query("begin; set local search_path to ''");
  const { rows } = await client.query<{ version: number }>('select version from _svc.schema_version for update');
  const { version } = rows[0]!;
  const statements = version < templateVersion ? statementsSince(version) : [];
  for (const statement of statements) await client.query(statement);
  await client.query('commit');
}
