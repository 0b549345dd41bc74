import { afterAll, expect, test } from 'vitest';
import { chargeProject, minuteOfRequests } from '../helpers/project-rate.ts';
import { startService } from '../helpers/service.ts';
import { rowsProject } from './rows-project.ts';

const service = await startService();
afterAll(() => service.stop());
const { admin } = service.actors;
const schema = 'create table notes (id int primary key); grant select on notes to anon';
const callsOf = async (projectId: string) => {
  await Promise.all(service.nodes.map(({ services }) => services.usage.flush()));
  const [row] = await service.control.sql<{ calls: number }>(
    'select coalesce(sum(api_calls), 0)::int as calls from project_usage where project_id = $1',
    [projectId],
  );
  return row!.calls;
};

test('a project that is put away serves no rows by either door, from that moment until it is taken into use', async () => {
  const project = await rowsProject(service, schema);
  expect((await project.open('GET', 'notes')).status).toBe(200);
  await service.call(admin, 'POST', `/projects/v1/admin/${project.projectId}/archive`);
  for (const ask of [project.open, project.admin])
    await expect
      .poll(() => ask('GET', 'notes'))
      .toMatchObject({ status: 403, body: { code: 'FORBIDDEN', error: 'project_archived' } });
  await service.call(admin, 'POST', `/projects/v1/admin/${project.projectId}/reactivate`);
  await expect.poll(async () => (await project.open('GET', 'notes')).status).toBe(200);
  await project.end();
});

test('a node forgets what a project was with the change that it makes itself', async () => {
  const { app } = service;
  const project = await rowsProject(service, schema);
  const ask = () => fetch(`${app.url}/rest/v1/notes`, { headers: { apikey: project.anonKey } });
  const archive = async (to: string) =>
    fetch(`${app.url}/projects/v1/admin/${project.projectId}/${to}`, {
      method: 'POST',
      headers: await admin.headers(''),
    });
  for (let round = 0; round < 10; round++) {
    expect((await ask()).status).toBe(200);
    await archive('archive');
    expect((await ask()).status).toBe(403);
    await archive('reactivate');
  }
  await project.end();
});

test('the keys of a project that was deleted open nothing', async () => {
  const { wallet, projectId, anonKey } = await service.project();
  const ask = () => service.call(service.actors.apikey(anonKey), 'GET', '/rest/v1/notes');
  expect((await ask()).status).toBe(404);
  await service.call(wallet, 'DELETE', `/projects/v1/${projectId}`);
  await expect.poll(async () => (await ask()).status).toBe(401);
});

test('calls are counted, but not those that are refused for their haste', async () => {
  const project = await rowsProject(service, schema);
  const ask = async () =>
    (await Promise.all(Array.from({ length: 20 }, () => project.open('GET', 'notes')))).map(({ status }) => status);
  expect(new Set(await ask())).toEqual(new Set([200]));
  chargeProject(service, project.projectId, minuteOfRequests);
  expect(new Set(await ask())).toEqual(new Set([429]));
  expect(await callsOf(project.projectId)).toBe(20);
  await project.end();
});
