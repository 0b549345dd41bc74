import { resultAsMarkdown } from '../engines/sql/markdown.ts';
import { applyExpose } from '../resolvers/project-data/apply-expose.ts';
import { runSql } from '../resolvers/project-data/run-sql.ts';
import { route } from './route.ts';

/** Paths to what a project’s database holds. Contract 01, sections 2.6, 2.7 and 2.12. */
export const projectDataRoutes = [
  route('POST', '/projects/v1/admin/:project_id/sql', 200, runSql, {}, { textAs: 'sql', asMarkdown: resultAsMarkdown }),
  route('POST', '/projects/v1/admin/:project_id/expose', 200, applyExpose, {
    manifest: 'body',
    revision: 'query revision',
  }),
];
