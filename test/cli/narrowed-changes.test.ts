import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { terminal } from './command.ts';

const service = await sharedService();
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
});
const plans = (...words: string[]) => ada.svc('projects', 'rest', 'plans', '--key', 'service', ...words);
const ids = async () => (await plans('--query', 'select=id&order=id')).json.map(({ id }: { id: number }) => id);

beforeAll(async () => {
  await ada.svc('init');
  await ada.svc('org', 'create');
  await ada.svc('projects', 'provision', '--name', 'Shop');
  await ada.svc(
    'projects',
    'sql',
    'create table plans (id int primary key, "limit" int, "order" text); insert into plans select n, n, n from generate_series(1, 5) n',
  );
});

test('svc projects rest takes conditions on columns named as parameters of the dialect', async () => {
  expect((await plans('--query', 'limit=eq.5&select=id')).json).toEqual([{ id: 5 }]);
  expect((await plans('--method', 'DELETE', '--query', 'limit=eq.5')).json).toMatchObject([{ id: 5 }]);
  expect((await plans('--method', 'DELETE', '--query', '"order"=eq.4')).json).toMatchObject([{ id: 4 }]);
  expect((await plans('--query', 'order=id.desc&limit=1&select=id')).json).toEqual([{ id: 3 }]);
  expect(await ids()).toEqual([1, 2, 3]);
});

test('svc projects rest changes nothing by what narrows nothing, or beyond --max-affected', async () => {
  for (const query of ['order=id&limit=1', 'limit=one', 'id'])
    expect((await plans('--method', 'DELETE', '--query', query)).code).not.toBe(0);
  const more = await plans('--method', 'DELETE', '--query', 'id=gt.1', '--max-affected', '1');
  expect(more.error.code).toBe('PGRST124');
  expect(await ids()).toEqual([1, 2, 3]);
});

test('svc projects max-affected bounds the changes of a project, until it is taken back', async () => {
  expect((await ada.svc('projects', 'max-affected', '--rows', '1')).json).toMatchObject({ max_affected: 1 });
  expect((await ada.svc('projects', 'get')).json).toMatchObject({ max_affected: 1 });
  expect((await plans('--method', 'DELETE', '--query', 'id=gt.1')).error.code).toBe('PGRST124');
  expect((await plans('--method', 'DELETE', '--query', 'id=gt.1', '--max-affected', '2')).json).toHaveLength(2);
  expect((await ada.svc('projects', 'max-affected')).json).toMatchObject({ max_affected: null });
});
