import { columnsOf, partOf } from '../../db/columns-of.ts';
import { projects } from '../../db/schema/projects.ts';

/** Of use to upgrades alone, which read them by themselves. */
const notRead = ['templateVersion', 'templateTriedAt'] as const;

/** The select list of a project. */
export const projectColumnsOf = (alias: string, prefix = ''): string => columnsOf(projects, alias, prefix, notRead);

/** The project of a row whose columns were selected under `project.`. */
export const projectOf = partOf(projects, 'project.', notRead);
