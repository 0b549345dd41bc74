import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { balanceOfOrg, ended, minting, type Owned, projectWith, runJob, signerOf, type TestSigner } from './stage.ts';

const chain = await startChain({ chainId: 84_532 });
const service = await startService({ env: { RPC_URL_BASE_SEPOLIA: chain.rpcUrl } });
afterAll(async () => {
  await service.stop();
  await chain.stop();
});

const { sql } = service.control;
const somewhere = '0x00000000000000000000000000000000000000d4';
const balanceOf = (address: `0x${string}`) => chain.client.getBalance({ address });

const runNow = (task: string) => runJob(service, task);

const statusOf = async (owned: Owned, { id }: TestSigner) =>
  (await owned.call('GET', `/contracts/v1/signers/${id}`)).body.status;

const becomes = (owned: Owned, signer: TestSigner, status: string) =>
  until(async () => expect(await statusOf(owned, signer)).toBe(status));

/** Pretends that the rent was paid last so many days ago. */
const paidBefore = ({ id }: TestSigner, days: number) =>
  sql(`update signers set last_rent_debited_on = (now() at time zone 'UTC')::date - $2::int where id = $1`, [id, days]);

test('a signer takes a balance of 30 days of rent, which promotional credit is no part of', async () => {
  const owned = await projectWith(service, 1_199_999);
  const refused = await owned.call('POST', '/contracts/v1/signers', { chain: 'base-sepolia' });
  expect([refused.status, refused.body.code]).toEqual([403, 'INSUFFICIENT_FUNDS']);
  await sql(
    'update org_balances set available_usd_micros = 9000000, promotional_usd_micros = 8000000 where org_id = $1',
    [owned.orgId],
  );
  const given = await owned.call('POST', '/contracts/v1/signers', { chain: 'base-sepolia' });
  expect(given.status).toBe(403);
  await sql('update org_balances set promotional_usd_micros = 7800000 where org_id = $1', [owned.orgId]);
  const made = await owned.call('POST', '/contracts/v1/signers', { chain: 'base-sepolia' });
  expect(made.status, made.text).toBe(201);
  expect(made.body).toMatchObject({
    id: made.body.signer_id,
    signer_id: expect.stringMatching(/^cwlt_[0-9a-z]{24}$/),
    status: 'active',
    balance_wei: '0',
    address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
  });
});

test('rent is taken once a day, missed days with it, promotional credit first', async () => {
  const owned = await projectWith(service);
  const [one, other] = [await signerOf(owned, chain), await signerOf(owned, chain)];
  await paidBefore(one, 3);
  await paidBefore(other, 1);
  await sql('update org_balances set promotional_usd_micros = 50000 where org_id = $1', [owned.orgId]);
  const before = await balanceOfOrg(service, owned);
  await runNow('charge_signer_rent');
  await until(async () => expect(before - (await balanceOfOrg(service, owned))).toBe(160_000));
  await runNow('charge_signer_rent');
  await service.call(owned.wallet, 'GET', `/orgs/v1/${owned.orgId}/billing`);
  const entries = await sql(
    `select seq, amount_usd_micros, promotional_usd_micros, balance_after_available, metadata from ledger_entries
      where org_id = $1 and kind = 'signer_rental' order by seq`,
    [owned.orgId],
  );
  expect(entries).toMatchObject([
    { seq: '2', amount_usd_micros: '120000', promotional_usd_micros: '50000', balance_after_available: '4880000' },
    { seq: '3', amount_usd_micros: '40000', promotional_usd_micros: '0', balance_after_available: '4840000' },
  ]);
  const [balance] = await sql('select entries, promotional_usd_micros from org_balances where org_id = $1', [
    owned.orgId,
  ]);
  expect(balance).toMatchObject({ entries: '3', promotional_usd_micros: '0' });
});

test('unpaid rent suspends: calls are refused, reads and drains are not, and money makes it active again', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  await paidBefore(signer, 1);
  await sql('update org_balances set available_usd_micros = 39999 where org_id = $1', [owned.orgId]);
  await runNow('charge_signer_rent');
  await becomes(owned, signer, 'suspended');
  const refused = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, somewhere));
  expect([refused.status, refused.body.code]).toEqual([403, 'SIGNER_SUSPENDED']);
  const drained = await owned.call(
    'POST',
    `/contracts/v1/signers/${signer.id}/drain`,
    { destination_address: somewhere },
    { 'x-confirm-drain': signer.id },
  );
  expect(drained.status, drained.text).toBe(202);
  await ended(owned, drained.body.call_id as string);
  await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${owned.orgId}/credits`, {
    body: { amount_usd_micros: 100_000 },
  });
  await runNow('charge_signer_rent');
  await becomes(owned, signer, 'active');
  expect(await balanceOfOrg(service, owned)).toBe(99_999);
});

test('a drain leaves nothing, costs no fee, and has to be confirmed', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const path = `/contracts/v1/signers/${signer.id}/drain`;
  const destination = '0x00000000000000000000000000000000000000e5';
  for (const headers of [{}, { 'x-confirm-drain': 'cwlt_other' }] as Record<string, string>[]) {
    const refused = await owned.call('POST', path, { destination_address: destination }, headers);
    expect([refused.status, refused.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
  const credit = await balanceOfOrg(service, owned);
  const confirmed = { 'x-confirm-drain': signer.id };
  const begun = await owned.call('POST', path, { destination_address: destination }, confirmed);
  expect(begun.status, begun.text).toBe(202);
  const call = await ended(owned, begun.body.call_id as string);
  expect(call).toMatchObject({ status: 'confirmed', kind: 'drain' });
  expect(await balanceOf(signer.address)).toBe(0n);
  expect(await balanceOf(destination)).toBe(10n ** 18n - BigInt(call.gas_used_wei as string));
  expect(await balanceOfOrg(service, owned)).toBe(credit);
  const empty = await owned.call('POST', path, { destination_address: destination }, confirmed);
  expect([empty.status, empty.body.code]).toEqual([409, 'NOTHING_TO_DRAIN']);
});

test('a signer that holds something is not deleted; one that does not loses its key after seven days', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain, { ether: 100_000_000_000_000n });
  const path = `/contracts/v1/signers/${signer.id}`;
  const confirmed = { 'x-confirm-delete': signer.id };
  expect((await owned.call('DELETE', path)).status).toBe(400);
  const full = await owned.call('DELETE', path, undefined, confirmed);
  expect([full.status, full.body.code]).toEqual([409, 'SIGNER_NOT_EMPTY']);
  await chain.client.setBalance({ address: signer.address, value: 99_999_999_999_999n });
  const deleted = await owned.call('DELETE', path, undefined, confirmed);
  expect(deleted.status, deleted.text).toBe(200);
  expect(deleted.body).toMatchObject({
    id: signer.id,
    status: 'deleted',
    kms_deletion_completes_at: deleted.body.scheduled_deletion_at,
  });
  const window =
    Date.parse(deleted.body.scheduled_deletion_at as string) - Date.parse(deleted.body.deleted_at as string);
  expect(window).toBe(7 * 86_400_000);
  expect((await owned.call('DELETE', path, undefined, confirmed)).body).toEqual(deleted.body);
  for (const [method, further, body] of [
    ['POST', '/contracts/v1/call', minting(signer, chain, somewhere)],
    ['POST', `${path}/recovery-address`, { recovery_address: somewhere }],
    ['POST', `${path}/alert`, { threshold_wei: '1' }],
  ] as const) {
    const gone = await owned.call(method, further, body);
    expect([gone.status, gone.body.code]).toEqual([410, 'SIGNER_DELETED']);
  }
  const wrapped = async () => (await sql('select wrapped from signers where id = $1', [signer.id]))[0]!.wrapped;
  await runNow('watch_signers');
  expect(await wrapped()).not.toBeNull();
  await sql(`update signers set scheduled_deletion_at = now() - interval '1 second' where id = $1`, [signer.id]);
  await runNow('watch_signers');
  await until(async () => expect(await wrapped()).toBeNull());
  const { body } = await owned.call<{ signers: unknown[] }>('GET', '/contracts/v1/signers');
  expect(body.signers).toMatchObject([{ id: signer.id, status: 'deleted' }]);
});

test('after 90 days of suspension a signer is drained to its recovery address, and deleted', async () => {
  const owned = await projectWith(service);
  const recovery = '0x00000000000000000000000000000000000000f6';
  const signer = await signerOf(owned, chain, { recovery_address: recovery });
  const kept = await signerOf(owned, chain);
  await sql(
    `update signers set status = 'suspended', suspended_at = now() - interval '90 days 1 second' where project_id = $1`,
    [owned.projectId],
  );
  await sql('update org_balances set available_usd_micros = 0 where org_id = $1', [owned.orgId]);
  await until(async () => {
    await runNow('watch_signers');
    expect(await statusOf(owned, signer)).toBe('deleted');
  });
  expect(await balanceOf(signer.address)).toBe(0n);
  expect(await balanceOf(recovery)).toBeGreaterThan(9n * 10n ** 17n);
  expect(await statusOf(owned, kept)).toBe('suspended');
  const trail = await sql('select action, actor from audit_events where org_id = $1 and object_id = $2', [
    owned.orgId,
    signer.id,
  ]);
  expect(trail.map(({ action }) => action)).toEqual(['signer.provisioned', 'signer.deleted']);
});

test('a low balance is told once in 24 hours', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain, { ether: 5n });
  const set = await owned.call('POST', `/contracts/v1/signers/${signer.id}/alert`, { threshold_wei: '6' });
  expect(set.body).toMatchObject({ threshold_wei: '6', low_balance_threshold_wei: '6' });
  const feed = `/orgs/v1/${owned.orgId}/events`;
  const told = async () =>
    (await service.call<{ events: { event_type: string; payload: object }[] }>(owned.wallet, 'GET', feed)).body.events
      .filter(({ event_type: type }) => type === 'signer_balance_low')
      .map(({ payload }) => payload);
  await runNow('watch_signers');
  await until(async () => expect(await told()).toHaveLength(1));
  expect((await told())[0]).toMatchObject({ signer_id: signer.id, balance_wei: '5', threshold_wei: '6' });
  await runNow('watch_signers');
  await runNow('watch_signers');
  await sql(`update signers set last_alert_sent_at = now() - interval '25 hours' where id = $1`, [signer.id]);
  await until(async () => {
    await runNow('watch_signers');
    expect(await told()).toHaveLength(2);
  });
});

test('a project that is deleted leaves its signers to be drained, and their keys to their window', async () => {
  const owned = await projectWith(service);
  const recovery = '0x0000000000000000000000000000000000000107';
  const signer = await signerOf(owned, chain, { recovery_address: recovery });
  await service.call(owned.wallet, 'DELETE', `/projects/v1/${owned.projectId}`);
  await until(async () => {
    await runNow('watch_signers');
    expect(await balanceOf(recovery)).toBeGreaterThan(0n);
  });
  const [row] = await sql('select status, wrapped is not null as kept from signers where id = $1', [signer.id]);
  expect(row).toEqual({ status: 'deleted', kept: true });
});
