import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { functionActions } from './shared/actions.ts';
import { FunctionSummaryWire, functionToWire, liveFunctions } from './shared/live-functions.ts';

/** `GET /projects/v1/admin/:project_id/functions`. Contract 03, section 3.3. */
export const listFunctions = query({
  name: 'functions.list',
  tool: 'list_functions',
  command: 'functions list',
  summary:
    'The functions of a project’s live release, with where they are called what they run with, and when by themselves.',
  path: 'GET /projects/v1/admin/:project_id/functions',
  access: onProject(functionActions['project:functions:read'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId }),
  handler: (ctx) => liveFunctions(ctx.services, ctx, ctx.services.db.rows),
  wire: z.object({ functions: z.array(FunctionSummaryWire) }),
  toWire: (functions) => ({ functions: functions.map(functionToWire) }),
});
