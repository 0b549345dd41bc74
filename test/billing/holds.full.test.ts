import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { expectProvenBalances, moveAtRandom } from './random-ledger.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());

/** A million proves no more than this, and takes an hour: `SVC_TEST_OPERATIONS` says how many. */
const operations = Number(process.env.SVC_TEST_OPERATIONS ?? 20_000);

test('balances stay proven by their entries, whatever sixteen connections do to them', {
  timeout: 7_200_000,
}, async () => {
  const owners = await Promise.all(Array.from({ length: 5 }, () => service.owner()));
  const orgIds = owners.map(({ orgId }) => orgId);
  const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000);
  const refused = await moveAtRandom(service, orgIds, { operations, connections: 16, seed });
  expect({ seed, refused: refused > 0 }).toEqual({ seed, refused: true });
  await expectProvenBalances(service, orgIds);
});
