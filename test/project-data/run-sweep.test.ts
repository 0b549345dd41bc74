import { afterAll, expect, test } from 'vitest';
import { authProject } from '../auth/auth-project.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
const project = await authProject(service);
afterAll(async () => {
  await project.end();
  await service.stop();
});
const { projectId, serviceKey } = project;
const key = service.actors.bearer(serviceKey);

const run = (idempotencyKey: string) =>
  service.call<{ rows: unknown[] }>(key, 'POST', `/projects/v1/admin/${projectId}/sql`, {
    body: { sql: 'select 1 as one' },
    headers: { 'idempotency-key': idempotencyKey },
  });
const kept = async () => Number((await project.sql('select count(*)::int as n from _svc.sql_runs'))[0]!.n);
const database = async () => {
  const [row] = await service.control.sql<{ server: string; database_name: string; role_name: string }>(
    'select server, database_name, role_name from projects where id = $1',
    [projectId],
  );
  return { server: row!.server, databaseName: row!.database_name, roleName: row!.role_name };
};

test('runs whose keys have expired go with the next opening of the database, without a further run under a key', async () => {
  for (const one of ['old', 'older', 'fresh']) expect((await run(one)).status).toBe(200);
  expect(await kept()).toBe(3);
  await project.sql(`update _svc.sql_runs set at = now() - interval '5 days'
    where id in (select id from _svc.sql_runs order by at limit 2)`);
  const ask = () => service.call(service.actors.bearer(serviceKey), 'GET', '/admin/v1/rest/nothing');
  // Of a database that is open nobody looks anew.
  await ask();
  expect(await kept()).toBe(3);
  await service.app.services.projectPools.forget(await database());
  await ask();
  expect(await kept()).toBe(1);
  // The one that is left is answered still, and not run again.
  expect((await run('fresh')).body.rows).toEqual([{ one: 1 }]);
  expect(await kept()).toBe(1);
});
