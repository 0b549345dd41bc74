import { afterAll, beforeEach, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { prefer, rowsProject } from '../rows/rows-project.ts';

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table plans (id int primary key, name text);
   create function all_plans() returns setof plans language sql as $$ select * from plans $$;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { admin, owner, projectId } = project;
const bound = (body: object) => service.call(owner, 'POST', `/projects/v1/${projectId}/max-affected`, { body });
const kept = async () =>
  (await project.sql<{ rows: number }>("select count(*)::int as rows from plans where name = 'old'"))[0]!.rows;
const graph = (query: string) =>
  service.call<{ data: unknown; errors: { message: string; extensions: Record<string, unknown> }[] }>(
    project.service,
    'POST',
    `/projects/v1/${projectId}/graphql`,
    { body: { query } },
  );

beforeEach(async () => {
  await project.sql("truncate plans; insert into plans select n, 'old' from generate_series(1, 4) n");
  expect(await bound({ rows: 2 })).toMatchObject({ status: 200, body: { project_id: projectId, max_affected: 2 } });
});

test('a PATCH or DELETE of more rows than the project allows is refused, and nothing is kept', async () => {
  const refused = { status: 400, body: { code: 'PGRST124', hint: expect.stringContaining('max-affected') } };
  expect(await admin('DELETE', 'plans?id=gt.0')).toMatchObject(refused);
  expect(await admin('DELETE', 'plans')).toMatchObject(refused);
  expect(await admin('PATCH', 'plans?id=gt.0', { body: { name: 'new' } })).toMatchObject(refused);
  // A bound without strict handling is none, as in the dialect.
  expect(await admin('DELETE', 'plans?id=gt.0', prefer('max-affected=9'))).toMatchObject(refused);
  expect(await kept()).toBe(4);
  expect((await admin('PATCH', 'plans?id=gt.2', { body: { name: 'new' } })).status).toBe(204);
  expect((await admin('DELETE', 'plans?id=gt.2')).status).toBe(204);
});

test('a request with a bound of its own is held to that one', async () => {
  const own = (most: number) => prefer('handling=strict', `max-affected=${most}`);
  expect(await admin('DELETE', 'plans?id=gt.2', own(1))).toMatchObject({ status: 400, body: { code: 'PGRST124' } });
  expect(await kept()).toBe(4);
  expect((await admin('DELETE', 'plans?id=gt.0', own(4))).status).toBe(204);
});

test('inserts, reads and functions know no such bound', async () => {
  const rows = [5, 6, 7].map((id) => ({ id, name: 'old' }));
  expect((await admin('POST', 'plans', { body: rows })).status).toBe(201);
  expect((await admin<unknown[]>('GET', 'plans')).body).toHaveLength(7);
  expect((await admin<unknown[]>('POST', 'rpc/all_plans', { body: {} })).body).toHaveLength(7);
});

test.each([
  ['an update', '{ updatePlans(where: { id: { gt: 0 } }, set: { name: "new" }) { affectedCount } }'],
  ['a delete', '{ deletePlans(where: { id: { gt: 0 } }) { affectedCount } }'],
  ['a delete that shows its rows', '{ deletePlans(where: { id: { gt: 0 } }) { rows { id } } }'],
])('%s over GraphQL is held to it, too', async (_case, field) => {
  const { body } = await graph(`mutation ${field}`);
  expect(body.errors[0]!.extensions).toMatchObject({ sqlstate: 'PGRST124', mutation_state: 'rolled_back' });
  expect(await kept()).toBe(4);
});

test('without rows, the project has no bound any more', async () => {
  expect(await bound({})).toMatchObject({ status: 200, body: { max_affected: null } });
  expect((await admin('DELETE', 'plans?id=gt.0')).status).toBe(204);
});

test.each([0, -1, 1.5, '2', 2 ** 31])('a bound of %s is refused', async (rows) => {
  expect(await bound({ rows })).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
});
