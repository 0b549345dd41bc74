import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { graphProject } from './graph-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await graphProject(service, 'create table notes (id int primary key)');
afterAll(() => project.end());

/** Breaks the connection of what waits for a lock that is held here. */
async function broken<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  await project.sql('begin; lock table notes in access exclusive mode');
  const asked = ask();
  await expect
    .poll(async () => {
      await project.sql('select pg_stat_clear_snapshot()');
      const rows = await project.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where usename = '${project.roleName}' and wait_event_type = 'Lock'`,
      );
      return rows.length;
    })
    .toBe(1);
  await project.sql('commit');
  return asked;
}

test('a change of rows whose connection breaks is not called undone, nor safe to send again', async () => {
  await project.admin('GET', 'notes');
  expect(await broken(() => project.admin('POST', 'notes', { body: { id: 1 } }))).toMatchObject({
    status: 503,
    body: { code: 'UPSTREAM_UNAVAILABLE', mutation_state: 'unknown', safe_to_retry: false },
  });
  expect(await broken(() => project.admin('GET', 'notes'))).toMatchObject({
    status: 503,
    body: { code: 'UPSTREAM_UNAVAILABLE', mutation_state: 'none', safe_to_retry: true },
  });
});

test('nor is a change by GraphQL', async () => {
  const ask = (query: string) =>
    service.call(project.service, 'POST', project.path, { body: { query } }).then(({ text }) => text);
  await ask('{ notes { totalCount } }');
  const change = await broken(() => ask('mutation { insertNotes(rows: [{ id: 2 }]) { affectedCount } }'));
  expect(change).toMatch(/"mutation_?[sS]tate":"unknown"/);
  expect(change).toMatch(/"safe_?[tT]o_?[rR]etry":false/);
  const read = await broken(() => ask('{ notes { totalCount } }'));
  expect(read).toMatch(/"mutation_?[sS]tate":"none"/);
});
