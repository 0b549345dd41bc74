import type { Service } from './service.ts';

/**
 * Puts back a project that a walk over every path has deleted or put away: its row, and a database, empty if it was
 * deleted. What can be made once with an id of the caller's is gone, so that it can be made again.
 */
export async function revive({ control, app }: Pick<Service, 'control' | 'app'>, projectId: string): Promise<void> {
  await control.sql('delete from room_invites where room_key = $1', [projectId]);
  await control.sql('delete from job_types where project_id = $1', [projectId]);
  await control.sql('delete from project_credentials where project_id = $1', [projectId]);
  await control.sql('delete from mailboxes where project_id = $1', [projectId]);
  await control.sql('delete from project_snapshots where project_id = $1', [projectId]);
  await control.sql('delete from project_branches where parent_id = $1', [projectId]);
  await control.sql('delete from mailbox_webhooks where project_id = $1', [projectId]);
  await control.sql(
    `delete from channel_communities where status = 'pending' and org_id = (select org_id from projects where id = $1)`,
    [projectId],
  );
  await control.sql('update rooms set archived_at = null where key = $1', [projectId]);
  const [row] = await control.sql<{ server: string; database_name: string; role_name: string }>(
    `update projects set state = 'ready', deleted_at = null, archived_at = null
     where id = $1 and (deleted_at is not null or archived_at is not null)
     returning server, database_name, role_name`,
    [projectId],
  );
  if (row === undefined) return;
  const { server, database_name: databaseName, role_name: roleName } = row;
  await app.services.projectDatabases.provision({ server, databaseName, roleName });
}
