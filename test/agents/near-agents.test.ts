import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { startAgentStage } from './agent-stage.ts';

const secret = 'a-secret-of-the-market';
const [open, signed] = [await startAgentStage(), await startAgentStage({ env: { NEAR_AGENTS_SECRET: secret } })];
afterAll(async () => {
  await open.stop();
  await signed.stop();
});

const path = '/api/near-agents';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('a look says what is taken, and what a deliverable looks like', async () => {
  const answer = await fetch(open.service.url + path);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    ok: true,
    status: 'ready',
    service: 'svc-gateway',
    accepted_fields: expect.arrayContaining(['job_id', 'target_url', 'input.url', 'callback_url']),
    sample: { format: 'markdown', content: expect.stringContaining('# ') },
  });
  expect((await fetch(open.service.url + path, { method: 'DELETE' })).status).toBe(405);
});

describe('a job', () => {
  test.each([
    ['url', { url: 'https://shop.audit-sites.net/shoes' }],
    ['target_url', { target_url: 'shop.audit-sites.net/shoes', description: 'elsewhere.net' }],
    ['input.url', { input: { url: 'shop.audit-sites.net/shoes' } }],
    ['description', { event: 'job.created', title: 'An audit', description: 'Audit shop.audit-sites.net/shoes.' }],
    ['prompt', { prompt: 'How does https://shop.audit-sites.net/shoes do?', unknown: 1 }],
  ])('that names its site in %s is delivered at once', async (_where, body) => {
    const answer = await open.post(path, body);
    expect(answer.status).toBe(200);
    const { deliverable, audit } = answer.body;
    expect(answer.body).toMatchObject({
      ok: true,
      job_id: expect.stringMatching(/^job_[0-9a-f]{26}$/),
      status: 'completed',
      fulfilment: { status: 'completed', completed_at: expect.any(String), duration_ms: expect.any(Number) },
      deliverable: { format: 'markdown', sha256: sha256(deliverable.content) },
    });
    expect(deliverable.content).toContain('# Audit of shop.audit-sites.net');
    expect(audit).toMatchObject({ domain: 'shop.audit-sites.net', geo_score: 82, tier: 'free' });
  });

  test('is known by the first of its ids', async () => {
    for (const [body, id] of [
      [{ job_id: 'a', task_id: 'b', id: 'c' }, 'a'],
      [{ task_id: 'b', id: 'c' }, 'b'],
      [{ id: 7 }, '7'],
    ] as const)
      expect((await open.post(path, body)).body.job_id).toBe(id);
  });

  test('that names no site gets to know what there is', async () => {
    for (const body of [{}, { title: 'shop.audit-sites.net is but a title' }, '']) {
      const answer = await open.post(path, body);
      expect(answer.body).toMatchObject({ status: 'completed', fulfilment: { status: 'completed' }, audit: null });
      expect(answer.body.deliverable.content).toContain('What this agent does');
    }
  });

  test.each([
    ['https://127.0.0.1', 'ip_literal'],
    ['nowhere.audit-sites.net', 'dns_failure'],
  ])('for %s is done in part, and says %s', async (url, code) => {
    const { status, body } = await open.post(path, { url });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, status: 'completed', fulfilment: { status: 'partial' }, audit: null });
    expect(body.deliverable.content).toContain(code);
  });

  test('that comes again is given the same answer, to its sender alone', async () => {
    const from = { 'x-forwarded-for': '203.0.113.5' };
    const first = await open.post(path, { job_id: 'again', url: 'docs.audit-sites.net' }, from);
    const again = await open.post(path, { job_id: 'again', event: 'job.repeated' }, from);
    expect(again.body).toEqual(first.body);
    const other = await open.post(path, { job_id: 'again' }, { 'x-forwarded-for': '203.0.113.6' });
    expect(other.body.audit).toBe(null);
    await open.service.control.sql(`update webhook_jobs set expires_at = now() - interval '1 second'`);
    expect((await open.post(path, { job_id: 'again' }, from)).body.audit).toBe(null);
  });

  test('is done whatever credential it comes with: none is asked for', async () => {
    const { body } = await open.post(path, { url: 'docs.audit-sites.net' }, { authorization: 'Bearer of-the-market' });
    expect(body).toMatchObject({ fulfilment: { status: 'completed' }, audit: { domain: 'docs.audit-sites.net' } });
  });

  test('leaves nobody called back', async () => {
    let calls = 0;
    const listener = createServer((_request, response) => {
      calls += 1;
      response.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const callback_url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/done`;
    expect((await open.post(path, { job_id: 'called', callback_url })).status).toBe(200);
    const rows = await open.service.control.sql<{ callback_url: string }>(
      `select callback_url from webhook_jobs where job_id = 'called'`,
    );
    expect(rows).toEqual([{ callback_url }]);
    await new Promise((resolve) => listener.close(resolve));
    expect(calls).toBe(0);
  });

  test.each([
    ['no JSON', '{', 'malformed_json'],
    ['a list', '[]', 'malformed_json'],
    ['an id that is none', { job_id: {} }, 'invalid_request'],
    ['an id that is too long', { job_id: 'x'.repeat(257) }, 'invalid_request'],
    ['an id that nothing can hold', { job_id: '\0' }, 'invalid_request'],
    ['a site that is no text', { url: 5 }, 'invalid_request'],
    ['a description that is no text', { description: [] }, 'invalid_request'],
    ['a way back that is no text', { callback_url: {} }, 'invalid_request'],
  ])('that is %s is refused', async (_what, sent, code) => {
    const { status, body } = await open.post(path, sent);
    expect([status, body.code, body.ok]).toEqual([400, code, false]);
  });

  test('that is too large is refused', async () => {
    const { status, body } = await open.post(path, { description: 'x'.repeat(64 * 1024) });
    expect([status, body.code]).toEqual([413, 'body_too_large']);
  });

  test('takes from the rate of what it asks for, and nothing is kept of a refusal', async () => {
    const from = { 'x-forwarded-for': '203.0.113.8' };
    let count = 0;
    const ask = (url: string) => {
      count += 1;
      return open.post(path, { job_id: `late${count}`, url }, from);
    };
    let refused = await ask('localhost');
    // A little flows in all the time, so each is asked at once after the other.
    await expect
      .poll(
        async () => {
          if ((await ask('localhost')).status === 200) return 200;
          refused = await ask('docs.audit-sites.net');
          return refused.status;
        },
        { interval: 1 },
      )
      .toBe(429);
    expect(refused.body.code).toBe('rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const kept = await open.service.control.sql(`select 1 from webhook_jobs where job_id = $1`, [`late${count}`]);
    expect(kept).toEqual([]);
  });
});

describe('with a secret', () => {
  const body = JSON.stringify({ job_id: 'signed' });
  const signature = (text: string, key = secret) => `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;

  test('a signed job is answered', async () => {
    expect((await signed.post(path, body, { 'x-signature': signature(body) })).body).toMatchObject({
      job_id: 'signed',
    });
    // Whichever network the market sends from.
    const first = await signed.post(path, body, {
      'x-signature': signature(body).toUpperCase().replace('SHA256', 'sha256'),
    });
    expect(first.status).toBe(200);
  });

  test.each([
    ['no signature', undefined],
    ['one of another body', signature('{}')],
    ['one of another secret', signature(body, 'another-secret-here')],
    ['one that is cut', signature(body).slice(0, -2)],
    ['another kind', signature(body).replace('sha256', 'sha1')],
  ])('%s is 401', async (_what, given) => {
    const refused = await signed.post(path, body, given === undefined ? {} : { 'x-signature': given });
    expect([refused.status, refused.body.code]).toEqual([401, 'bad_signature']);
  });
});
