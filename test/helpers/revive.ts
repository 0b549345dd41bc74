import type { Service } from './service.ts';

/** Puts back a project that a walk over every path has put away or deleted: its row, and a database that is empty again. */
export async function revive({ control, app }: Pick<Service, 'control' | 'app'>, projectId: string): Promise<void> {
  await control.sql('update projects set archived_at = null where id = $1 and archived_at is not null', [projectId]);
  const [row] = await control.sql<{ server: string; database_name: string; role_name: string }>(
    `update projects set state = 'ready', deleted_at = null where id = $1 and deleted_at is not null
     returning server, database_name, role_name`,
    [projectId],
  );
  if (row === undefined) return;
  const { server, database_name: databaseName, role_name: roleName } = row;
  await app.services.projectDatabases.provision({ server, databaseName, roleName });
}
