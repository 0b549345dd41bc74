import { Address } from '@ton/core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { newAccount, type Payment, startTonIndex, type Transaction } from '../helpers/ton-index.ts';
import { codeOf, startRig, tonApiKey, units } from './rig.ts';

const rig = await startRig({ networks: [], ton: true, nodes: 1 });
afterAll(() => rig.stop());
afterEach(() => rig.ton.lie(undefined));

const verify = async (tx_hash: string, more: object = {}) => (await rig.verify({ tx_hash, ...more })).body;
const pay = (dollars: number, more: Parameters<typeof rig.ton.pay>[2] = {}) =>
  rig.ton.pay(rig.tonSettlement, units(dollars), more);
const hexOf = (hash: string) => Buffer.from(hash, 'base64').toString('hex');

test('29 dollars in jettons are a pro licence', async () => {
  const payment = pay(29);
  expect(await verify(payment.transfer.transaction_hash)).toMatchObject({
    ok: true,
    verified: true,
    plan: 'pro',
    network: 'ton',
    tx_hash: hexOf(payment.transfer.transaction_hash),
    payer: payment.payer.toLowerCase(),
    asset: 'USDT',
    amount: '29000000',
    amount_usd: '29.00',
    block: payment.delivery.mc_block_seqno,
    confirmations: 2,
    domain: null,
    issued_at: new Date(payment.transfer.transaction_now * 1000).toISOString(),
  });
});

test('a payment has one licence, by whichever of its hashes it is named', async () => {
  const { wallet, sending, delivery, notice } = pay(29);
  const { license_key } = await verify(wallet.in_msg.hash);
  expect(license_key).toBeDefined();
  const hashes = [
    ...[wallet, sending, delivery, notice].map(({ hash }) => hash),
    wallet.in_msg.hash_norm!,
    ...delivery.out_msgs.map(({ hash }) => hash),
    sending.in_msg.hash,
  ];
  for (const hash of hashes)
    for (const spelling of [
      hash,
      hexOf(hash),
      hexOf(hash).toUpperCase(),
      hash.replaceAll('+', '-').replaceAll('/', '_'),
    ])
      expect((await verify(spelling)).license_key).toBe(license_key);
});

test('it is given again while the index is away, by the hash that it was first named by', async () => {
  const { wallet, sending } = pay(29);
  const first = await verify(wallet.in_msg.hash);
  rig.ton.lie(() => 503);
  for (const hash of [wallet.in_msg.hash, sending.hash]) expect(await verify(hash)).toEqual(first);
  expect(codeOf(await verify(wallet.hash))).toBe('network_unavailable');
});

test('of several payments in one trace each has its licence, and what names them all has the largest', async () => {
  const large = pay(29);
  const small = pay(3);
  merge(large, small);
  const named = await verify(large.wallet.hash);
  expect(named).toMatchObject({ verified: true, tx_hash: hexOf(large.sending.hash), amount: '29000000' });
  const other = await verify(small.sending.hash);
  expect(other).toMatchObject({
    verified: true,
    tx_hash: hexOf(small.sending.hash),
    amount: '3000000',
    plan: 'starter',
  });
  expect(other.license_key).not.toBe(named.license_key);
});

/** Puts the second payment into the trace of the first, as a wallet does that sends several messages at once. */
function merge(first: Payment, second: Payment): void {
  const parts = [second.sending, second.delivery, second.notice];
  first.wallet.out_msgs.push(second.sending.in_msg);
  for (const one of [...parts, second.transfer]) one.trace_id = first.wallet.trace_id;
  rig.ton.lie((path, answer) => {
    if (path !== '/api/v3/traces') return answer;
    const [trace] = answer.traces as { transactions: Record<string, Transaction> }[];
    for (const one of [first.wallet, first.sending, first.delivery, first.notice, ...parts])
      trace!.transactions[one.hash] = one;
    return { traces: [{ ...trace, trace_id: first.wallet.trace_id }] };
  });
}

test.each<readonly [string, (payment: Payment) => void, string, boolean]>([
  ['a trace that is incomplete', ({ trace }) => void (trace.is_incomplete = true), 'tx_unconfirmed', true],
  [
    'a trace that goes on',
    ({ trace }) => void (trace.trace_info = { trace_state: 'pending', pending_messages: 1 }),
    'tx_unconfirmed',
    true,
  ],
  [
    'a trace with messages that are on their way',
    ({ trace }) => void (trace.trace_info.pending_messages = 1),
    'tx_unconfirmed',
    true,
  ],
  [
    'a transfer that the index calls aborted',
    ({ transfer }) => void (transfer.transaction_aborted = true),
    'tx_failed',
    false,
  ],
  ['a transfer whose transaction was aborted', ({ sending }) => fail(sending), 'tx_failed', false],
  ['a transfer that was not delivered', ({ delivery }) => fail(delivery), 'tx_failed', false],
  ['a transfer whose delivery bounced', ({ delivery }) => void (delivery.in_msg.bounced = true), 'tx_failed', false],
  ['a transfer whose message nobody took', ({ sending }) => void sending.out_msgs.splice(0), 'tx_failed', false],
  [
    'a transfer whose message was another',
    ({ delivery }) => void (delivery.in_msg.opcode = '0x00000000'),
    'tx_failed',
    false,
  ],
  ['a transfer of nothing', ({ transfer }) => void (transfer.amount = '0'), 'unsupported_asset', false],
  ['less than the cheapest plan', ({ transfer }) => void (transfer.amount = '2999999'), 'amount_too_low', false],
  [
    'a block that the masterchain does not know yet',
    ({ delivery }) => void (delivery.mc_block_seqno = null),
    'awaiting_confirmations',
    true,
  ],
])('%s is no payment', async (_case, change, code, pending) => {
  const payment = pay(29);
  change(payment);
  const body = await verify(payment.wallet.in_msg.hash);
  expect(body).toMatchObject({ ok: false, verified: false, pending });
  expect(codeOf(body)).toBe(code);
});

function fail({ description }: Transaction): void {
  description.aborted = true;
  description.compute_ph.success = false;
}

test('a payment to somebody else is none, though its trace is known', async () => {
  const payment = rig.ton.pay(newAccount(), units(29));
  expect(codeOf(await verify(payment.wallet.hash))).toBe('no_payment_found');
});

test('a jetton that somebody made is not accepted, whatever its wallets notify of', async () => {
  const payment = pay(950, { master: newAccount() });
  expect(codeOf(await verify(payment.wallet.hash))).toBe('unsupported_asset');
  // Nor when the index does not look for the master that it was asked for.
  rig.ton.lie((path, answer) =>
    path === '/api/v3/jetton/transfers' ? { jetton_transfers: [payment.transfer] } : answer,
  );
  expect(codeOf(await verify(payment.wallet.hash))).toBe('unsupported_asset');
});

test('a transfer of another trace is not taken for one of this', async () => {
  const paid = pay(950);
  const forged = pay(29, { master: newAccount() });
  rig.ton.lie((path, answer) => (path === '/api/v3/jetton/transfers' ? { jetton_transfers: [paid.transfer] } : answer));
  expect(codeOf(await verify(forged.wallet.hash))).toBe('unsupported_asset');
  // Not even when the index calls it one of this trace: its transaction is not.
  const claimed = { ...paid.transfer, trace_id: forged.wallet.trace_id };
  rig.ton.lie((path, answer) => (path === '/api/v3/jetton/transfers' ? { jetton_transfers: [claimed] } : answer));
  expect(codeOf(await verify(forged.wallet.hash))).toBe('unsupported_asset');
});

test('coins of TON itself are not accepted', async () => {
  const payment = rig.ton.pay(rig.tonSettlement, 0n, { master: newAccount() });
  payment.notice.in_msg.opcode = null;
  payment.notice.in_msg.value = '5000000000';
  expect(codeOf(await verify(payment.wallet.hash))).toBe('unsupported_asset');
});

test('a payment waits for the block after its own', async () => {
  const payment = pay(29);
  payment.delivery.mc_block_seqno! += 2;
  const body = await verify(payment.wallet.hash);
  expect(body.reason).toMatch(/^awaiting_confirmations 0\/1\b/);
  rig.ton.mine();
  expect(await verify(payment.wallet.hash)).toMatchObject({ verified: true, confirmations: 1 });
});

test('a hash that the index does not know is pending', async () => {
  expect(codeOf(await verify('ab'.repeat(32)))).toBe('tx_not_found');
});

test('a payment that waited longer than 30 days brings no licence', async () => {
  const payment = pay(29, { at: Math.floor(Date.now() / 1000) - 31 * 86_400 });
  expect(codeOf(await verify(payment.wallet.hash))).toBe('tx_too_old');
});

test('however much a wallet receives at once, all of it is looked through, up to a bound', async () => {
  const payment = pay(29);
  const dust = Array.from({ length: 1_000 }, () => ({ ...payment.transfer, amount: '1', trace_id: newTrace() }));
  rig.ton.lie((path, answer) => {
    if (path !== '/api/v3/jetton/transfers') return answer;
    const offset = Number(new URL(rig.ton.asked.at(-1)!, 'http://index').searchParams.get('offset'));
    return { jetton_transfers: offset === 0 ? dust : [payment.transfer] };
  });
  expect((await verify(payment.wallet.hash)).verified).toBe(true);
  const buried = pay(29);
  rig.ton.lie((path, answer) => (path === '/api/v3/jetton/transfers' ? { jetton_transfers: dust } : answer));
  expect(codeOf(await verify(buried.wallet.hash))).toBe('network_unavailable');
});

const newTrace = () => Buffer.from(newAccount().slice(2), 'hex').toString('base64');

test.each<readonly [string, () => unknown]>([
  ['a status', () => 500],
  ['too many questions', () => 429],
  ['something else', () => ({ transactions: 'all' })],
  ['transactions without a description', () => ({ transactions: [{ hash: newTrace(), account: newAccount() }] })],
])('an index that answers with %s is not available', async (_case, lie) => {
  rig.ton.lie(lie);
  expect(codeOf(await verify('ab'.repeat(32)))).toBe('network_unavailable');
});

test('the trace of another transaction proves nothing', async () => {
  const [asked, other] = [pay(29), pay(950)];
  rig.ton.lie((path, answer) =>
    path === '/api/v3/traces'
      ? {
          traces: [
            { ...other.trace, trace_id: other.wallet.trace_id, transactions: { [other.sending.hash]: other.sending } },
          ],
        }
      : answer,
  );
  expect(codeOf(await verify(asked.wallet.hash))).toBe('network_unavailable');
});

test('the settlement address may be given in any spelling, and an index without a key is asked once a second', async () => {
  const ton = await startTonIndex();
  const friendly = Address.parse(rig.tonSettlement).toString({ bounceable: false });
  const env = { TON_API_URL: `${ton.url}/api/v3/`, TON_API_KEY: '', SETTLEMENT_ADDRESS_TON: friendly };
  const other = await startRig({ networks: [], nodes: 1, env });
  try {
    // The stand-in refuses who asks sooner.
    const payment = ton.pay(rig.tonSettlement, units(29));
    const { body } = await other.verify({ tx_hash: payment.transfer.transaction_hash });
    expect(body).toMatchObject({ verified: true, plan: 'pro' });
  } finally {
    await other.stop();
    ton.stop();
  }
});

test.each([
  ['an account to pay to', { TON_API_URL: 'http://127.0.0.1:1', TON_API_KEY: tonApiKey }],
  ['an index', { SETTLEMENT_ADDRESS_TON: `0:${'ab'.repeat(32)}` }],
])('without %s TON is not enabled', async (_case, env) => {
  const other = await startRig({ networks: [], nodes: 1, env });
  try {
    const { body } = await other.verify({ tx_hash: 'ab'.repeat(32) });
    expect(body).toMatchObject({ verified: false, pending: true, network: 'ton' });
    expect(codeOf(body)).toBe('network_not_enabled');
  } finally {
    await other.stop();
  }
});
