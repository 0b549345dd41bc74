import { afterAll, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { until } from '../helpers/until.ts';

// Hardly more than the gateway's own pool and its jobs take: many projects at once want what is not there.
const world = await startFaultyWorld({ max_connections: '45' });
const gateway = await world.start({ LOG_LEVEL: 'error' });
afterAll(() => world.stop());

test('many projects at once on few connections: requests of the control plane go on, refusals may be repeated, and all recover', async () => {
  const { wallet, orgId } = await world.owner(gateway);
  const call = <Body>(method: string, path: string, body?: object) =>
    gateway.call<Body>(gateway.as(wallet), method, path, body === undefined ? {} : { body });
  const asks: ((sql: string) => ReturnType<typeof gateway.call<ErrorEnvelope>>)[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { wallet: owner, orgId: org_id } = n === 0 ? { wallet, orgId } : await world.owner(gateway);
    const made = await gateway.call<{ project_id: string }>(gateway.as(owner), 'POST', '/projects/v1', {
      body: { org_id },
    });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    const ask = (sql: string) =>
      gateway.call<ErrorEnvelope>(gateway.as(owner), 'POST', `/projects/v1/admin/${made.body.project_id}/sql`, {
        body: { sql },
      });
    asks.push(ask);
  }
  const flood = asks.flatMap((ask) => Array.from({ length: 30 }, () => ask('select pg_sleep(0.5)')));
  const [control, answers] = await Promise.all([
    Promise.all(Array.from({ length: 30 }, () => call('GET', `/orgs/v1/${orgId}`))),
    Promise.all(flood),
  ]);
  for (const { status, text } of control) expect(status, text).toBe(200);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  for (const { status, body, text } of answers)
    if (status !== 200) {
      expect([429, 503], text).toContain(status);
      expect(body).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/), retryable: true });
    }
  for (const ask of asks) await until(async () => expect((await ask('select 1')).status).toBe(200));
  expect((await call('GET', '/readyz')).status).toBe(200);
  expect(gateway.stderr()).not.toMatch(/uncaught|unhandled/i);
});
