import { randomUUID } from 'node:crypto';
import * as current from '@modelcontextprotocol/client';
import { Client as ClassicClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, describe, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { freshAddress } from '../helpers/payments.ts';
import { books, statesOf } from '../payments/shop.ts';
import { startAgentStage } from './agent-stage.ts';

const payTo = freshAddress();
const chain = await startChain();
/** Every sale reads a host of its own: one may be fetched from six times a minute. */
const names = Array.from({ length: 60 }, (_one, at) => `p${at}.audit-sites.net`);
const stage = await startAgentStage(
  { env: { SETTLEMENT_ADDRESS: payTo, X402_SETTLER_KEY: chain.settlerKey, RPC_URL_BASE: chain.rpcUrl } },
  names,
  {
    // Nothing that PostgreSQL keeps: half a character, and none at all.
    'odd.audit-sites.net': {
      '/': '<script type="application/ld+json">{"@context":"https://schema.org","@type":"a\\ud800\\u0000b"}</script>',
      '/robots.txt': 'User-agent: *\nContent-Signal: search=\0yes\nDisallow: /\0',
    },
  },
);
afterAll(async () => {
  await stage.stop();
  await chain.stop();
});
const { control, url } = stage.service;
const fresh = () => names.pop()!;

interface Challenge {
  readonly x402Version: 2;
  readonly error: string;
  readonly resource: { readonly url: string };
  readonly accepts: readonly { readonly amount: string }[];
}

/** A payment as the published client of x402 makes it from a challenge. */
const payFor = async (challenge: unknown, payer: PrivateKeyAccount) =>
  new x402Client()
    .register('eip155:8453', new ExactEvmScheme(payer))
    .createPaymentPayload(challenge as Parameters<x402Client['createPaymentPayload']>[0]);

/** One more sale, to the unit, than before. */
async function expectSold(before: Awaited<ReturnType<typeof books>>, sales = 1n): Promise<void> {
  const after = await books(chain, control, payTo);
  expect(after.received - before.received).toBe(10_000n * sales);
  expect(after.revenue).toBe(after.received);
  expect(after.orders - before.orders).toBe(Number(sales));
}

describe('over MCP', () => {
  interface Result {
    readonly isError?: boolean;
    readonly structuredContent: Record<string, unknown>;
    readonly content: readonly { readonly text: string }[];
    readonly _meta?: Record<string, unknown>;
  }
  type Call = (url: string, payment?: unknown) => Promise<Result>;

  const paramsOf = (target: string, payment: unknown) => ({
    name: 'full_audit',
    arguments: { url: target },
    ...(payment === undefined ? {} : { _meta: { 'x402/payment': payment } }),
  });

  async function classic(): Promise<Call> {
    const client = new ClassicClient({ name: 'tests', version: '1' });
    await client.connect(new ClassicTransport(new URL('/api/mcp', url), { fetch: stage.client().fetch }));
    await client.listTools();
    return async (target, payment) => (await client.callTool(paramsOf(target, payment))) as unknown as Result;
  }

  const newer = (mode: current.VersionNegotiationMode) => async (): Promise<Call> => {
    const client = new current.Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new current.StreamableHTTPClientTransport(new URL('/api/mcp', url), { fetch: stage.client().fetch }),
    );
    await client.listTools();
    return async (target, payment) => (await client.callTool(paramsOf(target, payment))) as unknown as Result;
  };

  test.each([
    ['the classic SDK', classic],
    ['the current client in the older generation', newer('legacy')],
    ['the current client in the newer generation', newer('auto')],
  ])('%s is told the price, pays in the call and gets the whole audit', async (_name, connect) => {
    const call = await connect();
    const payer = await chain.payer();
    const before = await books(chain, control, payTo);
    const asked = await call('shop.audit-sites.net/shoes');
    expect(asked).toMatchObject({
      isError: true,
      structuredContent: {
        x402Version: 2,
        resource: { url: 'mcp://tool/full_audit' },
        accepts: [{ network: 'eip155:8453', amount: '10000', payTo }],
      },
    });
    expect(asked.content[0]!.text).toBe(JSON.stringify(asked.structuredContent));
    const payment = await payFor(asked.structuredContent, payer);
    const bought = await call('shop.audit-sites.net/shoes', payment);
    expect(bought.isError).toBe(undefined);
    expect(bought.structuredContent).toMatchObject({
      ok: true,
      tier: 'audit',
      geo_score: 82,
      report: expect.any(Object),
    });
    expect(String(bought.structuredContent.generated_jsonld)).not.toContain('redacted');
    expect(bought._meta!['x402/payment-response']).toMatchObject({
      success: true,
      network: 'eip155:8453',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    await expectSold(before);
    await expect.poll(() => statesOf(control, payer.address)).toMatchObject([{ state: 'delivered' }]);
    // Once used it is asked for again.
    const again = await call('shop.audit-sites.net/shoes', payment);
    expect(again).toMatchObject({
      isError: true,
      structuredContent: { x402Version: 2, error: 'invalid_exact_evm_nonce_already_used' },
    });
    await expectSold(before);
  });

  test('whoever brings no payment is asked for one, whatever else is wrong', async () => {
    const call = await classic();
    for (const target of ['https://127.0.0.1', 'http://x', '']) {
      expect((await call(target)).structuredContent).toMatchObject({ x402Version: 2, error: 'Payment required' });
    }
  });

  test('with a payment a bad site is refused before anything is paid, and the payment is good for another', async () => {
    const call = await classic();
    const payer = await chain.payer();
    const before = await books(chain, control, payTo);
    const payment = await payFor((await call('x')).structuredContent, payer);
    for (const [target, code] of [
      ['https://127.0.0.1', 'ip_literal'],
      ['nowhere.audit-sites.net', 'dns_failure'],
    ] as const)
      expect(await call(target, payment)).toMatchObject({ isError: true, structuredContent: { code } });
    await expectSold(before, 0n);
    expect((await call(fresh(), payment)).structuredContent).toMatchObject({ ok: true });
    await expectSold(before);
  });

  test('a payment that is none, or not enough, is asked for again', async () => {
    const call = await classic();
    const payer = await chain.payer();
    const before = await books(chain, control, payTo);
    const asked = (await call('x')).structuredContent as unknown as Challenge;
    const good = await payFor(asked, payer);
    const poor = await payFor(asked, await chain.payer(0n));
    for (const payment of [
      'text',
      {},
      [],
      null,
      { ...good, x402Version: 3 },
      { ...good, payload: { ...good.payload, signature: `0x${'1'.repeat(130)}` } },
      { ...good, resource: { ...good.resource, url: `${url}/api/x402-audit` } },
      { ...good, padding: 'x'.repeat(10_000) },
      poor,
    ]) {
      const refused = await call(fresh(), payment);
      expect(refused, JSON.stringify(payment).slice(0, 80)).toMatchObject({
        isError: true,
        structuredContent: { x402Version: 2, accepts: [{ amount: '10000' }] },
      });
      expect(refused.structuredContent.error).not.toBe('Payment required');
    }
    await expectSold(before, 0n);
  });

  test('ten calls at once with one payment get one audit', async () => {
    const call = await classic();
    const before = await books(chain, control, payTo);
    const payment = await payFor((await call('x')).structuredContent, await chain.payer());
    const target = fresh();
    const results = await Promise.all(Array.from({ length: 10 }, () => call(target, payment)));
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(1);
    await expectSold(before);
  });
});

describe.each([
  ['1.0', 'SendMessage', 'ROLE_USER', (result: { task: Task }) => result.task],
  ['0.3', 'message/send', 'user', (result: unknown) => result as Task],
] as const)('over A2A %s', (version, method, role, taskOf) => {
  const part = (data: object) => (version === '1.0' ? { data } : { kind: 'data', data });
  const send = async (
    data: object,
    more: object = {},
    messageId: string = randomUUID(),
    headers: Record<string, string> = {},
  ): Promise<Task> => {
    const message = { messageId, role, parts: [part(data)], ...more };
    const { body } = await stage.post('/api/a2a', { jsonrpc: '2.0', id: 1, method, params: { message } }, headers);
    expect(body.error).toBe(undefined);
    return taskOf(body.result);
  };
  const submitted = (payload: unknown) => ({
    metadata: { 'x402.payment.status': 'payment-submitted', 'x402.payment.payload': payload },
  });
  const isDone = /^(TASK_STATE_COMPLETED|completed)$/;
  const isWaiting = /^(TASK_STATE_INPUT_REQUIRED|input-required)$/;

  test('a task waits for its payment, is paid inside itself, and is done', async () => {
    const payer = await chain.payer();
    const before = await books(chain, control, payTo);
    const target = fresh();
    const asked = await send({ url: target, skill: 'full-audit' });
    expect(asked.status.state).toMatch(isWaiting);
    const { metadata } = asked.status.message;
    expect(metadata).toMatchObject({
      'x402.payment.status': 'payment-required',
      'x402.payment.required': {
        x402Version: 2,
        resource: { url: `${url}/api/a2a` },
        accepts: [{ amount: '10000', payTo }],
      },
    });
    const payment = await payFor(metadata!['x402.payment.required'], payer);
    const messageId = randomUUID();
    const pay = () => send({}, { taskId: asked.id, ...submitted(payment) }, messageId);
    const done = await pay();
    expect(done).toMatchObject({ id: asked.id, contextId: asked.contextId });
    expect(done.status.state).toMatch(isDone);
    expect(done.status.message.metadata).toMatchObject({
      'x402.payment.status': 'payment-completed',
      'x402.payment.receipts': [{ success: true, transaction: expect.stringMatching(/^0x/) }],
    });
    expect(done.artifacts[0]!.parts[0]!.data).toMatchObject({ ok: true, domain: target, tier: 'audit' });
    expect(done.artifacts[1]!.parts[0]!.text).toContain(`# Audit of ${target.replaceAll('-', '\\-')}`.slice(0, 12));
    await expectSold(before);
    await expect.poll(() => statesOf(control, payer.address)).toMatchObject([{ state: 'delivered' }]);
    // Sent once more since its answer may have been lost.
    expect(await pay()).toEqual(done);
    await expectSold(before);
  });

  test('a payment that is not taken leaves the task waiting for a better one', async () => {
    const before = await books(chain, control, payTo);
    const asked = await send({ url: fresh(), skill: 'full-audit' });
    const required = asked.status.message.metadata!['x402.payment.required'];
    const poor = await send({}, { taskId: asked.id, ...submitted(await payFor(required, await chain.payer(0n))) });
    expect(poor.status.state).toMatch(isWaiting);
    expect(poor.status.message.metadata).toMatchObject({
      'x402.payment.status': 'payment-failed',
      'x402.payment.error': 'invalid_exact_evm_insufficient_balance',
      'x402.payment.required': required && { accepts: [{ amount: '10000' }] },
    });
    for (const payload of [undefined, 'text', {}]) {
      const none = await send({}, { taskId: asked.id, ...submitted(payload) });
      expect(none.status.message.metadata).toMatchObject({ 'x402.payment.status': 'payment-failed' });
    }
    await expectSold(before, 0n);
    const done = await send({}, { taskId: asked.id, ...submitted(await payFor(required, await chain.payer())) });
    expect(done.status.state).toMatch(isDone);
    await expectSold(before);
  });

  test('who knows the price pays with the first message', async () => {
    const before = await books(chain, control, payTo);
    const asked = await send({ url: fresh(), skill: 'full-audit' });
    const payment = await payFor(asked.status.message.metadata!['x402.payment.required'], await chain.payer());
    const done = await send({ url: fresh(), skill: 'full-audit' }, submitted(payment));
    expect(done.status.state).toMatch(isDone);
    await expectSold(before);
  });

  test('a first message with its payment, twice at once, is one task with what was paid for', async () => {
    const before = await books(chain, control, payTo);
    const payer = await chain.payer();
    const asked = await send({ url: fresh(), skill: 'full-audit' });
    const payment = await payFor(asked.status.message.metadata!['x402.payment.required'], payer);
    const [target, messageId] = [fresh(), randomUUID()];
    const from = { 'x-forwarded-for': `203.0.113.${version === '1.0' ? 30 : 31}` };
    const pay = () => send({ url: target, skill: 'full-audit' }, submitted(payment), messageId, from);
    const answers = await Promise.all([pay(), pay()]);
    // Whichever was the faster: who sends it again has the report.
    const done = await pay();
    expect(answers.map(({ id }) => id)).toEqual([done.id, done.id]);
    expect(done.status.state).toMatch(isDone);
    expect(done.artifacts[0]!.parts[0]!.data).toMatchObject({ domain: target, tier: 'audit' });
    await expectSold(before);
    await expect.poll(() => statesOf(control, payer.address)).toMatchObject([{ state: 'delivered' }]);
  });

  test('whatever a page says of itself, the report that was paid for can be kept', async () => {
    const before = await books(chain, control, payTo);
    const asked = await send({ url: 'odd.audit-sites.net', skill: 'full-audit' });
    const payment = await payFor(asked.status.message.metadata!['x402.payment.required'], await chain.payer());
    const done = await send({}, { taskId: asked.id, ...submitted(payment) });
    expect(done.status.state).toMatch(isDone);
    expect(done.artifacts[0]!.parts[0]!.data).toMatchObject({ report: { node_types: ['a\ufffd b'] } });
    await expectSold(before);
  });

  test('what is paid for and could not be kept is had by the same message again, and not paid again', async () => {
    const before = await books(chain, control, payTo);
    const payer = await chain.payer();
    const target = fresh();
    const asked = await send({ url: target, skill: 'full-audit' });
    const payment = await payFor(asked.status.message.metadata!['x402.payment.required'], payer);
    const message = { messageId: randomUUID(), role, parts: [part({})], taskId: asked.id, ...submitted(payment) };
    const pay = () => stage.post('/api/a2a', { jsonrpc: '2.0', id: 1, method, params: { message } });
    await control.sql(
      `create or replace function refuse_tasks() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`,
    );
    await control.sql('create trigger refuse_tasks before update on a2a_tasks execute function refuse_tasks()');
    try {
      const lost = await pay();
      expect([lost.status, lost.body.error.code]).toEqual([200, -32_603]);
      expect(lost.text).not.toContain('no room');
    } finally {
      await control.sql('drop trigger refuse_tasks on a2a_tasks');
    }
    await expectSold(before);
    // The payment is let go of once the answer is written out, which may be a moment later.
    await expect.poll(async () => taskOf((await pay()).body.result).status.state).toMatch(isDone);
    const { body } = await pay();
    expect(taskOf(body.result).artifacts[0]!.parts[0]!.data).toMatchObject({ domain: target, tier: 'audit' });
    await expectSold(before);
    await expect.poll(() => statesOf(control, payer.address)).toMatchObject([{ state: 'delivered' }]);
  });

  test('a site that cannot be had costs nothing', async () => {
    const before = await books(chain, control, payTo);
    const payer = await chain.payer();
    const asked = await send({ url: 'nowhere.audit-sites.net', skill: 'full-audit' });
    const payment = await payFor(asked.status.message.metadata!['x402.payment.required'], payer);
    const failed = await send({}, { taskId: asked.id, ...submitted(payment) });
    expect(failed.status.state).toMatch(/^(TASK_STATE_FAILED|failed)$/);
    await expectSold(before, 0n);
    expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n);
  });
});

interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: {
    readonly state: string;
    readonly message: { readonly metadata?: Record<string, unknown> };
  };
  readonly artifacts: readonly {
    readonly parts: readonly { readonly data?: Record<string, unknown>; readonly text?: string }[];
  }[];
}
