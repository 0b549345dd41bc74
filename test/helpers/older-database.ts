import pg from 'pg';
import { templateVersions } from '../../db/project-template.ts';

/** A project's database made anew, and empty, as an older version of the template left it: sign-in may not enter it. */
export async function makeOlder(
  serverUrl: string,
  { databaseName, roleName }: { readonly databaseName: string; readonly roleName: string },
  version: number,
): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`drop database if exists "${databaseName}" with (force)`);
  await admin.query(`create database "${databaseName}" template template0`);
  await admin.query(`revoke connect, temporary on database "${databaseName}" from public`);
  await admin.query(`grant connect on database "${databaseName}" to "${roleName}"`);
  await admin.end();
  const url = new URL(serverUrl);
  url.pathname = `/${databaseName}`;
  const inside = new pg.Client({ connectionString: url.href });
  await inside.connect();
  for (const { statements } of templateVersions.slice(0, version))
    for (const text of statements) await inside.query(text);
  await inside.query('update _svc.schema_version set version = $1', [version]);
  await inside.end();
}
