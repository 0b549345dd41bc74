import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { openRawSocket } from '../helpers/raw-socket.ts';
import { startService } from '../helpers/service.ts';
import { seedProjects } from './seed-projects.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

type Project = Awaited<ReturnType<typeof service.project>>;
const pathOf = ({ projectId }: Pick<Project, 'projectId'>) => `/projects/v1/${projectId}`;
/** As a member sees it, whose own calls count for nothing. */
const callsOf = async (project: Pick<Project, 'wallet' | 'projectId'>): Promise<number> =>
  (await call(project.wallet, 'GET', pathOf(project))).body.usage.api_calls;

test('a service key reads what its project uses, its own calls among it from the first', async () => {
  const project = await service.project();
  const path = `/projects/v1/admin/${project.projectId}/usage`;
  const answer = await call(actors.bearer(project.serviceKey), 'GET', path);
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      project_id: project.projectId,
      tier: 'prototype',
      api_calls: 1,
      api_calls_limit: 500_000,
      storage_bytes: expect.any(Number),
      storage_limit_bytes: 250 * 1024 * 1024,
      lease_expires_at: null,
      effective_status: 'active',
      organization_lifecycle_state: 'active',
      status: 'active',
    },
  ]);
  expect(answer.body.storage_bytes).toBeGreaterThan(1_000_000);
  expect((await call(actors.apikey(project.serviceKey), 'GET', path)).body.api_calls).toBe(2);
  expect((await call(project.wallet, 'GET', path)).body.api_calls).toBe(2);
  const graph = await service.graphql(
    actors.bearer(project.serviceKey),
    'query ($id: ID!) { project(id: $id) { usage { apiCalls storageBytes apiCallsLimit storageBytesLimit } } }',
    { id: project.projectId },
  );
  expect(graph.data.project.usage).toEqual({
    apiCalls: 3,
    storageBytes: expect.any(Number),
    apiCallsLimit: 500_000,
    storageBytesLimit: 250 * 1024 * 1024,
  });
});

test('calls that race are each counted once, for the project whose key they carry', async () => {
  const one = await service.project();
  const other = await service.project();
  await Promise.all(
    Array.from({ length: 100 }, (_, at) => {
      const { serviceKey, anonKey, projectId } = at % 4 === 0 ? other : one;
      // What a key may not do was asked with it all the same.
      const actor = at % 2 === 0 ? actors.bearer(serviceKey) : actors.apikey(anonKey);
      return call(actor, 'GET', `/projects/v1/${projectId}`);
    }),
  );
  expect([await callsOf(one), await callsOf(other)]).toEqual([75, 25]);
});

test('a request counts once, however many operations it asks for', async () => {
  const project = await service.project();
  const asked = `{ a: project(id: "${project.projectId}") { name keys { anonKey } usage { apiCalls } }
    b: project(id: "${project.projectId}") { name } projects { edges { cursor } } whoami { __typename } }`;
  await service.graphql(actors.bearer(project.serviceKey), asked);
  expect(await callsOf(project)).toBe(1);
});

test('what carries no key of the project counts for nothing', async () => {
  const project = await service.project();
  const { orgId, projectId, serviceKey, principalId } = project;
  const path = pathOf(project);
  for (const actor of [
    project.wallet,
    await actors.session({ principalId }),
    await actors.delegate({ orgId, projectId, capabilities: ['read'] }),
    actors.admin,
  ]) {
    expect((await call(actor, 'GET', path)).status).toBe(200);
  }
  expectRefusal(await call(actors.bearer(`${serviceKey.slice(0, -4)}AAAA`), 'GET', path), 'INVALID_AUTH');
  expectRefusal(await call(actors.nobody, 'GET', path), 'AUTH_REQUIRED');
  // Asked of nobody in particular: whose key it is was not looked at.
  expect((await service.call(actors.bearer(serviceKey), 'GET', '/readyz')).status).toBe(200);
  expect(await callsOf(project)).toBe(0);
});

test('on a socket its opening and each operation count', async () => {
  const project = await service.project();
  const socket = await openRawSocket(service.url, actors.bearer(project.serviceKey));
  const asked = `{ a: project(id: "${project.projectId}") { name } b: project(id: "${project.projectId}") { name } }`;
  for (let time = 0; time < 4; time++) {
    expect((await socket.run(asked)).frames[0]!.payload.data.a.name).toEqual(expect.any(String));
  }
  await socket.close();
  expect(await callsOf(project)).toBe(5);
});

test('with a new period of the organization counting begins anew, and what was counted is kept', async () => {
  const project = await service.project();
  const key = actors.bearer(project.serviceKey);
  for (let time = 0; time < 3; time++) await call(key, 'GET', pathOf(project));
  expect(await callsOf(project)).toBe(3);
  await control.sql('update orgs set usage_since = now() where id = $1', [project.orgId]);
  expect(await callsOf(project)).toBe(0);
  await call(key, 'GET', pathOf(project));
  expect(await callsOf(project)).toBe(1);
  const kept = await control.sql<{ api_calls: string }>(
    'select api_calls from project_usage where project_id = $1 order by since',
    [project.projectId],
  );
  expect(kept.map(({ api_calls }) => Number(api_calls))).toEqual([3, 1]);
});

test('what is over the tier’s number is shown, and refuses nothing yet', async () => {
  const project = await service.project();
  const limits = { api_calls: 2 };
  await call(actors.admin, 'POST', `/orgs/v1/admin/${project.orgId}/limits`, { body: { limits } });
  const key = actors.bearer(project.serviceKey);
  for (let time = 0; time < 5; time++) expect((await call(key, 'GET', pathOf(project))).status).toBe(200);
  const { usage } = (await call(project.wallet, 'GET', pathOf(project))).body;
  expect(usage).toMatchObject({ api_calls: 5, api_calls_limit: 2 });
});

test('what many projects use takes the same statements as for one', async () => {
  const query = '{ projects(first: 50) { edges { node { id usage { apiCalls storageBytes } } } } }';
  const taken: string[][] = [];
  for (const count of [1, 10, 49]) {
    const project = await service.project();
    await seedProjects(control, project.orgId, count);
    await call(actors.bearer(project.serviceKey), 'GET', pathOf(project));
    await service.app.services.usage.flush();
    taken.push(
      await service.statements(async () => {
        const { data } = await service.graphql(project.wallet, query);
        expect(data.projects.edges).toHaveLength(count + 1);
        const own = data.projects.edges.find(({ node }: { node: { id: string } }) =>
          node.id.endsWith(project.projectId),
        );
        expect(own.node.usage).toEqual({ apiCalls: 1, storageBytes: expect.any(Number) });
        expect(own.node.usage.storageBytes).toBeGreaterThan(1_000_000);
      }),
    );
  }
  expect(taken[1]).toEqual(taken[0]);
  expect(taken[2]).toEqual(taken[0]);
});

test('roles, guests and strangers read usage as they read the project', async () => {
  const project = await service.project();
  const other = await service.project();
  const path = `/projects/v1/admin/${project.projectId}/usage`;
  expectRefusal(await call(actors.apikey(project.anonKey), 'GET', path), 'AUTH_REQUIRED');
  expectRefusal(await call(actors.bearer(other.serviceKey), 'GET', path), 'FORBIDDEN');
  expectRefusal(await call(other.wallet, 'GET', path), 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  const viewer = await actors.session();
  await actors.member(project.orgId, viewer.principalId, 'viewer');
  expect((await call(viewer, 'GET', path)).body.project_id).toBe(project.projectId);
});
