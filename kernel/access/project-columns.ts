import { projects } from '../../db/schema/projects.ts';
import { allOf, partOf } from '../../db/sql.ts';

/** The columns of a project. Those of use to upgrades and daily snapshots alone are read by these. */
export const projectColumns = allOf(projects, ['templateVersion', 'templateTriedAt', 'snapshotDueAt']);

/** The project of a row whose columns were selected under `project.`. */
export const projectOf = partOf('project.', projectColumns);
