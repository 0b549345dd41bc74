import type { Statement } from '../../db/pool.ts';
import type { Work } from '../unit-of-work.ts';
import { projectColumns } from './load-projects.ts';
import type { ProjectRow } from './wire.ts';

/**
 * A project with its row locked until the change is committed, so that changes of one project happen one after the
 * other; undefined when it was deleted since the caller was admitted.
 */
export async function lockProject(work: Work, projectId: string): Promise<ProjectRow | undefined> {
  const [project] = await work.rows<ProjectRow>(lockStatement, [projectId]);
  return project;
}

const lockStatement: Statement = {
  name: 'projects.lock',
  text: `select ${projectColumns} from projects p join orgs o on o.id = p.org_id
    where p.id = $1 and p.deleted_at is null for update of p`,
};
