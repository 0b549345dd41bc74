import { afterAll, expect, test } from 'vitest';
import { describedBy } from '../helpers/described.ts';
import { type PgProxy, startPgProxy } from '../helpers/pg-proxy.ts';
import { startService } from '../helpers/service.ts';

// What anybody may ask of the gateway's state. Contract 04, section 3.9.

let proxy: PgProxy | undefined;
const service = await startService({
  nodes: 1,
  databaseUrl: async (control) => {
    proxy = await startPgProxy(control.url);
    return proxy.url;
  },
  env: { PUBLIC_BASE_URL: 'https://gateway.example' },
});
const bare = await startService({ nodes: 1 });
afterAll(async () => {
  await service.stop();
  await bare.stop();
  await proxy?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by its keys.
const platform = describedBy((await service.call<any>(service.actors.nobody, 'GET', '/openapi/platform.json')).body);
const ask = async (path: string, from = service) => {
  // biome-ignore lint/suspicious/noExplicitAny: what is held against it is said beside each call.
  const answer = await from.call<any>(from.actors.nobody, 'GET', path);
  platform.expectDescribed('GET', path, answer);
  return answer;
};

test('whoever asks is told the version, what can be asked, and whom to write to', async () => {
  const { status, body, headers } = await ask('/status');
  expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=30']);
  expect(body).toMatchObject({
    schema: 'svc-status-v1',
    status: 'ok',
    deployment: { version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    operator: { name: 'gateway.example', contact: 'https://gateway.example/api/inquiry' },
  });
  expect(body.uptime_seconds).toBeGreaterThanOrEqual(0);
  expect(body.capabilities).toEqual(expect.arrayContaining(['graphql', 'rest', 'live', 'mcp']));
});

test('it promises no payments that it cannot take, and no history that it does not keep', async () => {
  const { body } = await ask('/status', bare);
  const { body: health } = await bare.call<{ settlement: { mode: string } }>(bare.actors.nobody, 'GET', '/api/health');
  expect(health.settlement.mode).toBe('unavailable');
  expect(body.capabilities).not.toContain('x402');
  expect(body).not.toHaveProperty('uptime');
  expect(body.operator).toEqual({ name: 'svc-gateway', contact: '/api/inquiry' });
});

test('a gateway that serves is healthy, also where payments were not set up', async () => {
  const { status, body } = await ask('/health');
  expect([status, body.status]).toEqual([200, 'healthy']);
  expect(body.checks).toMatchObject({ database: 'ok', node: 'ok' });
});

test('neither is for other methods than GET and HEAD', async () => {
  for (const path of ['/status', '/health']) {
    expect((await service.call(service.actors.nobody, 'POST', path, { body: {} })).status).toBe(405);
    expect((await service.call(service.actors.nobody, 'HEAD', path)).status).toBe(200);
  }
});

test('without its database it is unhealthy with 503, while its status stays readable with 200', async () => {
  proxy!.cut();
  try {
    // What was looked at a moment ago is believed for ten seconds.
    await expect
      .poll(() => ask('/health'), { interval: 200 })
      .toMatchObject({ status: 503, body: { status: 'unhealthy', checks: { database: 'down' } } });
    const { status, body } = await ask('/status');
    expect([status, body.status]).toEqual([200, 'degraded']);
  } finally {
    proxy!.mend();
  }
});
