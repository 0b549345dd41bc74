import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { terminal } from './command.ts';

const service = await sharedService();
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
});
const { admin } = service.actors;

async function voucher(amount: number): Promise<string> {
  const issuer = await service.call<{ issuer_key: string }>(admin, 'POST', '/vouchers/v1/admin/issuers', {
    body: {
      name: `Fair ${randomUUID()}`,
      voucher_max_usd_micros: 1_000_000,
      outstanding_max_usd_micros: 1_000_000,
      daily_max_usd_micros: 1_000_000,
    },
  });
  const minted = await service.call<{ code: string }>(
    service.actors.bearer(issuer.body.issuer_key),
    'POST',
    '/vouchers/v1',
    { body: { amount_usd_micros: amount, idempotency_key: 'one' } },
  );
  return minted.body.code;
}

test('svc redeems vouchers, and exports what moved the balance', async () => {
  expect((await ada.svc('init', '--voucher', await voucher(100_000))).json.voucher).toMatchObject({
    amount_usd_micros: 100_000,
  });
  const { json: redeemed } = await ada.with({}, await voucher(50_000))('redeem', '-');
  expect(redeemed).toMatchObject({ balance_usd_micros: 150_000, already_redeemed: false });
  expect((await ada.svc('redeem', '0000')).error.code).toBe('VOUCHER_NOT_FOUND');
  const { organization_id: orgId } = redeemed;
  await service.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, {
    body: { amount_usd_micros: 7, reference: '=1+1', reason: 'a "word", and one more' },
  });
  const printed = (await ada.svc('billing', 'export', orgId)).stdout;
  const lines = printed.trimEnd().split('\r\n');
  expect(lines[0]).toBe(
    'id,created_at,direction,kind,amount_usd_micros,balance_after_available,balance_after_held,reference_type,reference_id,metadata',
  );
  expect(lines).toHaveLength(4);
  expect(lines[1]).toMatch(
    /,credit,adjustment,7,150007,0,credit,'=1\+1,"\{""reason"":""a \\""word\\"", and one more""\}"$/,
  );
  expect(lines[2]).toMatch(/,credit,voucher,50000,150000,0,voucher,[0-9a-f-]{36},\{\}$/);
  const written = await ada.svc('billing', 'export', orgId, '--output', 'history.csv');
  expect(written.json).toMatchObject({ entries: 3, output: 'history.csv' });
  expect(await readFile(join(ada.checkout, 'history.csv'), 'utf8')).toBe(printed);
});

test('svc makes the organization of an address, and links the wallet in use to it', async () => {
  const bob = await terminal(service.url);
  await bob.svc('init');
  const made = (await bob.svc('billing', 'create-email', `${randomUUID()}@example.com`)).json;
  expect((await bob.svc('billing', 'link-wallet', made.id)).json).toMatchObject({ status: 'linked', org_id: made.id });
  expect((await bob.svc('billing', 'balance')).json).toMatchObject({ org_id: made.id, available_usd_micros: 0 });
  expect((await bob.svc('allowance', 'fund')).error.code).toBe('FAUCET_NOT_CONFIGURED');
  await bob.remove();
});
