import type { Service } from './service.ts';

/** Undoes the deletion of a project: it is ready again, on a new database. */
export async function revive(
  { control, app }: Pick<Service, 'control' | 'app'>,
  projectId: string,
): Promise<undefined> {
  const [row] = await control.sql<Record<'server' | 'database_name' | 'role_name', string>>(
    `update projects set state = 'ready', deleted_at = null where id = $1 returning server, database_name, role_name`,
    [projectId],
  );
  if (row === undefined) return;
  const { server, database_name: databaseName, role_name: roleName } = row;
  await app.services.projectDatabases.provision({ server, databaseName, roleName });
}
