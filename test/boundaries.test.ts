import { expect, test } from 'vitest';
import { boundaryCrossings, mayImport } from '../scripts/boundaries.ts';

test('imports point downwards only, and the surfaces never import each other', async () => {
  expect(await boundaryCrossings()).toEqual([]);
});

test.each([
  ['core', 'db', false],
  ['schema', 'rest-compat', false],
  ['rest-compat', 'schema', false],
  ['resolvers', 'subscriptions', false],
  ['resolvers', 'server', false],
  ['resolvers', 'test', false],
  ['schema', 'subscriptions', true],
  ['server', 'core', true],
  ['test', 'server', true],
  ['clients/sdk', 'core', false],
  ['clients/sdk', 'clients/cli', false],
  ['clients/cli', 'clients/sdk', true],
  ['clients/cli', 'resolvers', false],
  ['resolvers', 'clients/sdk', false],
])('%s importing %s is allowed: %s', (from, to, allowed) => {
  expect(mayImport(from, to)).toBe(allowed);
});
