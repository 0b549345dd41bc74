import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const payTo = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';
const service = await startService({
  env: { TRUSTED_PROXIES: '127.0.0.1/32', SETTLEMENT_ADDRESS: payTo.toLowerCase() },
  jobs: false,
  nodes: 1,
});
afterAll(() => service.stop());
const { nobody, admin } = service.actors;
const { sql } = service.control;
const call = documentedCalls(service);

let last = 0;
const from = () => {
  last += 1;
  return { 'x-forwarded-for': `203.0.${Math.floor(last / 250)}.${(last % 250) + 1}` };
};
const inquire = (body: object, headers: Record<string, string> = from()) =>
  call(nobody, 'POST', '/api/inquiry', { body, headers });

/** All that may be written, each with something that is found wherever it leaks to. */
const whole = {
  email: 'ada.of.kestrel@shop.example.org',
  name: 'Ada (Kestrel)',
  company: 'Kestrel & Sons',
  buyer_domain: 'Shop.Example.ORG',
  kind: 'licence',
  offer_usd: 900.5,
  message: 'Is there a licence for two kestrels?\nWe are in a hurry.',
};
const personal = /kestrel/i;

test('an inquiry is recorded, and answered with how the buyout is paid', async () => {
  const { status, body, text } = await inquire(whole);
  expect(status).toBe(200);
  expect(body).toEqual({
    ok: true,
    inquiry_id: expect.stringMatching(/^inq_/),
    status: 'recorded',
    received_at: expect.stringMatching(/Z$/),
    settlement: {
      network: 'base',
      caip2: 'eip155:8453',
      chain_id: 8453,
      asset: 'USDC',
      asset_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      pay_to: payTo,
      price_usd: '950.00',
      amount: '950000000',
      buy_url: '/api/x402-buyout?buyer_domain=shop.example.org',
    },
  });
  expect(text).not.toMatch(personal);
  expect(await sql(`select * from inquiries where id = '${body.inquiry_id}'`)).toEqual([
    {
      id: body.inquiry_id,
      ...whole,
      buyer_domain: 'shop.example.org',
      offer_usd: '900.50',
      created_at: new Date(body.received_at),
    },
  ]);
});

test('a mail address is all that is needed', async () => {
  const { status, body } = await inquire({ email: 'bob@b.example.org' });
  expect([status, body.settlement.buy_url]).toEqual([200, '/api/x402-buyout']);
  expect(await sql(`select kind, offer_usd, message from inquiries where id = '${body.inquiry_id}'`)).toEqual([
    { kind: 'acquisition', offer_usd: null, message: null },
  ]);
});

test.each<[string, unknown, string]>([
  ['email', undefined, 'is required'],
  ['email', '', 'must be a mail address'],
  ['email', 'a@b@c.example.org', 'must be a mail address'],
  ['email', `${'x'.repeat(250)}@b.cd`, 'at most 254 characters'],
  ['email', 5, 'must be a text'],
  ['name', 'x'.repeat(201), 'at most 200 characters'],
  ['company', 'a\nb', 'must not contain control characters'],
  ['buyer_domain', 'https://shop.example.org', 'must be a host name such as shop.example.org'],
  ['buyer_domain', 'shop.example.org/path', 'must be a host name such as shop.example.org'],
  ['buyer_domain', 'localhost', 'must be a host name such as shop.example.org'],
  ['buyer_domain', '127.0.0.1', 'must be a host name such as shop.example.org'],
  ['kind', 'gift', 'must be one of acquisition, licence, question'],
  ['offer_usd', -1, 'at least 0'],
  ['offer_usd', 10_000_000.01, 'at most 10000000'],
  ['offer_usd', 1.001, 'has two decimals at most'],
  ['offer_usd', 1e-7, 'has two decimals at most'],
  ['offer_usd', '5', 'must be a number'],
  ['message', 'x'.repeat(4_001), 'at most 4000 characters'],
  ['message', 'a\0b', 'contains a NUL character'],
])('%s = %j is refused: %s', async (field, value, message) => {
  const [before] = await sql<{ count: bigint }>('select count(*) from inquiries');
  const { status, body } = await inquire({ ...whole, [field]: value });
  expect([status, body.code, body.errors]).toEqual([400, 'invalid_request', [{ field, message }]]);
  expect(await sql('select count(*) from inquiries')).toEqual([before]);
});

test.each([0, 10_000_000, 0.1, 99.99])('an offer of %d is kept to the cent', async (offer_usd) => {
  const { body } = await inquire({ email: 'bob@b.example.org', offer_usd });
  const [row] = await sql<{ offer_usd: string }>(`select offer_usd from inquiries where id = '${body.inquiry_id}'`);
  expect(row!.offer_usd).toBe(offer_usd.toFixed(2));
});

test('a program that fills in every field is told the same, and nothing is kept', async () => {
  const [before] = await sql<{ count: bigint }>('select count(*) from inquiries');
  const { status, body } = await inquire({ ...whole, website: 'https://spam.example.org' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, inquiry_id: expect.stringMatching(/^inq_/), status: 'recorded' });
  expect(await sql('select count(*) from inquiries')).toEqual([before]);
});

test('the same key and body is the same inquiry, and another body under it is a conflict', async () => {
  const headers = { ...from(), 'idempotency-key': 'inquiry-1' };
  const first = await inquire(whole, headers);
  const again = await inquire(whole, headers);
  expect(again.body).toEqual(first.body);
  expect(await sql(`select id from inquiries where id = '${first.body.inquiry_id}'`)).toHaveLength(1);
  const other = await inquire({ ...whole, message: 'Another.' }, headers);
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  const kept = await sql<{ row: string }>(`select encode(outcome, 'escape') || digest as row from idempotency_keys`);
  expect(JSON.stringify(kept)).not.toMatch(personal);
});

test('the graph records the same', async () => {
  const { data, errors } = await service.graphql(
    nobody,
    `mutation ($input: RecordInquiryInput!) { recordInquiry(input: $input) { inquiryId receivedAt payTo } }`,
    {
      input: {
        email: whole.email,
        name: whole.name,
        buyerDomain: whole.buyer_domain,
        kind: 'QUESTION',
        offerUsd: 1.5,
        message: whole.message,
        website: null,
      },
    },
    from(),
  );
  expect(errors).toBeUndefined();
  const { inquiryId } = data.recordInquiry;
  expect(data.recordInquiry).toMatchObject({ inquiryId: expect.stringMatching(/^inq_/), payTo });
  expect(await sql(`select kind, buyer_domain, offer_usd, company from inquiries where id = '${inquiryId}'`)).toEqual([
    { kind: 'question', buyer_domain: 'shop.example.org', offer_usd: '1.50', company: null },
  ]);
  const refused = await service.graphql(
    nobody,
    'mutation { recordInquiry(input: { email: "a@b.cd", buyerDomain: "x" }) { inquiryId } }',
    {},
    from(),
  );
  expect(refused.errors![0]!.extensions).toMatchObject({ details: { field: 'buyerDomain' } });
});

test('what people wrote is in no log, no trail and no answer', async () => {
  await inquire(whole);
  await inquire({ ...whole, kind: 'gift' });
  const { text: trail } = await call(admin, 'GET', '/mail/v1/admin/outbox');
  expect(trail).not.toMatch(personal);
  expect(JSON.stringify(await sql('select * from audit_events'))).not.toMatch(personal);
  expect(JSON.stringify(service.logged())).not.toMatch(personal);
});

test('an inquiry is kept for a year', async () => {
  const { body: old } = await inquire(whole);
  const { body: young } = await inquire(whole);
  await sql(`update inquiries set created_at = now() - interval '366 days' where id = '${old.inquiry_id}'`);
  await sql(`update inquiries set created_at = now() - interval '364 days' where id = '${young.inquiry_id}'`);
  const { services } = service.app;
  const ctx = jobContext(services, new AbortController().signal);
  await keepHouse({ ctx, log: services.log, mailer: { configured: false } } as unknown as TaskContext, {});
  const left = await sql<{ id: string }>(
    `select id from inquiries where id in ('${old.inquiry_id}', '${young.inquiry_id}')`,
  );
  expect(left).toEqual([{ id: young.inquiry_id }]);
});
