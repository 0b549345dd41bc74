import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { asAdministrator } from './as-user.ts';
import { dataProject } from './data-project.ts';

// What a tenant makes of its catalog costs nobody else anything.

const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);

const access = (project: Awaited<ReturnType<typeof dataProject>>) => call(project.key, 'GET', `${project.base}/access`);

test('views that read one another in layers, each by several ways, are told as soon as others', async () => {
  const project = await dataProject(service);
  const layers = ['create table base (id int); create view a0 as select id from base; create view b0 as table a0;'];
  for (let at = 1; at <= 40; at++)
    for (const name of ['a', 'b'])
      layers.push(`create view ${name}${at} as select a.id from a${at - 1} a, b${at - 1} b where a.id = b.id;`);
  await project.sql(layers.join('\n'));
  const { status, body } = await access(project);
  expect(status).toBe(200);
  const top = body.relations.find(({ name }: { name: string }) => name === 'a40');
  expect(top.roles.find(({ role }: { role: string }) => role === 'service_role').select).toMatchObject({ rows: 'all' });
});

test('nobody reaches anything through views that read each other in a circle', async () => {
  const project = await dataProject(service);
  await project.sql(`create view one as select 1 as id; create view two as select id from one;
    create or replace view one as select id from two; create view outside as select id from two;`);
  const { status, body } = await access(project);
  expect(status).toBe(200);
  for (const { roles } of body.relations)
    for (const { select } of roles) expect(select).toMatchObject({ rows: 'none', policies: [] });
});

test('a policy that is reached by several ways is told once', async () => {
  const project = await dataProject(service);
  await project.sql(`create table notes (id int, flag boolean);
    create view once with (security_invoker) as select id from notes;
    create view twice with (security_invoker) as select a.id from notes a, once b where a.id = b.id;`);
  await asAdministrator(service, project, [
    `alter table notes enable row level security; create policy seen on notes for select to anon using (flag);
     grant select on notes, once, twice to anon;`,
  ]);
  const { body } = await access(project);
  const { roles } = body.relations.find(({ name }: { name: string }) => name === 'twice');
  expect(roles[0].select).toMatchObject({ rows: 'policy', policies: [{ table: 'notes', name: 'seen' }] });
});

test('more policies than can be told are refused', async () => {
  const project = await dataProject(service);
  const views = Array.from(
    { length: 200 },
    (_none, at) =>
      `create view v${at} with (security_invoker) as select id from notes; grant select on v${at} to anon;`,
  );
  await project.sql(`create table notes (id int, note text);`);
  await asAdministrator(service, project, [
    `alter table notes enable row level security; grant select on notes to anon;
     do $$ begin for n in 1..40 loop
       execute format('create policy p%s on notes for select to anon using (note = %L)', n, repeat('x', 8000));
     end loop; end $$;`,
    ...views,
  ]);
  expectRefusal(await access(project), 'SQL_ERROR', { sqlstate: '54000' });
});
