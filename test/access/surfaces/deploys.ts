import { randomUUID } from 'node:crypto';
import { releasesOf } from './releases-of.ts';
import type { Stage, Surfaces } from './surface.ts';

export const deploySurfaces = ({ params, service }: Stage): Surfaces => {
  const sql = (text: string, values: readonly unknown[]) => service.control.sql(text, [...values]);
  const spec = () => ({ project_id: params.project_id, i18n: null });

  const { release, live } = releasesOf({ params, service });

  /** A deploy with its plan, which would change nothing. */
  async function planned(status = 'planning', target: string | null = null): Promise<Record<string, string>> {
    const base = await live();
    const ids = { plan_id: `plan_${randomUUID()}`, operation_id: `op_${randomUUID()}` };
    await sql(
      `insert into deploy_plans (org_id, id, project_id, operation_id, spec, manifest_digest, base_release_id, expires_at)
       select org_id, $2, id, $3, $4, $2, $5, now() + interval '1 day' from projects where id = $1`,
      [params.project_id, ids.plan_id, ids.operation_id, JSON.stringify({ spec: spec() }), base],
    );
    await sql(
      `insert into deploy_operations (org_id, id, project_id, plan_id, kind, status, base_release_id, target_release_id, urls)
       select org_id, $2, id, $3, 'deploy', $4, $5, $6, $7 from projects where id = $1`,
      [
        params.project_id,
        ids.operation_id,
        ids.plan_id,
        status,
        base,
        target,
        JSON.stringify({ deployment_id: `dpl_${randomUUID()}` }),
      ],
    );
    return ids;
  }
  const operation = () => planned();
  const ofRelease = async () => ({ release_id: await live() });
  const inProject = () => `?project_id=${params.project_id}`;
  const reads = 'A + + + + + + F';
  /** A field of a project, which the anon key does not see. */
  const ofProject = 'A + + + + + A F';
  const changes = 'A + W F N F A F';
  const ofTrail = (action: string) =>
    `select xmin::text from audit_events where action = '${action}' and object_id = $1`;
  return {
    'POST /apply/v1/plans': {
      cells: changes,
      body: () => ({ spec: spec(), idempotency_key: randomUUID() }),
      audited: {
        action: 'deploy.planned',
        kind: 'deploy_plan',
        objectId: 'plan_id',
        written: 'select xmin::text from deploy_plans where id = $1',
      },
      field: () =>
        `mutation { planDeploy(input: { spec: { project_id: "${params.project_id}", i18n: null }, requestKey: "${randomUUID()}" }) { planId } }`,
    },
    'POST /apply/v1/plans/:plan_id/commit': {
      cells: changes,
      prepare: operation,
      body: () => ({}),
      audited: {
        action: 'deploy.committed',
        kind: 'deploy',
        objectId: 'operation_id',
        written: 'select xmin::text from deploy_operations where id = $1',
      },
      field: () => `mutation { commitDeploy(input: { plan: "${params.plan_id}" }) { operationId } }`,
    },
    'POST /apply/v1/plans/:plan_id/rehearse': {
      cells: changes,
      // A project has few branches, and each rehearsal takes one.
      prepare: async () => {
        await sql(
          `update projects set state = 'deleted', deleted_at = now()
           where id in (select id from project_branches where parent_id = $1 and name like 'Rehearsal of %')`,
          [params.project_id],
        );
        await sql(`delete from deploy_rehearsals where project_id = $1`, [params.project_id]);
        await sql(`delete from project_branches where parent_id = $1 and name like 'Rehearsal of %'`, [
          params.project_id,
        ]);
        return planned();
      },
      body: () => ({ teardown: 'always' }),
      audited: {
        action: 'deploy.rehearsed',
        kind: 'deploy',
        objectId: 'operation_id',
        written: ofTrail('deploy.rehearsed'),
      },
      field: () =>
        `mutation { rehearseDeploy(input: { plan: "${params.plan_id}", teardown: ALWAYS }) { operationId } }`,
    },
    'GET /apply/v1/operations': {
      cells: reads,
      fieldCells: ofProject,
      prepare: operation,
      search: inProject,
      field: () => `{ project(id: "${params.project_id}") { deploys(first: 1) { edges { node { operationId } } } } }`,
    },
    'GET /apply/v1/operations/:operation_id': {
      cells: reads,
      prepare: operation,
      field: () => `{ deployOperation(operation: "${params.operation_id}") { status } }`,
    },
    'GET /apply/v1/operations/:operation_id/events': {
      cells: reads,
      prepare: operation,
      field: () => `{ deployOperation(operation: "${params.operation_id}") { events } }`,
    },
    'GET /apply/v1/operations/:operation_id/edge-coherence': {
      cells: reads,
      prepare: async () => {
        const ids = await planned('ready');
        await sql('update deploy_operations set release_id = base_release_id, generation = 1 where id = $1', [
          ids.operation_id,
        ]);
        return ids;
      },
      field: () => `{ edgeCoherence(operation: "${params.operation_id}") { coherent releaseId pathCount } }`,
    },
    'POST /apply/v1/operations/:operation_id/resume': {
      cells: changes,
      prepare: async () => planned('activation_pending', await release('staged')),
      body: () => ({}),
      audited: {
        action: 'deploy.resumed',
        kind: 'deploy',
        objectId: 'operation_id',
        written: ofTrail('deploy.resumed'),
      },
      field: () => `mutation { resumeDeploy(input: { operation: "${params.operation_id}" }) { operationId } }`,
    },
    'GET /apply/v1/releases/active': {
      cells: reads,
      fieldCells: ofProject,
      prepare: ofRelease,
      search: inProject,
      field: () => `{ project(id: "${params.project_id}") { activeRelease { releaseId } } }`,
    },
    'GET /apply/v1/releases/diff': {
      cells: reads,
      fieldCells: ofProject,
      prepare: ofRelease,
      search: () => `${inProject()}&from=empty&to=active`,
      field: () => `{ project(id: "${params.project_id}") { releaseDiff(from: "empty", to: "active") } }`,
    },
    'GET /apply/v1/releases/:release_id': {
      cells: reads,
      prepare: ofRelease,
      field: () => `{ release(release: "${params.release_id}") { status } }`,
    },
    'GET /apply/v1/resolve': {
      cells: reads,
      prepare: async () => {
        const [row] = await sql('select public_id from projects where id = $1', [params.project_id]);
        return { host: `p-${(row as { public_id: string }).public_id}.localhost` };
      },
      search: () => `?host=${params.host}`,
      field: () => `{ hostResolution(host: "${params.host}") { match } }`,
    },
    'POST /apply/v1/releases/:release_id/promote': {
      cells: changes,
      prepare: async () => {
        await live();
        return { release_id: await release('superseded') };
      },
      body: () => ({ project: params.project_id }),
      audited: {
        action: 'deploy.promoted',
        kind: 'deploy',
        objectId: 'operation_id',
        written: 'select xmin::text from deploy_operations where id = $1',
      },
      field: () =>
        `mutation { promoteRelease(input: { project: "${params.project_id}", release: "${params.release_id}" }) { operationId } }`,
    },
  };
};
