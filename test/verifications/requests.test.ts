import { afterAll, expect, test } from 'vitest';
import { breakOff } from '../helpers/rpc-proxy.ts';
import { endpointKey, startRig, tonApiKey } from './rig.ts';

const rig = await startRig({ networks: ['base'], ton: true, nodes: 1 });
afterAll(() => rig.stop());

const evm = `0x${'ab'.repeat(32)}`;
const ton = 'ab'.repeat(32);
const base64 = Buffer.from(ton, 'hex').toString('base64');

test.each([
  ['nothing', {}, 'invalid_request'],
  ['a hash that is a number', { tx_hash: 1 }, 'invalid_request'],
  ['a hash that is too short', { tx_hash: evm.slice(0, -1) }, 'invalid_request'],
  ['a hash that is too long', { tx_hash: `${evm}0` }, 'invalid_request'],
  ['a hash of other digits', { tx_hash: `0x${'gg'.repeat(32)}` }, 'invalid_request'],
  ['a hash with a space', { tx_hash: `${evm} ` }, 'invalid_request'],
  ['base64 without its padding', { tx_hash: base64.slice(0, -1) }, 'invalid_request'],
  ['an unknown network', { tx_hash: evm, network: 'solana' }, 'invalid_request'],
  ['a hash of TON on base', { tx_hash: ton, network: 'base' }, 'invalid_request'],
  ['a hash of an EVM chain on TON', { tx_hash: evm, network: 'ton' }, 'invalid_request'],
  ['a price that no plan has', { tx_hash: evm, plan_price: 30 }, 'invalid_request'],
  ['a price as text', { tx_hash: evm, plan_price: '29' }, 'invalid_request'],
  ['a site that is an address', { tx_hash: evm, url: 'https://127.0.0.1/' }, 'ip_literal'],
  ['a site of this machine', { tx_hash: evm, url: 'localhost' }, 'restricted_host'],
  ['a site by http', { tx_hash: evm, url: 'http://shop.audit-sites.net/' }, 'scheme_not_allowed'],
  ['a site that is none', { tx_hash: evm, url: '' }, 'invalid_url'],
])('%s is refused before anybody is asked', async (_case, request, code) => {
  rig.networks.base.proxy.forget();
  rig.ton.asked.splice(0);
  const { status, body, headers } = await rig.verify(request);
  expect(status).toBe(400);
  expect(headers.get('content-type')).toContain('application/problem+json');
  expect(body).toMatchObject({ ok: false, code });
  expect(rig.networks.base.proxy.count('eth_getTransactionByHash')).toBe(0);
  expect(rig.ton.asked).toEqual([]);
});

test('malformed JSON is refused', async () => {
  for (const text of ['{', '{"tx_hash":', 'tx_hash=1', '\u0000'])
    expect(await rig.verify(text)).toMatchObject({ status: 400, body: { ok: false, code: 'malformed_json' } });
});

test('a hash is one whatever its letters are and however it is written', async () => {
  for (const tx_hash of [evm, evm.toUpperCase().replace('0X', '0x'), evm.toUpperCase()])
    expect((await rig.verify({ tx_hash })).body).toMatchObject({ network: 'base', tx_hash: evm });
  for (const tx_hash of [ton, ton.toUpperCase(), base64, base64.replaceAll('+', '-').replaceAll('/', '_')])
    expect((await rig.verify({ tx_hash })).body).toMatchObject({ network: 'ton', tx_hash: ton });
});

test('a client may look at twenty transactions a minute, and is told so', async () => {
  const headers = { 'x-forwarded-for': '192.0.2.77' };
  const statuses = [];
  for (let count = 0; count < 21; count++) statuses.push((await rig.verify({ tx_hash: evm }, headers)).status);
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
  const { status, body, headers: told } = await rig.verify({ tx_hash: evm }, headers);
  expect(status).toBe(429);
  expect(body).toMatchObject({ ok: false, code: 'rate_limited' });
  expect(Number(told.get('retry-after'))).toBeGreaterThan(0);
});

test('neither an answer nor the log has the keys of the endpoints', async () => {
  const seen: string[] = [];
  rig.networks.base.proxy.tell('eth_getTransactionByHash', () => breakOff);
  seen.push((await rig.verify({ tx_hash: evm })).text);
  rig.networks.base.proxy.stop();
  seen.push((await rig.verify({ tx_hash: evm })).text);
  for (const lie of [500, { transactions: 'all' }, { transactions: [{ hash: 1 }] }]) {
    rig.ton.lie(() => lie);
    seen.push((await rig.verify({ tx_hash: ton })).text);
  }
  rig.ton.stop();
  seen.push((await rig.verify({ tx_hash: ton })).text);
  for (const text of seen) expect(text).toMatch(/"reason":"network_unavailable\b/);
  const log = JSON.stringify(rig.service.logged());
  expect(log).toContain('A chain could not be read.');
  for (const secret of [endpointKey, tonApiKey]) expect(`${seen.join()} ${log}`).not.toContain(secret);
});
