import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { challengeOf, paying, sign } from '../payments/shop.ts';
import { type Any, forking, publishing } from './stage.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain({ chainId: 84532 });
const service = await startService({
  env: {
    SETTLEMENT_ADDRESS: payTo,
    X402_SETTLER_KEY: chain.settlerKey,
    RPC_URL_BASE_SEPOLIA: chain.rpcUrl,
  },
});
afterAll(async () => {
  await service.stop();
  await chain.stop();
});

const { admin } = service.actors;
const price = 2_500_000;
const billing = async (orgId: string) => {
  const { body } = await service.call<Any>(admin, 'GET', `/orgs/v1/${orgId}/billing`);
  return { available: body.available_usd_micros, held: body.held_usd_micros };
};
const entriesOf = async (orgId: string) =>
  (await service.call<Any>(admin, 'GET', `/orgs/v1/${orgId}/billing/history`)).body.entries.map(
    ({ kind, direction, amount_usd_micros }: Any) => [kind, direction, amount_usd_micros],
  );

async function priced() {
  const one = await publishing(service);
  const published = await one.publish({ visibility: 'public', fork_allowed: true, fork_price_usd_micros: price });
  expect(published.body).toMatchObject({ fork_pricing: { USD: '2.50' }, fork_price_usd_micros: price });
  return { ...one, version_id: published.body.id as string };
}

test('a fork is paid by x402 where the balance does not cover it, and whoever published it has the money', async () => {
  const one = await priced();
  const { wallet, orgId } = await service.owner();
  const other = forking(service, wallet);
  const asked = await other.fork({ version_id: one.version_id, name: 'Mine' });
  expect(asked).toMatchObject({ status: 402, body: { code: 'PAYMENT_REQUIRED' } });
  expect(challengeOf(asked)).toMatchObject({ accepts: [{ amount: String(price), payTo }] });
  const header = await sign(await chain.payer(), challengeOf(asked).accepts[0]);
  const paid = await other.fork({ version_id: one.version_id, name: 'Mine' }, paying(header));
  expect(paid, paid.text).toMatchObject({
    status: 201,
    body: { status: 'ready', paid_usd_micros: price, org_id: orgId },
  });
  expect(await entriesOf(orgId)).toEqual([
    ['app_fork', 'debit', price],
    ['hold', 'debit', price],
    ['x402_payment', 'credit', price],
  ]);
  expect(await billing(orgId)).toEqual({ available: 0, held: 0 });
  expect(await billing(one.orgId)).toEqual({ available: price, held: 0 });
  expect(await entriesOf(one.orgId)).toEqual([['app_sale', 'credit', price]]);
  // The payment was for this fork: used again it answers the same, and makes nothing.
  const again = await other.fork({ version_id: one.version_id, name: 'Mine' }, paying(header));
  expect(again.body.project_id).toBe(paid.body.project_id);
  expect(await billing(one.orgId)).toEqual({ available: price, held: 0 });
  // Its own organization pays itself nothing.
  const own = await forking(service, one.wallet).fork({ version_id: one.version_id, name: 'Ours' });
  expect(own.body).toMatchObject({ status: 'ready', paid_usd_micros: 0 });
});

test('a fork that does not fit is refused before it is asked for money', async () => {
  const one = await priced();
  const { wallet, orgId } = await service.owner();
  await service.control.sql(`update orgs set limit_overrides = '{"storageBytes": 1}' where id = $1`, [orgId]);
  await service.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: price } });
  const refused = await forking(service, wallet).fork({ version_id: one.version_id, name: 'Mine', org_id: orgId });
  expect(refused.body).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    message: expect.stringMatching(/^The fork would take \d+ bytes more/),
    details: { metric: 'storage_bytes', limit: 1, used: 0 },
  });
  expect(await billing(orgId)).toEqual({ available: price, held: 0 });
});

test('two who fork with the money for one make one, and what a fork that fails has cost can be spent again', async () => {
  const one = await priced();
  const { wallet, orgId } = await service.owner();
  await service.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: price } });
  const other = forking(service, wallet);
  const both = await Promise.all(
    ['Mine', 'Mine, too'].map((name) => other.fork({ version_id: one.version_id, name, org_id: orgId })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([201, 402]);
  expect(await billing(orgId)).toEqual({ available: 0, held: 0 });
  expect(await billing(one.orgId)).toEqual({ available: price, held: 0 });
  // A schema that cannot be made in another database: its index calls a function that only refuses there.
  await one.admin('POST', '/sql', {
    sql: `create function here() returns boolean language plpgsql immutable as $$ begin
        if current_database() <> '${await databaseOf(one.projectId)}' then raise exception 'not here'; end if; return true; end $$;
      create table elsewhere (id int check (here()));
      create materialized view trap as select here() as here`,
  });
  const broken = await one.publish({ visibility: 'public', fork_allowed: true, fork_price_usd_micros: price });
  expect(broken.body).toMatchObject({ status: 'published' });
  await service.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: price } });
  const failed = await other.fork({ version_id: broken.body.id, name: 'Broken', org_id: orgId });
  expect(failed.body).toMatchObject({ status: 'failed', paid_usd_micros: 0, error: { code: 'APP_FORK_FAILED' } });
  expect(failed.body.error.message).toContain('not here');
  expect(await billing(orgId)).toEqual({ available: price, held: 0 });
  expect(await billing(one.orgId)).toEqual({ available: price, held: 0 });
  const { body } = await service.call<Any>(wallet, 'GET', '/projects/v1');
  expect(body.projects.map(({ name }: Any) => name)).not.toContain('Broken');
});

async function databaseOf(projectId: string): Promise<string> {
  const [row] = await service.control.sql<{ name: string }>(
    'select database_name as name from projects where id = $1',
    [projectId],
  );
  return row!.name;
}
