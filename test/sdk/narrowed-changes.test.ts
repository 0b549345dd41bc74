import { afterAll, beforeEach, expect, test } from 'vitest';
import { createClient, isIn, not, projectKey, type Where } from '../../clients/sdk/src/index.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { ownProject } from './sdk-stage.ts';

const words = ['limit', 'offset', 'order', 'select', 'columns', 'on_conflict', 'or', 'and'];
const columns = words.map((word) => `"${word}" text`).join(', ');

const service = await sharedService();
afterAll(() => service.stop());
const { client, project, serviceKey } = await ownProject(service);
const run = (sql: string) => client.projects.sql({ project, sql });
await run(`create table plans (id int primary key, ${columns});
  create function echoed(${words.map((word) => `"${word}" text default null`).join(', ')}) returns text language sql stable
    as $$ select concat_ws(',', ${words.map((word) => `echoed."${word}"`).join(', ')}) $$`);
const server = createClient({ baseUrl: service.url, credential: projectKey({ key: serviceKey }) });
const plans = server.rest<{ id: number } & Record<string, unknown>>('plans', { admin: true });
const ids = async () => (await plans.select({ columns: 'id', order: 'id' })).map(({ id }) => id);

beforeEach(async () => {
  const texts = words.map(() => 'n::text').join(', ');
  await run(`truncate plans; insert into plans select n, ${texts} from generate_series(1, 3) n`);
});

test.each([
  ['nothing', undefined],
  ['an empty condition', {}],
  ['an empty list', { id: [] }],
  ['an empty list beside a condition', { limit: 'eq.1', id: [] }],
])('a change whose rows are said by %s is a TypeError, and nothing is sent', async (_case, where) => {
  await expect(plans.delete(where as Where)).rejects.toThrow(TypeError);
  await expect(plans.update({ limit: 'x' }, where as Where)).rejects.toThrow(TypeError);
  expect(await plans.count({ limit: 'eq.x' })).toBe(0);
  expect(await ids()).toEqual([1, 2, 3]);
});

test('a read whose list of conditions is empty is a TypeError, and not a read of every row', async () => {
  await expect(Promise.resolve().then(() => plans.select({ where: { id: [] } }))).rejects.toThrow(TypeError);
  await expect(plans.count({ id: [] })).rejects.toThrow(TypeError);
});

test.each(words)('a column named %s is read, changed and deleted by', async (word) => {
  expect(await plans.select({ where: { [word]: 'eq.2' }, columns: 'id' })).toEqual([{ id: 2 }]);
  expect(await plans.count({ [word]: ['gt.1', 'lt.3'] })).toBe(1);
  expect(await plans.update({ id: 9 }, { [word]: 'eq.2' })).toMatchObject([{ id: 9 }]);
  expect(await plans.delete({ [word]: not(isIn(['1', '2'])) })).toMatchObject([{ id: 3 }]);
  expect(await ids()).toEqual([1, 9]);
  const paged: number[] = [];
  for await (const { id } of plans.each({ by: word })) paged.push(id);
  expect(paged).toEqual([1, 9]);
});

test('groups of conditions stay groups', async () => {
  expect(await plans.select({ where: { or: '(id.eq.1,limit.eq.3)' }, columns: 'id' })).toEqual([{ id: 1 }, { id: 3 }]);
  expect(await plans.delete({ 'not.or': '(id.eq.1,limit.eq.3)' })).toMatchObject([{ id: 2 }]);
});

test.each(words)('a function by GET takes an argument named %s', async (word) => {
  expect(await server.rpc('echoed', { [word]: '7' }, { get: true, admin: true })).toBe('7');
  expect(await server.rpc('echoed', { [word]: '7' }, { admin: true })).toBe('7');
});

test('a change of more rows than maxAffected changes none', async () => {
  await expect(plans.delete({ id: 'gt.0' }, { maxAffected: 2 })).rejects.toMatchObject({ code: 'PGRST124' });
  await expect(plans.update({ limit: 'x' }, { id: 'gt.0' }, { maxAffected: 2 })).rejects.toMatchObject({
    code: 'PGRST124',
  });
  for (const most of [-1, 1.5, Number.NaN])
    await expect(plans.delete({ id: 'gt.0' }, { maxAffected: most })).rejects.toThrow(TypeError);
  expect(await plans.count({ limit: 'neq.x' })).toBe(3);
  expect(await plans.delete({ id: 'gt.1' }, { maxAffected: 2 })).toHaveLength(2);
});
