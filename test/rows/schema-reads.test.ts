import { afterAll, expect, test } from 'vitest';
import { SchemaCaches } from '../../engines/rows/schema-caches.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from './rows-project.ts';

const service = await sharedService();
afterAll(() => service.stop());

test('what was read of a schema before it changed is not kept, however late it arrives', async () => {
  const project = await rowsProject(service, 'create table one (id int)');
  const [database] = await service.control.sql<{ server: string; databaseName: string; roleName: string }>(
    `select server, database_name as "databaseName", role_name as "roleName" from projects where id = $1`,
    [project.projectId],
  );
  const { projectPools } = service.app.services;
  const held: (() => void)[] = [];
  let holds = false;
  const caches = new SchemaCaches(
    {
      run: async (...asked) => {
        const rows = await projectPools.run(...asked);
        if (holds) await new Promise<void>((resolve) => held.push(resolve));
        return rows;
      },
    },
    () => 0,
  );
  const first = await caches.get(database!);
  holds = true;
  const late = caches.reload(database!);
  await expect.poll(() => held.length).toBe(1);
  await project.sql('create table two (id int)');
  caches.changed(database!);
  holds = false;
  held[0]!();
  expect(await late).toBe(first);
  // By a clock that stands still, what had been kept would be believed.
  expect(await caches.get(database!)).not.toBe(first);
  await project.end();
});
