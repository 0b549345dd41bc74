import { expect, test } from 'vitest';
import { boundaryCrossings, circlesOf, mayImport } from '../scripts/boundaries.ts';

test('imports point downwards only, and the surfaces never import each other', async () => {
  expect(await boundaryCrossings()).toEqual([]);
});

test.each([
  ['core', 'db', false],
  ['schema', 'rest-compat', false],
  ['rest-compat', 'schema', false],
  ['rest-compat', 'agents', false],
  ['agents', 'rest-compat', true],
  ['agents', 'server', false],
  ['resolvers', 'subscriptions', false],
  ['resolvers', 'server', false],
  ['resolvers', 'kernel', true],
  ['kernel', 'resolvers', false],
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

test.each([
  ['resolvers/orgs/get-org.ts', 'resolvers/orgs/lock.ts', true],
  ['resolvers/members/add.ts', 'resolvers/orgs/shared/lock.ts', true],
  ['resolvers/members/add.ts', 'resolvers/orgs/lock.ts', false],
  ['resolvers/members/add.ts', 'resolvers/index.ts', false],
  ['resolvers/index.ts', 'resolvers/members/add.ts', true],
  ['schema/orgs.ts', 'resolvers/orgs/get-org.ts', true],
])('%s importing %s is allowed: %s', (from, to, allowed) => {
  expect(mayImport(from, to)).toBe(allowed);
});

test('domains that need each other are told with all of the way round', () => {
  const imports = new Map([
    ['members', new Set(['orgs'])],
    ['orgs', new Set(['billing'])],
    ['billing', new Set(['ledger', 'members'])],
  ]);
  expect(circlesOf(imports)).toEqual(['members -> orgs -> billing -> members']);
  imports.get('billing')!.delete('members');
  expect(circlesOf(imports)).toEqual([]);
});
