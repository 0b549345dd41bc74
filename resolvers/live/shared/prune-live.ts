import type { Statement } from '../../../db/pool.ts';
import type { Context, Services } from '../../../kernel/run/context.ts';

/** Notes that a project has live tables, so that its hints are pruned although nobody follows them. */
export const noteLive = ({ db }: Pick<Services, 'db'>, projectId: string): Promise<unknown> =>
  db.rows(noteStatement, [projectId]);

/** Takes the note back. What is left over is pruned when there are live tables again. */
export const forgetLive = ({ db }: Pick<Services, 'db'>, projectId: string): Promise<unknown> =>
  db.rows(forgetStatement, [projectId]);

/** Prunes the hints of all projects that have any. One that cannot be reached waits for the next time. */
export async function pruneLive({ services, signal }: Context): Promise<void> {
  await services.db.rows(forgetGoneStatement, []);
  let last = '';
  for (;;) {
    const projects = await services.db.rows<Row>(pageStatement, [last]);
    for (const { project_id, server, database_name: databaseName, role_name: roleName } of projects) {
      signal.throwIfAborted();
      last = project_id;
      await services.live.prune({ server, databaseName, roleName }).catch((error: unknown) => {
        services.log.warn({ err: error, project_id }, 'Hints of a project could not be pruned.');
      });
    }
    if (projects.length === 0) return;
  }
}

interface Row {
  readonly project_id: string;
  readonly server: string;
  readonly database_name: string;
  readonly role_name: string;
}

const noteStatement: Statement = {
  name: 'live.note',
  text: 'insert into live_projects (project_id) values ($1) on conflict do nothing',
};

const forgetStatement: Statement = { name: 'live.unnote', text: 'delete from live_projects where project_id = $1' };

const forgetGoneStatement: Statement = {
  name: 'live.unnoteGone',
  text: `delete from live_projects l where not exists (
    select from projects p where p.id = l.project_id and p.deleted_at is null)`,
};

const pageStatement: Statement = {
  name: 'live.noted',
  text: `select l.project_id, p.server, p.database_name, p.role_name
    from live_projects l join projects p on p.id = l.project_id
    where l.project_id > $1 and p.state = 'ready' and p.deleted_at is null order by l.project_id limit 100`,
};
