import { afterAll, expect, test } from 'vitest';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { balanceOf, hold, settleHold, takeBack } from '../../resolvers/ledger/shared/ledger.ts';
import { jobContext } from '../../server/workers.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

// No operation sets money aside yet: the ledger is asked itself.
const service = await startService({ jobs: false });
afterAll(() => service.stop());
const call = documentedCalls(service);

const change = <Output>(run: (work: Work) => Promise<Output>) =>
  unitOfWork(jobContext(service.app.services, new AbortController().signal), run);

async function orgWith(amount: number): Promise<string> {
  const { orgId } = await service.owner();
  await call(service.actors.admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: amount } });
  return orgId;
}
const reference = { type: 'job', id: 'job_1' };

test('what is set aside is settled once, and the rest comes back', async () => {
  const orgId = await orgWith(10);
  await change((work) => hold(work, { orgId, amount: 6n, reference }));
  expect(await change((work) => balanceOf(work, orgId))).toMatchObject({ available: 4n, held: 6n });
  await expect(
    change((work) => hold(work, { orgId, amount: 6n, reference: { type: 'job', id: 'other' } })),
  ).rejects.toThrow();
  const settle = () => change((work) => settleHold(work, { orgId, reference, kind: 'job', captured: 2n }));
  expect([await settle(), await settle()]).toEqual([2n, 2n]);
  expect(await change((work) => balanceOf(work, orgId))).toMatchObject({ available: 8n, held: 0n, owed: 0n });
});

test('what comes back of it pays what is owed first', async () => {
  const orgId = await orgWith(10);
  await change((work) => hold(work, { orgId, amount: 6n, reference }));
  const back = { orgId, amount: 8n, reference: { type: 'checkout_reversal', id: 'one' } };
  expect(await change((work) => takeBack(work, back))).toBe(4n);
  expect(await change((work) => balanceOf(work, orgId))).toMatchObject({ available: 0n, held: 6n, owed: 4n });
  await change((work) => settleHold(work, { orgId, reference, kind: 'job', captured: 1n }));
  expect(await change((work) => balanceOf(work, orgId))).toMatchObject({ available: 1n, held: 0n, owed: 0n });
});
