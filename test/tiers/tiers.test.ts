import { afterAll, expect, test } from 'vitest';
import { documentedCalls } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { SVC_LEASES: 'on' } });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { nobody } = service.actors;

/** Contract 01, section 5.1, written out: the prototype tier is free. */
const documented = {
  prototype: {
    price: '$0.00',
    lease_days: 7,
    usage_days: 7,
    max_projects: 100,
    max_members: 200,
    storage_mb: 250,
    api_calls: 500_000,
    max_functions: 5,
  },
  hobby: {
    price: '$5.00',
    lease_days: 30,
    usage_days: 30,
    max_projects: 200,
    max_members: 1_000,
    storage_mb: 1_024,
    api_calls: 5_000_000,
    max_functions: 25,
  },
  team: {
    price: '$20.00',
    lease_days: 30,
    usage_days: 30,
    max_projects: 1_000,
    max_members: 5_000,
    storage_mb: 10_240,
    api_calls: 50_000_000,
    max_functions: 100,
  },
};

test('anybody reads what the tiers cost and allow', async () => {
  const { status, body } = await call(nobody, 'GET', '/tiers/v1');
  expect(status).toBe(200);
  expect(body).toMatchObject({ tiers: documented, auth: { method: 'SIWX', headers: ['SIGN-IN-WITH-X'] } });
  for (const tier of Object.values<{ lease: string; description: string }>(body.tiers)) {
    expect(tier).toMatchObject({ lease: 'leased', description: expect.stringMatching(/^[A-Z].*\.$/) });
  }
});

test('the quote is the same list with prices that are bare numbers', async () => {
  const list = (await call(nobody, 'GET', '/tiers/v1')).body;
  const quote = (await call(nobody, 'POST', '/projects/v1/quote')).body;
  for (const tier of Object.values<{ price: string }>(list.tiers)) tier.price = tier.price.replace('$', '');
  expect(quote).toEqual(list);
  expect(quote.tiers.prototype.price).toBe('0.00');
});

test('GraphQL shows the same tiers, lowest first', async () => {
  const { data, errors } = await service.graphql(
    nobody,
    `{ tiers { edges { node { tier priceUsdMicros free leaseDays storageMb apiCalls usageDays maxProjects maxMembers maxFunctions
      maxFunctionTimeoutSeconds maxFunctionMemoryMb maxScheduledFunctions minCronIntervalMinutes } } } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.tiers.edges.map(({ node }: { node: object }) => node)).toEqual([
    {
      tier: 'PROTOTYPE',
      priceUsdMicros: 0,
      free: true,
      leaseDays: 7,
      storageMb: 250,
      apiCalls: 500_000,
      usageDays: 7,
      maxProjects: 100,
      maxMembers: 200,
      maxFunctions: 5,
      maxFunctionTimeoutSeconds: 10,
      maxFunctionMemoryMb: 128,
      maxScheduledFunctions: 1,
      minCronIntervalMinutes: 15,
    },
    {
      tier: 'HOBBY',
      priceUsdMicros: 5_000_000,
      free: false,
      leaseDays: 30,
      storageMb: 1_024,
      apiCalls: 5_000_000,
      usageDays: 30,
      maxProjects: 200,
      maxMembers: 1_000,
      maxFunctions: 25,
      maxFunctionTimeoutSeconds: 30,
      maxFunctionMemoryMb: 256,
      maxScheduledFunctions: 3,
      minCronIntervalMinutes: 5,
    },
    {
      tier: 'TEAM',
      priceUsdMicros: 20_000_000,
      free: false,
      leaseDays: 30,
      storageMb: 10_240,
      apiCalls: 50_000_000,
      usageDays: 30,
      maxProjects: 1_000,
      maxMembers: 5_000,
      maxFunctions: 100,
      maxFunctionTimeoutSeconds: 60,
      maxFunctionMemoryMb: 512,
      maxScheduledFunctions: 10,
      minCronIntervalMinutes: 1,
    },
  ]);
  const page = await service.graphql(
    nobody,
    '{ tiers(last: 1) { edges { node { tier } } pageInfo { hasPreviousPage } } }',
  );
  expect(page.data.tiers).toEqual({ edges: [{ node: { tier: 'TEAM' } }], pageInfo: { hasPreviousPage: true } });
});
