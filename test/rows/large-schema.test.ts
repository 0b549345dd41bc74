import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from './rows-project.ts';

/*
 * Every request is planned by what is known of the whole schema. What is too large to be known is refused by name, and
 * served as soon as it is not.
 */

const service = await sharedService();
const project = await rowsProject(service, 'create table notes (id int primary key)');
afterAll(async () => {
  await project.end();
  await service.stop();
});

const rows = () => project.admin('GET', 'notes');
const graph = async () =>
  (
    await service.call(project.service, 'POST', `/projects/v1/${project.projectId}/graphql`, {
      body: { query: '{ notes { totalCount } }' },
    })
  ).body;
const refused = (message: string) => ({ code: '54000', message: expect.stringContaining(message) });

test('a junction of too many tables, whose relationships multiply, is refused by name until it is gone', async () => {
  expect((await rows()).status).toBe(200);
  await project.sql(
    `create table junction (a int, b int, primary key (a, b));
     do $$ begin for n in 1..150 loop
       execute format('create table part_%s (id int primary key)', n);
       execute format('alter table junction add foreign key (a) references part_%s', n);
     end loop; end $$`,
  );
  await expect.poll(rows).toMatchObject({ status: 400, body: refused('20000 relationships') });
  expect(await graph()).toMatchObject({ code: 'SQL_ERROR', details: { sqlstate: '54000' } });
  await project.sql('drop table junction');
  await expect.poll(rows).toMatchObject({ status: 200 });
  expect(await graph()).toMatchObject({ data: { notes: { totalCount: 0 } } });
});

test('GraphQL is refused by name where it would show too much, and rows are served', async () => {
  await project.sql(
    `do $$ begin for n in 1..13 loop
       execute format('create table broad_%s (%s)', n, (select string_agg(format('c%s bool', i), ',') from generate_series(1, 1600) i));
       execute format('grant select on broad_%s to service_role', n);
     end loop; end $$`,
  );
  await expect.poll(graph).toMatchObject({
    code: 'SQL_ERROR',
    details: { sqlstate: '54000', message: expect.stringContaining('20000 columns') },
  });
  expect((await rows()).status).toBe(200);
});
