import { resultAsMarkdown } from '../engines/sql/markdown.ts';
import { applyExpose } from '../resolvers/project-data/apply-expose.ts';
import { getExpose } from '../resolvers/project-data/get-expose.ts';
import { getSchema } from '../resolvers/project-data/get-schema.ts';
import { runSql } from '../resolvers/project-data/run-sql.ts';
import { validateExpose, validateManifest } from '../resolvers/project-data/validate-expose.ts';
import { route } from './route.ts';

/** Paths to what a project’s database holds. Contract 01, sections 2.6, 2.7 and 2.12. */
export const projectDataRoutes = [
  route('POST', '/projects/v1/admin/:project_id/sql', 200, runSql, {}, { textAs: 'sql', asMarkdown: resultAsMarkdown }),
  route('GET', '/projects/v1/admin/:project_id/schema', 200, getSchema),
  route('POST', '/projects/v1/admin/:project_id/expose', 200, applyExpose, { manifest: 'body' }),
  route('GET', '/projects/v1/admin/:project_id/expose', 200, getExpose),
  route('POST', '/projects/v1/admin/:project_id/expose/validate', 200, validateExpose),
  route('POST', '/projects/v1/expose/validate', 200, validateManifest),
];
