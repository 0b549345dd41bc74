import { columnsOf } from '../../db/columns-of.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, partOf } from '../../db/sql.ts';

/** Of use to upgrades alone, which read them by themselves. */
const notRead = ['templateVersion', 'templateTriedAt'] as const;

/** The columns of a project. */
export const projectColumns = allOf(projects, notRead);

/** The select list of a project, for a statement that is written as text. */
export const projectColumnsOf = (alias: string, prefix = ''): string => columnsOf(projects, alias, prefix, notRead);

/** The project of a row whose columns were selected under `project.`. */
export const projectOf = partOf('project.', projectColumns);
