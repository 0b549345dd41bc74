import { expect, test } from 'vitest';
import { routes } from '../../rest-compat/routes.ts';
import { documented } from './documented-paths.ts';

const served = routes.map(({ method, path, status }) => `${method} ${path} ${status}`);

// `test/access/credential-table.walk.test.ts` finds paths that are served without being documented.
test('every documented path is served with its method and status', () => {
  expect(documented.filter((one) => !served.includes(one))).toEqual([]);
});

test('no path is served twice', () => {
  expect(served).toHaveLength(new Set(served).size);
});
