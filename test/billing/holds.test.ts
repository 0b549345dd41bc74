import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { expectProvenBalances, moveAtRandom } from './random-ledger.ts';

const service = await startService();
afterAll(() => service.stop());

test('credits, debits, holds and settlements at random leave balances that their entries prove', async () => {
  const owners = await Promise.all([service.owner(), service.owner()]);
  const orgIds = owners.map(({ orgId }) => orgId);
  const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000);
  const refused = await moveAtRandom(service, orgIds, { operations: 200, connections: 8, seed });
  expect({ seed, refused: refused > 0 }).toEqual({ seed, refused: true });
  await expectProvenBalances(service, orgIds);
});
