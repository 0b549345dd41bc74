import { afterAll, expect, test } from 'vitest';
import type { GraphQLAnswer } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataOf, graphProject } from './graph-project.ts';

const service = await sharedService();
const schema = 'create table notes (id int primary key)';
afterAll(() => service.stop());

test('a project that is put away answers nothing until it is taken into use', async () => {
  const project = await graphProject(service, schema);
  const { admin } = service.actors;
  const ask = (actor: typeof project.anon) =>
    service.call<Record<string, unknown>>(actor, 'POST', project.path, { body: { query: '{ __typename }' } });
  expect((await ask(project.anon)).status).toBe(200);
  await service.call(admin, 'POST', `/projects/v1/admin/${project.projectId}/archive`);
  for (const actor of [project.anon, project.service])
    await expect
      .poll(() => ask(actor))
      .toMatchObject({ status: 403, body: { code: 'FORBIDDEN', error: 'project_archived' } });
  await service.call(admin, 'POST', `/projects/v1/admin/${project.projectId}/reactivate`);
  await expect.poll(async () => (await ask(project.anon)).status).toBe(200);
  await project.end();
});

test('rows of a dormant organization are read and not changed', async () => {
  const project = await graphProject(service, schema);
  await service.control.sql(
    "update orgs set lifecycle_state = 'dormant', lifecycle_entered_at = now(), lease_expires_at = now() - interval '45 days' where id = $1",
    [project.orgId],
  );
  const change = 'mutation { insertNotes(rows: [{ id: 1 }]) { affectedCount } }';
  const codes = ({ errors }: GraphQLAnswer) => errors?.map(({ extensions }) => extensions.code);
  await expect.poll(async () => codes(await project.all(change))).toEqual(['PROJECT_DORMANT']);
  expect(dataOf(await project.all('{ notes { totalCount } }'))).toEqual({ notes: { totalCount: 0 } });
  await project.end();
});

test('a project whose database cannot be reached is 503, and its database is not named', async () => {
  const project = await graphProject(service, schema);
  await project.sql(`revoke connect on database ${project.databaseName} from ${project.roleName}`);
  await service.app.services.projectPools.forget({ databaseName: project.databaseName });
  const answer = await service.call<Record<string, unknown>>(project.service, 'POST', project.path, {
    body: { query: '{ notes { totalCount } }' },
  });
  expect([answer.status, answer.body.code]).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
  expect(answer.text).not.toMatch(new RegExp(`${project.databaseName}|${project.roleName}`));
  await project.end();
});
