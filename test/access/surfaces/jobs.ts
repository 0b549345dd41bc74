import { expect } from 'vitest';
import { until } from '../../helpers/until.ts';
import type { Stage, Surfaces } from './surface.ts';

export const jobSurfaces = ({ params, service }: Stage): Surfaces => {
  const id = () => `job_of_${params.project_id!}`;
  /** A job that waits for tomorrow, and costs nothing; the same each time. */
  const job = async () => {
    await service.control.sql(
      `insert into managed_jobs (id, org_id, project_id, type, input, idempotency_key, intent, cap_usd_micros,
         per_job_usd_micros, per_second_usd_micros, due_at)
       select $2, org_id, id, 'echo', '{}', 'of the walk', 'x', 0, 0, 0, now() + interval '1 day' from projects where id = $1
       on conflict (id) do update set status = 'queued', completed_at = null, due_at = now() + interval '1 day'`,
      [params.project_id, id()],
    );
    return { job_id: id(), filename: 'echo.json' };
  };
  /** The list as it stays: what was submitted here before is over. */
  const listed = async () => {
    const ids = await job();
    await until(async () => {
      const open = `select id from managed_jobs where project_id = $1 and status in ('queued', 'running') and id <> $2`;
      expect(await service.control.sql(open, [params.project_id, ids.job_id])).toEqual([]);
    });
    return ids;
  };
  const typed = async () => {
    await service.control.sql(`delete from job_types where name in ('walked', 'gone')`);
    await service.control.sql(
      `insert into job_types (name, description, project_id, function, per_job_usd_micros, per_second_usd_micros,
         max_seconds, memory_mb, repeatable, input_schema)
       values ('gone', 'Goes.', $1, 'gone', 0, 0, 60, 128, true, '{"type":"object"}')`,
      [params.project_id],
    );
    return { job_type: 'gone' };
  };
  const search = () => `?project_id=${params.project_id}`;
  const target = () => `project: "${params.project_id}", job: "${id()}"`;
  const read = 'A + + + + + A F';
  const change = 'A + + F N + A F';
  const admin = 'A P P F P P P +';
  const all = '/jobs/v1/runs';
  const types = '/jobs/v1/admin/types';
  return {
    'GET /jobs/v1/types': {
      cells: '+ + + + + + + +',
      addition: { status: 200, reason: 'what can be submitted is not known otherwise' },
      field: () => '{ jobTypes { name maxSeconds } }',
    },
    [`POST ${all}`]: {
      cells: change,
      search,
      body: () => ({ job_type: 'echo', input: { input_json: {} }, max_cost_usd_micros: 0 }),
      field: () =>
        `mutation { submitJob(input: { project: "${params.project_id}", idempotencyKey: "${crypto.randomUUID()}",
          request: { jobType: "echo", input: { inputJson: {} }, maxCostUsdMicros: 0 } }) { jobId } }`,
    },
    [`GET ${all}`]: {
      cells: read,
      addition: { status: 200, reason: 'whoever looks for a job need not have kept its id' },
      prepare: listed,
      search,
      field: () => `{ project(id: "${params.project_id}") { jobs(first: 1) { edges { node { jobId } } } } }`,
    },
    [`GET ${all}/:job_id`]: {
      cells: read,
      prepare: job,
      search,
      field: () => `{ job(${target()}) { jobId status } }`,
    },
    [`GET ${all}/:job_id/logs`]: {
      cells: read,
      prepare: job,
      search,
      field: () => `{ job(${target()}) { logs { message } } }`,
    },
    [`GET ${all}/:job_id/artifacts/:filename`]: {
      cells: 'A J J J J J A F',
      prepare: job,
      search,
      field: () => `{ jobArtifact(${target()}, filename: "echo.json") { filename } }`,
    },
    [`DELETE ${all}/:job_id`]: {
      cells: change,
      prepare: job,
      search,
      audited: {
        action: 'job.cancelled',
        kind: 'job',
        objectId: 'job_id',
        written: 'select xmin::text from managed_jobs where id = $1',
      },
      field: () => `mutation { cancelJob(input: { ${target()} }) { jobId } }`,
    },
    [`DELETE ${all}`]: {
      cells: change,
      prepare: job,
      search,
      field: () => `mutation { purgeJobs(input: { project: "${params.project_id}" }) { deletedJobs } }`,
    },
    [`POST ${types}`]: {
      cells: admin,
      addition: { status: 201, reason: 'operators offer work of their own' },
      prepare: typed,
      body: () => ({ job_type: 'walked', description: 'Walks.', project: params.project_id, function: 'walk' }),
      audited: {
        action: 'job_type.registered',
        kind: 'job_type',
        objectId: 'job_type',
        written: 'select xmin::text from job_types where name = $1',
      },
      field: () =>
        `mutation { registerJobType(input: { jobType: "walked", description: "Walks.", project: "${params.project_id}", function: "walk" }) { functionName } }`,
    },
    [`GET ${types}`]: {
      cells: 'A P P P P P P +',
      addition: { status: 200, reason: 'operators see the functions behind what they offer' },
      prepare: typed,
      field: () => '{ registeredJobTypes { functionName } }',
    },
    [`DELETE ${types}/:job_type`]: {
      cells: admin,
      addition: { status: 200, reason: 'operators take back what they offer' },
      prepare: typed,
      audited: {
        action: 'job_type.removed',
        kind: 'job_type',
        objectId: 'job_type',
        written: `select xmin::text from audit_events where action = 'job_type.removed' and object_id = $1`,
      },
      field: () => 'mutation { removeJobType(input: { jobType: "gone" }) { functionName } }',
    },
  };
};
