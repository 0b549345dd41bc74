import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { imageType } from '../../engines/ai/image-type.ts';
import { faults } from '../helpers/ai-server.ts';
import { startChain } from '../helpers/chain.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { challengeOf, decoded, paying, sign } from '../payments/shop.ts';
import { startAiWorld } from './stage.ts';

const chain = await startChain({ chainId: 84_532 });
const world = await startAiWorld({
  env: { X402_SETTLER_KEY: chain.settlerKey, RPC_URL_BASE_SEPOLIA: chain.rpcUrl },
});
afterAll(async () => {
  await world.stop();
  await chain.stop();
});
const { server, service, project, call, holds } = world;
const { nobody, admin } = service.actors;

const prompt = 'A lighthouse in fog';
const make = (actor: Parameters<typeof call>[0], body: object = { prompt }, headers: Record<string, string> = {}) =>
  call(actor, 'POST', '/generate-image/v1', { body, headers });
const history = async (orgId: string) =>
  (await call(admin, 'GET', `/orgs/v1/${orgId}/billing/history`)).body.entries.map(
    ({ kind, amount_usd_micros: amount }: { kind: string; amount_usd_micros: number }) => [kind, amount],
  );

test('the price is told to anybody', async () => {
  expect(await call(nobody, 'GET', '/generate-image/v1')).toMatchObject({
    status: 200,
    body: {
      method: 'POST',
      path: '/generate-image/v1',
      available: true,
      price_usd_micros: 30_000,
      network: 'base-sepolia',
      aspects: ['square', 'landscape', 'portrait'],
    },
  });
});

test('an image is paid from the balance of the project’s organization', async () => {
  const { key, orgId, balance } = await project({ credit: 100_000 });
  const answer = await make(key, { prompt, aspect: 'portrait' });
  expect(answer).toMatchObject({ status: 200, body: { content_type: 'image/png', aspect: 'portrait' } });
  expect(imageType(Buffer.from(answer.body.image, 'base64'))).toBe('image/png');
  expect(answer.headers.get('payment-response')).toBeNull();
  expect(server.asked.at(-1)!.body).toMatchObject({ model: 'paint-1', prompt, size: '1024x1536' });
  expect(await balance()).toEqual({ available: 70_000, held: 0 });
  expect(await history(orgId)).toEqual([
    ['image', 30_000],
    ['hold', 30_000],
    ['adjustment', 100_000],
  ]);
});

test('a wallet pays from its own organization, and names no project', async () => {
  const { wallet, balance } = await project({ credit: 30_000 });
  expect(await make(wallet)).toMatchObject({ status: 200, body: { aspect: 'square' } });
  expect(await balance()).toEqual({ available: 0, held: 0 });
  const refused = await make(wallet);
  expectRefusal(refused, 'PAYMENT_REQUIRED', { required_usd_micros: 30_000, available_usd_micros: 0 });
  expect(challengeOf(refused).accepts[0]).toMatchObject({ network: 'eip155:84532', amount: '30000' });
});

test('of calls that come at once only those are served that the balance covers', async () => {
  const { key, balance } = await project({ credit: 70_000 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => make(key)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 402, 402, 402]);
  expect(await balance()).toEqual({ available: 10_000, held: 0 });
});

test('the same key makes one image', async () => {
  const { key, balance } = await project({ credit: 60_000 });
  const headers = { 'idempotency-key': randomUUID() };
  const [one, other] = [await make(key, { prompt }, headers), await make(key, { prompt }, headers)];
  expect(other.body).toEqual(one.body);
  expect((await balance()).available).toBe(30_000);
});

test('whoever pays on chain needs no credential, and the same payment is answered once more', async () => {
  const asked = server.asked.length;
  const unpaid = await make(nobody);
  expectRefusal(unpaid, 'PAYMENT_REQUIRED', { price: { sku: 'image', amount_usd_micros: 30_000 } });
  // Nobody is asked before somebody pays.
  expect(server.asked.length).toBe(asked);
  const payer = await chain.payer(1_000_000n);
  const payment = paying(await sign(payer, challengeOf(unpaid).accepts[0]));
  const paid = await make(nobody, { prompt }, payment);
  expect(paid).toMatchObject({ status: 200, body: { content_type: 'image/png' } });
  expect(decoded(paid.headers.get('payment-response'))).toMatchObject({ success: true, network: 'eip155:84532' });
  expect(await chain.balanceOf(payer.address)).toBe(970_000n);

  const repeated = await make(nobody, { prompt }, payment);
  expect(repeated.body).toEqual(paid.body);
  expect(repeated.headers.get('x-svc-payment-delivery')).toBe('replay');
  expect(server.asked.length).toBe(asked + 1);
  expect(await chain.balanceOf(payer.address)).toBe(970_000n);
  expectRefusal(await make(nobody, { prompt: 'Another one' }, payment), 'PAYMENT_PROOF_MISMATCH');
});

test('a payment whose first answer is still on its way is answered as well', async () => {
  const unpaid = await make(nobody);
  const payer = await chain.payer(1_000_000n);
  const payment = paying(await sign(payer, challengeOf(unpaid).accepts[0]));
  const paid = await make(nobody, { prompt }, payment);
  expect(paid.status).toBe(200);
  const id = paid.headers.get('x-svc-payment-id');
  // As it stands between the commit and the note that the answer was written out.
  await expect
    .poll(() => service.control.sql('select state from payments where id = $1', [id]))
    .toEqual([{ state: 'delivered' }]);
  await service.control.sql(
    `update payments set state = 'settled', lease_token = gen_random_uuid()::text, lease_until = now() + interval '1 minute'
     where id = $1`,
    [id],
  );
  const repeated = await make(nobody, { prompt }, payment);
  expect(repeated.body).toEqual(paid.body);
  expect(repeated.headers.get('x-svc-payment-delivery')).toBe('replay');
  expect(await chain.balanceOf(payer.address)).toBe(970_000n);
});

test('a payment for an image that was not made is not taken, and is good for the next try', async () => {
  const payer = await chain.payer(1_000_000n);
  const payment = paying(await sign(payer, challengeOf(await make(nobody)).accepts[0]));
  server.next(faults.html);
  expect((await make(nobody, { prompt }, payment)).status).toBe(502);
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000n);
  expect((await make(nobody, { prompt }, payment)).status).toBe(200);
  expect(await chain.balanceOf(payer.address)).toBe(970_000n);
});

test('a wallet whose balance is short pays on chain, and its history shows both ways', async () => {
  const { wallet, orgId } = await service.owner();
  const payer = await chain.payer(1_000_000n);
  const payment = paying(await sign(payer, challengeOf(await make(wallet)).accepts[0]));
  expect((await make(wallet, { prompt }, payment)).status).toBe(200);
  expect(await history(orgId)).toEqual([
    ['image', 30_000],
    ['x402_payment', 30_000],
  ]);
});

test('what a lost node has held is released', async () => {
  const { key, orgId, balance } = await project({ credit: 30_000 });
  const gate = faults.gated({ data: [] });
  server.next(gate.instead);
  const lost = make(key);
  await gate.arrived;
  expect(await balance()).toEqual({ available: 0, held: 30_000 });
  await service.control.sql(`update ai_holds set expires_at = now() - interval '1 second' where org_id = $1`, [orgId]);
  await service.control.sql(`select graphile_worker.add_job('release_ai_holds')`);
  await expect.poll(balance).toEqual({ available: 30_000, held: 0 });
  gate.open();
  expect((await lost).status).toBeGreaterThanOrEqual(500);
  expect(await balance()).toEqual({ available: 30_000, held: 0 });
  expect(await holds()).toBe(0);
});

test('an image that comes after its hold was released is not paid, and not given', async () => {
  const { key, orgId, balance } = await project({ credit: 30_000 });
  const image = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
  const gate = faults.gated({ data: [{ b64_json: image }] });
  server.next(gate.instead);
  const late = make(key);
  await gate.arrived;
  await service.control.sql(`update ai_holds set expires_at = now() - interval '1 second' where org_id = $1`, [orgId]);
  await service.control.sql(`select graphile_worker.add_job('release_ai_holds')`);
  await expect.poll(balance).toEqual({ available: 30_000, held: 0 });
  gate.open();
  expectRefusal(await late, 'SERVICE_UNAVAILABLE');
  expect(await balance()).toEqual({ available: 30_000, held: 0 });
});

test.each([
  [{}, 'prompt'],
  [{ prompt: ' ' }, 'prompt'],
  [{ prompt, aspect: 'round' }, 'aspect'],
])('%o is refused before anything is asked for', async (body, field) => {
  expectRefusal(await make(nobody, body), 'VALIDATION_FAILED', { field });
});
