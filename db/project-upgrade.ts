import type pg from 'pg';
import { templateUpgrades, templateVersion } from './project-template.ts';

/** Takes the project database that a connection is to from its version to the template's, all of it or nothing. */
export async function upgradeProject(client: pg.Client): Promise<void> {
  await client.query('begin');
  // A failure ends the connection, and the transaction with it.
  const { rows } = await client.query<{ version: number }>('select version from _svc.schema_version for update');
  const from = rows[0]!.version;
  for (let version = from + 1; version <= templateVersion; version += 1)
    for (const statement of templateUpgrades[version] ?? []) await client.query(statement);
  if (from < templateVersion) await client.query('update _svc.schema_version set version = $1', [templateVersion]);
  await client.query('commit');
}
