import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

const archive = (projectId: string) => `/projects/v1/admin/${projectId}/archive`;
const reactivate = (projectId: string) => `/projects/v1/admin/${projectId}/reactivate`;
const auditOf = (projectId: string) =>
  service.control.sql<{ action: string; org_id: string }>(
    `select action, org_id from audit_events where object_id = $1 and action <> 'project.created' order by seq`,
    [projectId],
  );

test('the platform admin puts a project away and takes it into use again, each once', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const listed = async (include = '') =>
    (await call(wallet, 'GET', `/projects/v1?org_id=${orgId}${include}`)).body.projects;
  const [summary] = await listed();
  const archived = await call(admin, 'POST', archive(projectId));
  expect([archived.status, archived.body]).toEqual([
    200,
    { ...summary, status: 'archived', effective_status: 'archived', archived_at: moment },
  ]);
  expect(await listed()).toEqual([]);
  expect(await listed('&include=archived')).toEqual([archived.body]);
  expect((await call(admin, 'POST', archive(projectId))).body).toEqual(archived.body);

  const back = await call(admin, 'POST', reactivate(projectId));
  expect([back.status, back.body]).toEqual([200, summary]);
  expect((await call(admin, 'POST', reactivate(projectId))).body).toEqual(summary);
  expect(await listed()).toEqual([summary]);
  expect(await auditOf(projectId)).toEqual([
    { action: 'project.archived', org_id: orgId },
    { action: 'project.reactivated', org_id: orgId },
  ]);
});

test('why it is done stands in the trail, over every door', async () => {
  const { projectId } = await service.project();
  await call(admin, 'POST', archive(projectId), { body: { reason: 'Nobody answers for it.' } });
  const set = `mutation { reactivateProject(input: { project: "Project_${projectId}", reason: "Somebody does." }) { id } }`;
  await service.graphql(admin, set);
  const told = `select details from audit_events where object_id = $1 and action <> 'project.created' order by seq`;
  expect(await service.control.sql(told, [projectId])).toEqual([
    { details: { reason: 'Nobody answers for it.' } },
    { details: { reason: 'Somebody does.' } },
  ]);
  const long = { body: { reason: 'x'.repeat(501) } };
  expectRefusal(await call(admin, 'POST', archive(projectId), long), 'VALIDATION_FAILED');
});

test('over GraphQL the same', async () => {
  const { wallet, projectId } = await service.project();
  const id = `Project_${projectId}`;
  const set = (field: string) =>
    service.graphql(admin, `mutation { ${field}(input: { project: "${id}" }) { id status archivedAt } }`);
  expect((await set('archiveProject')).data.archiveProject).toEqual({ id, status: 'ARCHIVED', archivedAt: moment });
  const list = 'query ($all: Boolean!) { projects(includeArchived: $all) { edges { node { id } } } }';
  expect((await service.graphql(wallet, list, { all: false })).data.projects.edges).toEqual([]);
  expect((await service.graphql(wallet, list, { all: true })).data.projects.edges).toEqual([{ node: { id } }]);
  expect((await set('reactivateProject')).data.reactivateProject).toEqual({ id, status: 'ACTIVE', archivedAt: null });
});

test('a project that is put away can still be read, renamed and deleted', async () => {
  const { wallet, projectId, serviceKey } = await service.project();
  await call(admin, 'POST', archive(projectId));
  const key = service.actors.bearer(serviceKey);
  expect((await call(key, 'GET', `/projects/v1/${projectId}`)).body.status).toBe('archived');
  expect((await call(wallet, 'PATCH', `/projects/v1/${projectId}`, { body: { name: 'Attic' } })).status).toBe(200);
  expect((await call(wallet, 'DELETE', `/projects/v1/${projectId}`)).status).toBe(200);
});

test('twenty that race put it away once', async () => {
  const { projectId } = await service.project();
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(admin, 'POST', archive(projectId))));
  expect(new Set(answers.map(({ body }) => body.archived_at)).size).toBe(1);
  expect(await auditOf(projectId)).toHaveLength(1);
});

test('nobody but the platform admin does either, and what is not there is 404 for the admin', async () => {
  const { wallet, projectId, serviceKey } = await service.project();
  for (const path of [archive(projectId), reactivate(projectId)]) {
    for (const actor of [wallet, service.actors.bearer(serviceKey)]) {
      expectRefusal(await call(actor, 'POST', path), 'ADMIN_REQUIRED');
    }
    expectRefusal(await call(service.actors.nobody, 'POST', path), 'AUTH_REQUIRED');
  }
  for (const path of [archive('prj_nobody'), reactivate('nonsense')]) {
    expectRefusal(await call(admin, 'POST', path), 'PROJECT_NOT_FOUND');
  }
  expect(await auditOf(projectId)).toEqual([]);
  await call(wallet, 'DELETE', `/projects/v1/${projectId}`);
  expectRefusal(await call(admin, 'POST', archive(projectId)), 'PROJECT_NOT_FOUND');
});
