import { rebuildFunctions } from '../resolvers/function-changes/rebuild-functions.ts';
import { cancelFunctionRun, redriveFunctionRun } from '../resolvers/functions/runs/change-run.ts';
import { createFunctionRun } from '../resolvers/functions/runs/create-run.ts';
import { getFunctionRun, getFunctionRunLogs, listFunctionRuns } from '../resolvers/functions/runs/read-runs.ts';
import { route } from './route.ts';

const inQuery = { project: ['query project_id', 'query project'] } as const;
const inBody = { project: ['body project_id', 'body project'] } as const;
const byKey = { keyDecides: true } as const;
const one = '/functions/v1/runs/:run_id';

/** Paths of runs of functions. Contract 03, section 3.6. */
export const functionRunRoutes = [
  route('POST', '/projects/v1/:project_id/functions/:name/rebuild', 200, rebuildFunctions),
  route('POST', '/projects/v1/:project_id/functions/rebuild', 200, rebuildFunctions),
  route(
    'POST',
    '/functions/v1/:name/runs',
    { usual: 202, of: ({ deduplicated }) => (deduplicated ? 200 : 202) },
    createFunctionRun,
    inBody,
    byKey,
  ),
  route(
    'GET',
    '/functions/v1/:name/runs',
    200,
    listFunctionRuns,
    { ...inQuery, after: 'query cursor', before: null, from_end: null },
    byKey,
  ),
  route('GET', one, 200, getFunctionRun, {}, byKey),
  route('GET', `${one}/logs`, 200, getFunctionRunLogs, {}, byKey),
  route('POST', `${one}/cancel`, 200, cancelFunctionRun, {}, byKey),
  route('POST', `${one}/redrive`, 200, redriveFunctionRun, {}, byKey),
];
