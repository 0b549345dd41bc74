import { alias, type SQL, sql } from '../../../db/drizzle.ts';
import { projects } from '../../../db/schema/projects.ts';
import { from } from '../../../db/sql.ts';

const one = alias(projects, 'one');

/**
 * Whether a project counts beside another one of its organization, where what all of them have is limited. Branches never do,
 * and a branch stands in the place of the project that it was made from.
 */
export const isElsewhere = (projectId: SQL): SQL => sql`${projects.deletedAt} is null and ${projects.branch} is null
  and ${projects.id} <> ${projectId} and ${projects.id} <> coalesce(
    (select ${one.branch}->>'parentId' from ${from(one)} where ${one.id} = ${projectId}), '')`;
