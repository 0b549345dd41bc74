import { randomUUID } from 'node:crypto';
import { releasesOf } from './releases-of.ts';
import type { Stage, Surfaces } from './surface.ts';

export const functionSurfaces = ({ params, service }: Stage): Surfaces => {
  const name = 'talker';
  /** A function that has printed a line. */
  const printed = async () => {
    await service.control.sql(
      `insert into function_logs (org_id, project_id, position, function, release_id, stream, message, at)
       select org_id, id, 1, $2, 'rel_none', 'stdout', 'hello', now() from projects
       where id = $1 and not exists (select from function_logs where project_id = $1)`,
      [params.project_id, name],
    );
    return { name };
  };
  /** A function of the live release. */
  const released = async () => {
    await service.control.sql(
      `insert into release_functions (org_id, project_id, release_id, name, fingerprint)
       select org_id, id, $2, $3, '' from projects where id = $1 on conflict do nothing`,
      [params.project_id, await releasesOf({ params, service }).live(), name],
    );
    return { name };
  };
  /** The same, which can be called and built. */
  const answering = async () => {
    await releasesOf({ params, service }).withFunction(name);
    return { name };
  };
  const idOf = () => `fnrun_of_${params.project_id!}`;
  /** A run that stands so, and that no node takes meanwhile. */
  const run = (status: string) => async () => {
    await service.control.sql('delete from function_runs where id = $1', [idOf()]);
    await service.control.sql(
      `insert into function_runs (id, org_id, project_id, function, event_type, source, source_type, idempotency_key, intent,
         payload, max_attempts, min_delay_seconds, max_delay_seconds, status, run_at, due_at, completed_at)
       select $2, org_id, id, $3, 'tried', '{"type":"api"}', 'api', $2, '', '{}', 5, 30, 21600, $4, now(),
         case when $4 = 'scheduled' then now() + interval '1 day' end, case when $4 = 'failed' then now() end
       from projects where id = $1`,
      [params.project_id, idOf(), name, status],
    );
    return { run_id: idOf() };
  };
  /** How a run was told after the change, which no attempt writes again. */
  const ofRun = (action: string, status: string) => ({
    action,
    kind: 'function_run',
    objectId: 'run_id',
    written: `select xmin::text from feed_changes where object_id = $1 and change ->> 'status' = '${status}'
      order by position desc limit 1`,
  });
  const ofFunction = (action: string) => ({
    action,
    kind: 'function',
    objectId: 'name',
    written: `select xmin::text from audit_events where action = '${action}' and object_id = $1 order by seq desc limit 1`,
  });
  const change = 'A + + F N + A F';
  const read = 'A + + + + + A F';
  const asked = () => ({ event_type: 'tried', idempotency_key: randomUUID(), delay_seconds: 86_400 });
  const changeOf = (field: string) => () => `mutation { ${field}(input: { run: "${idOf()}" }) { runId } }`;
  return {
    'POST /functions/v1/:name/runs': {
      cells: change,
      prepare: released,
      body: () => ({ project_id: params.project_id, ...asked() }),
      audited: ofRun('function_run.created', 'scheduled'),
      field: () => `mutation { createFunctionRun(input: { project: "${params.project_id}", name: "${name}",
        eventType: "tried", idempotencyKey: "${randomUUID()}", delaySeconds: 86400 }) { runId } }`,
    },
    'GET /functions/v1/:name/runs': {
      cells: read,
      prepare: released,
      search: () => `?project_id=${params.project_id}`,
      field: () =>
        `{ project(id: "${params.project_id}") { functionRuns(name: "${name}") { edges { node { runId } } } } }`,
    },
    'GET /functions/v1/runs/:run_id': {
      cells: read,
      prepare: run('scheduled'),
      field: () => `{ functionRun(run: "${idOf()}") { runId } }`,
    },
    'GET /functions/v1/runs/:run_id/logs': {
      cells: read,
      prepare: run('scheduled'),
      field: () => `{ functionRun(run: "${idOf()}") { logs { message } } }`,
    },
    'POST /functions/v1/runs/:run_id/cancel': {
      cells: change,
      prepare: run('scheduled'),
      audited: ofRun('function_run.cancelled', 'cancelled'),
      field: changeOf('cancelFunctionRun'),
    },
    'POST /functions/v1/runs/:run_id/redrive': {
      cells: change,
      prepare: run('failed'),
      audited: ofRun('function_run.redriven', 'queued'),
      field: changeOf('redriveFunctionRun'),
    },
    'POST /projects/v1/:project_id/functions/:name/triggers/:trigger_id/run': {
      cells: change,
      prepare: async () => {
        await service.control.sql(
          `insert into function_schedules (org_id, project_id, function, trigger_id, release_id, cron, timezone, run)
           select org_id, id, $2, 'nightly', 'rel_none', '0 3 * * *', 'UTC', '{"eventType":"nightly","payload":{}}'
           from projects where id = $1
           on conflict (org_id, project_id, function, trigger_id) do update set run_count = 0`,
          [params.project_id, name],
        );
        return { name, trigger_id: 'nightly' };
      },
      field: () => `mutation { runFunctionTrigger(input: { project: "${params.project_id}", name: "${name}",
        trigger: "nightly" }) { runId } }`,
    },
    'PATCH /projects/v1/admin/:project_id/functions/:name': {
      cells: change,
      prepare: answering,
      body: () => ({ config: { timeout: 7 } }),
      audited: ofFunction('function.updated'),
      field: () => `mutation { updateFunction(input: { project: "${params.project_id}", name: "${name}",
        config: { timeout: 7 } }) { name } }`,
    },
    'DELETE /projects/v1/admin/:project_id/functions/:name': {
      cells: change,
      prepare: answering,
      audited: ofFunction('function.deleted'),
      field: () => `mutation { deleteFunction(input: { project: "${params.project_id}", name: "${name}" }) { name } }`,
    },
    'POST /projects/v1/:project_id/functions/:name/rebuild': {
      cells: 'A + + F N F A F',
      prepare: answering,
      audited: ofFunction('function.rebuilt'),
      field: () =>
        `mutation { rebuildFunctions(input: { project: "${params.project_id}", name: "${name}" }) { releaseId } }`,
    },
    'POST /projects/v1/:project_id/functions/rebuild': {
      cells: 'A + + F N F A F',
      prepare: answering,
      field: () => `mutation { rebuildFunctions(input: { project: "${params.project_id}" }) { releaseId } }`,
    },
    'POST /projects/v1/admin/:project_id/functions/:name/invoke': {
      cells: change,
      addition: { status: 200, reason: 'calls a function for those who have no key of the project at hand' },
      prepare: answering,
      body: () => ({}),
      audited: ofFunction('function.invoked'),
      field: () =>
        `mutation { invokeFunction(input: { project: "${params.project_id}", name: "${name}" }) { status } }`,
    },
    'GET /projects/v1/admin/:project_id/functions': {
      cells: 'A + + + + + A F',
      field: () => `{ project(id: "${params.project_id}") { functions { name } } }`,
    },
    'GET /projects/v1/:project_id/function-metrics': {
      addition: { status: 200, reason: 'charts of functions come from what is kept of their calls' },
      cells: 'A + + + + + A F',
      field: () => `{ project(id: "${params.project_id}") { functionMetrics { stepSeconds } } }`,
    },
    'GET /projects/v1/admin/:project_id/functions/:name/logs': {
      cells: 'A + + + + + A F',
      prepare: printed,
      field: () => `{ project(id: "${params.project_id}") { functionLogs(name: "${name}") { message } } }`,
    },
  };
};
