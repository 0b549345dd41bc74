import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { platformTools } from './mcp-stage.ts';

const words = ['limit', 'offset', 'order', 'select', 'columns', 'on_conflict', 'or', 'and'];

const service = await sharedService();
afterAll(() => service.stop());
const tools = platformTools(service);
const { wallet, projectId: project_id } = await service.project();
const run = (sql: string) => tools.call(wallet, 'run_sql', { project_id, sql });
await run(`create table plans (id int primary key, ${words.map((word) => `"${word}" text`).join(', ')});
  insert into plans select n, ${words.map(() => 'n::text').join(', ')} from generate_series(1, 9) n`);
const rest = (args: object) =>
  tools.call(wallet, 'rest_query', { project_id, table: 'plans', key_type: 'service', ...args });
const left = async () => (await rest({ params: { select: 'id' } })).structuredContent.body.length;

test.each(words)('rest_query takes a condition on a column named %s', async (word) => {
  const before = await left();
  const [first] = (await rest({ params: { select: 'id', order: 'id' } })).structuredContent.body;
  const deleted = await rest({ method: 'DELETE', params: { [word]: `eq.${first.id}` } });
  expect(deleted.structuredContent.body).toMatchObject([{ id: first.id }]);
  expect(await left()).toBe(before - 1);
});

test('rest_query refuses a change by what narrows nothing, and one of more rows than max_affected', async () => {
  await run(`insert into plans (id) select n from generate_series(11, 13) n`);
  const before = await left();
  for (const [params, code] of [
    [{ order: 'id', limit: '1' }, 'PGRST100'],
    [{ limit: 'one' }, 'PGRST100'],
    [{ id: '' }, 'PGRST100'],
    [{ limit: 'eq.1', '"limit"': 'one' }, 'PGRST100'],
  ] as const)
    expect(await rest({ method: 'DELETE', params })).toMatchObject({ isError: true, structuredContent: { code } });
  const bounded = { method: 'DELETE', params: { id: 'gt.10' } };
  expect(await rest({ ...bounded, max_affected: 2 })).toMatchObject({
    isError: true,
    structuredContent: { code: 'PGRST124' },
  });
  expect(await left()).toBe(before);
  expect((await rest({ ...bounded, max_affected: 3 })).structuredContent.body).toHaveLength(3);
});
