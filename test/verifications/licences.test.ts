import { afterAll, expect, test } from 'vitest';
import { codeOf, startRig, type VerifyAnswer } from './rig.ts';

const rig = await startRig({ networks: ['base'], nodes: 1 });
afterAll(() => rig.stop());
const { base } = rig.networks;
const shop = 'shop.audit-sites.net';

const verify = async (body: object) => (await rig.verify(body)).body;
/** How often a site was read: each audit begins with its page. */
const visits = (host: string) => rig.sites.reached.filter((one) => one === `${host} /shoes`).length;

test('a transaction has one licence, whatever comes with its hash later', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  const first = await verify({ tx_hash: hash });
  expect(first).toMatchObject({ verified: true, plan: 'pro' });
  for (const again of [
    { tx_hash: hash },
    { tx_hash: hash.toUpperCase() },
    { tx_hash: hash, network: 'base' },
    { tx_hash: hash, plan_price: 3 },
    { tx_hash: hash, plan_price: 29 },
  ])
    expect(await verify(again)).toEqual(first);
  const dear = await verify({ tx_hash: hash, plan_price: 950 });
  expect(dear).toMatchObject({ verified: false, pending: false });
  expect(codeOf(dear)).toBe('amount_too_low');
});

test('it is given again without a look at the chain, long after as well', async () => {
  const { hash } = await base.pay(rig.settlement, 3);
  const first = await verify({ tx_hash: hash });
  await rig.service.control.sql(
    `update chain_payments set paid_at = now() - interval '400 days' where tx_hash = '${hash}'`,
  );
  base.proxy.forget();
  expect((await verify({ tx_hash: hash })).license_key).toBe(first.license_key);
  expect(base.proxy.count('eth_getTransactionByHash')).toBe(0);
});

test('a payment that waited longer than 30 days brings none', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  const days = (count: number) => (block: { timestamp: string }) => ({
    ...block,
    timestamp: `0x${(Math.floor(Date.now() / 1000) - count * 86_400).toString(16)}`,
  });
  base.proxy.tell('eth_getBlockByNumber', days(31));
  const old = await verify({ tx_hash: hash });
  expect(old).toMatchObject({ verified: false, pending: false });
  expect(codeOf(old)).toBe('tx_too_old');
  base.proxy.tell('eth_getBlockByNumber', days(29));
  expect((await verify({ tx_hash: hash })).verified).toBe(true);
  base.proxy.honest();
});

test('many who come first at once get one licence, of one plan', async () => {
  const { hash } = await base.pay(rig.settlement, 950);
  const prices = [3, 29, 950, 3, 29, 950, 3, 29, 950, undefined];
  const answers = await Promise.all(prices.map((plan_price) => verify({ tx_hash: hash, plan_price })));
  expect(new Set(answers.map(({ license_key }) => license_key)).size).toBe(1);
  expect(new Set(answers.map(({ plan }) => plan)).size).toBe(1);
  expect(answers.every(({ verified }) => verified === true)).toBe(true);
});

test('the first site that is named is the licence’s, and it alone is audited for it, once', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  const without = await verify({ tx_hash: hash });
  expect(without).toMatchObject({ domain: null, report: null, report_error: null });
  const before = visits(shop);
  const named = await verify({ tx_hash: hash, url: `https://${shop}/shoes` });
  expect(named).toMatchObject({
    license_key: without.license_key,
    domain: shop,
    report: { ok: true, domain: shop, tier: 'pro', geo_score: 82 },
    report_error: null,
  });
  expect(visits(shop)).toBe(before + 1);
  for (const url of [undefined, shop, 'docs.audit-sites.net', 'https://docs.audit-sites.net/'])
    expect(await verify({ tx_hash: hash, url })).toEqual(named);
  expect(visits(shop)).toBe(before + 1);
  expect(visits('docs.audit-sites.net')).toBe(0);
});

test('of two sites that are named at once, one is the licence’s', async () => {
  const { hash } = await base.pay(rig.settlement, 3);
  const urls = [`${shop}/shoes`, 'docs.audit-sites.net'];
  const answers = await Promise.all(urls.map((url) => verify({ tx_hash: hash, url })));
  const [one, other] = answers as [VerifyAnswer, VerifyAnswer];
  expect(one.domain).toBe(other.domain);
  expect(one.license_key).toBe(other.license_key);
  const later = await verify({ tx_hash: hash });
  expect(later.domain).toBe(one.domain);
  expect(later.report?.domain).toBe(one.domain);
});

test('a site that cannot be read costs nobody the licence', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  const answer = await verify({ tx_hash: hash, url: 'https://leads.audit-sites.net/' });
  expect(answer).toMatchObject({
    verified: true,
    domain: 'leads.audit-sites.net',
    report: null,
    report_error: 'restricted_redirect',
  });
  expect(await verify({ tx_hash: hash })).toEqual(answer);
});

test('a report is kept for 30 days, and then forgotten', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  const { report, ...rest } = await verify({ tx_hash: hash, url: `${shop}/shoes` });
  expect(report).not.toBeNull();
  const age = (days: number) =>
    rig.service.control.sql(
      `update chain_payments set reported_at = now() - interval '${days} days' where tx_hash = '${hash}'`,
    );
  await age(29);
  expect((await verify({ tx_hash: hash })).report).toEqual(report);
  await age(31);
  expect(await verify({ tx_hash: hash, url: `${shop}/shoes` })).toEqual({ ...rest, report: null });
  await rig.service.control.sql(`select graphile_worker.add_job('housekeeping')`);
  const kept = () => rig.service.control.sql(`select report from chain_payments where tx_hash = '${hash}'`);
  await expect.poll(kept).toEqual([{ report: null }]);
});

test('what was given back pays for a licence', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  await sold(hash, 'audit', 'released');
  expect((await verify({ tx_hash: hash })).verified).toBe(true);
});

test('the graph gives the same licence', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  const mutation = `mutation ($input: VerifyTransactionInput!) { verifyTransaction(input: $input) {
    verified network txHash pending reason
    license { licenseKey plan planPrice payer asset amount amountUsd block confirmations domain issuedAt report reportError }
  } }`;
  const ask = async (input: object) =>
    (await rig.service.graphql(rig.service.actors.nobody, mutation, { input })).data.verifyTransaction;
  const { license, ...rest } = await ask({ txHash: hash, planPrice: 29 });
  expect(rest).toEqual({ verified: true, network: 'base', txHash: hash, pending: false, reason: null });
  const answer = await verify({ tx_hash: hash });
  expect(license).toEqual({
    licenseKey: answer.license_key,
    plan: 'pro',
    planPrice: 29,
    payer: answer.payer,
    asset: 'USDC',
    amount: '29000000',
    amountUsd: '29.00',
    block: answer.block,
    confirmations: answer.confirmations,
    domain: null,
    issuedAt: answer.issued_at,
    report: null,
    reportError: null,
  });
  const unknown = `0x${'ab'.repeat(32)}`;
  expect(await ask({ txHash: unknown, network: 'base' })).toMatchObject({
    verified: false,
    pending: true,
    txHash: unknown,
    license: null,
  });
  const { errors } = await rig.service.graphql(rig.service.actors.nobody, mutation, { input: { txHash: 'x' } });
  expect(errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
});

/** As the ledger of x402 payments has it. */
const sold = (hash: string, sku: string, state: string) =>
  rig.service.control.sql(`insert into payments (id, state, sku, operation, request_digest, network, chain_id, asset, payer,
      pay_to, amount, version, tx_hash, log_index)
    values ('txp_${hash.slice(2, 22)}', '${state}', '${sku}', 'x', 'x', 'base', 8453, 'x', 'x', 'x', 1, 2, '${hash}', 0)`);
