import { sql } from '../../../db/drizzle.ts';
import { liveProjects } from '../../../db/schema/live.ts';
import { projects } from '../../../db/schema/projects.ts';
import { insertInto, pick, statement } from '../../../db/sql.ts';
import type { Context, Services } from '../../../kernel/run/context.ts';

/** Notes that a project has live tables, so that its hints are pruned although nobody follows them. */
export const noteLive = ({ db }: Pick<Services, 'db'>, projectId: string): Promise<unknown> =>
  db.rows(noteStatement.with({ projectId }));

/** Takes the note back. What is left over is pruned when there are live tables again. */
export const forgetLive = ({ db }: Pick<Services, 'db'>, projectId: string): Promise<unknown> =>
  db.rows(forgetStatement.with({ projectId }));

/** Prunes the hints of all projects that have any. One that cannot be reached waits for the next time. */
export async function pruneLive({ services, signal }: Context): Promise<void> {
  await services.db.rows(forgetGoneStatement.with({}));
  let last = '';
  for (;;) {
    const page = await services.db.rows(pageStatement.with({ after: last }));
    for (const { projectId, server, databaseName, roleName } of page) {
      signal.throwIfAborted();
      last = projectId;
      await services.live.prune({ server, databaseName, roleName }).catch((error: unknown) => {
        services.log.warn({ err: error, project_id: projectId }, 'Hints of a project could not be pruned.');
      });
    }
    if (page.length === 0) return;
  }
}

const noteStatement = statement(
  'live.note',
  { params: pick(liveProjects, 'projectId') },
  (given) => sql`${insertInto(liveProjects, given)} on conflict do nothing`,
);

const forgetStatement = statement(
  'live.unnote',
  { params: pick(liveProjects, 'projectId') },
  ({ projectId }) => sql`delete from ${liveProjects} where ${liveProjects.projectId} = ${projectId}`,
);

const forgetGoneStatement = statement(
  'live.unnoteGone',
  {},
  () => sql`delete from ${liveProjects} where not exists (
    select from ${projects} where ${projects.id} = ${liveProjects.projectId} and ${projects.deletedAt} is null)`,
);

const pageStatement = statement(
  'live.noted',
  {
    params: { after: liveProjects.projectId },
    row: { ...pick(liveProjects, 'projectId'), ...pick(projects, 'server', 'databaseName', 'roleName') },
  },
  ({ after }, row) => sql`select ${row}
    from ${liveProjects} join ${projects} on ${projects.id} = ${liveProjects.projectId}
    where ${liveProjects.projectId} > ${after} and ${projects.state} = 'ready' and ${projects.deletedAt} is null
    order by ${liveProjects.projectId} limit 100`,
);
