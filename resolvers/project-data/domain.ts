import { domain } from '../../kernel/run/domain.ts';
import { applyExpose } from './apply-expose.ts';
import { projectDataErrors } from './error-codes.ts';
import { getAccess } from './get-access.ts';
import { getExpose } from './get-expose.ts';
import { getSchema } from './get-schema.ts';
import { runSql } from './run-sql.ts';
import { projectDataActions } from './shared/actions.ts';
import { validateExpose, validateManifest } from './validate-expose.ts';

export const projectData = domain('project-data', {
  errors: projectDataErrors,
  actions: projectDataActions,
  operations: [runSql, getSchema, getAccess, applyExpose, getExpose, validateExpose, validateManifest],
});
