import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { liveProject, notes, said, tasks } from './live-project.ts';

const service = await startService();
afterAll(() => service.stop());
const project = await liveProject(service);
const { run, expose, changes } = project;

const names = Array.from({ length: 200 }, (_, at) => `table_${at}`);
const tables = names.map((name) => ({ ...notes, name }));

test('two hundred tables go live by one manifest, follow what DDL makes of their keys, and are dark again by another', async () => {
  await run(names.map((name) => `create table ${name} (id int primary key, code text not null)`).join('; '));
  expect(await expose(notes, tasks, ...tables)).toMatchObject({ status: 200 });
  const followed = `${names[0]},${names[199]}`;
  const { body } = await changes({ tables: followed });
  await run(`alter table ${names[199]} drop constraint ${names[199]}_pkey, add primary key (code);
    alter table ${names[0]} rename column id to number;
    insert into ${names[0]} values (1, 'a'); insert into ${names[199]} values (1, 'a')`);
  const told = (await changes({ tables: followed, cursor: body.cursor })).body.changes;
  expect(told.map((data: object) => said({ data }))).toEqual([
    { table: names[0], op: 'insert', pk: [{ number: 1 }], n: 1 },
    { table: names[199], op: 'insert', pk: [{ code: 'a' }], n: 1 },
  ]);
  expect(await expose(notes, tasks)).toMatchObject({ status: 200 });
  expect((await changes({ tables: followed })).status).toBe(403);
});
