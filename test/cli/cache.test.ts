import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { terminal } from './command.ts';

const service = await sharedService();
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
});
let host: string;

beforeAll(async () => {
  await ada.svc('init');
  await ada.svc('org', 'create');
  const { json } = await ada.svc('projects', 'provision', '--name', 'Shop');
  const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    json.project_id,
  ]);
  host = `p-${row!.public_id}.localhost`;
});

test('a page is inspected by its address, and made anew by address, prefix, host or list', async () => {
  const page = `https://${host}/products?page=2`;
  expect((await ada.svc('cache', 'inspect', page)).json).toMatchObject({
    status: 'MISS',
    host,
    path: '/products',
    search: '?page=2',
  });
  expect((await ada.svc('cache', 'invalidate', page)).json).toMatchObject({
    generation: '1',
    path: '/products?page=2',
  });
  expect((await ada.svc('cache', 'invalidate', `${host}/products/`, '--kind', 'prefix')).json).toMatchObject({
    generation: '2',
  });
  expect((await ada.svc('cache', 'invalidate', host, '--kind', 'all')).json).toMatchObject({ generation: '3', host });
  expect((await ada.svc('cache', 'invalidate', page, `${host}/b`)).json).toMatchObject({
    generation: '4',
    results: [{ host, deleted: 0 }],
  });
});

test('what does not say which pages is refused before anything is asked', async () => {
  for (const words of [[host, `${host}/b`, '--kind', 'all'], ['https://']])
    expect((await ada.svc('cache', 'invalidate', ...words)).error.code).toBe('BAD_USAGE');
});
