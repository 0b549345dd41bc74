import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { rawAnswer, rawConnection } from '../helpers/raw-http.ts';
import { startService } from '../helpers/service.ts';

test('callers who keep every connection busy do not make the server unready', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const { wallet, orgId } = await service.owner();
  const [locker, watcher] = [0, 1].map(() => new pg.Client({ connectionString: service.control.url }));
  await Promise.all([locker!.connect(), watcher!.connect()]);
  onTestFinished(() => watcher!.end());
  await locker!.query('begin; lock table orgs in access exclusive mode');
  const held = Array.from({ length: 40 }, () => service.call(wallet, 'GET', `/orgs/v1/${orgId}`));
  // Of the pool, which has twenty connections; a few more wait on those that reads share.
  const waiting = async () => {
    const { rows } = await watcher!.query(
      `select from pg_stat_activity where application_name = 'svc-gateway' and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  await vi.waitFor(async () => expect(await waiting()).toBe(20), { timeout: 15_000 });
  expect((await service.call(service.actors.nobody, 'GET', '/readyz')).status).toBe(200);
  expect((await service.call(service.actors.nobody, 'GET', '/api/health')).body).toMatchObject({ status: 'ok' });
  expect(await waiting()).toBe(20);
  await locker!.end();
  await Promise.all(held);
});

test('an answer that is given while the server drains ends its connection', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const connection = rawConnection(service.url);
  const headers = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue'];
  connection.send(['POST /orgs/v1 HTTP/1.1', ...headers, '', ''].join('\r\n'));
  await connection.heard(/100 Continue/);
  const stopped = service.app.stop();
  connection.send('{}');
  expect(await connection.heard(/401 .*\r\n\r\n/s)).toMatch(/\r\nconnection: close\r\n/i);
  await stopped;
});

test('a client that keeps its connection is sent elsewhere while the port is still open', async () => {
  const service = await startService({ env: { DRAIN_SECONDS: '2' } });
  onTestFinished(() => service.stop());
  const connection = rawConnection(service.url);
  const ask = () => connection.send('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  ask();
  expect(await connection.heard(/"ready":true}/)).not.toMatch(/connection: close/i);
  const stopped = service.app.stop();
  ask();
  expect(await connection.heard()).toMatch(/503 [^{]*\r\nconnection: close\r\n[^{]*{"ready":false}$/i);
  const late = await rawAnswer(service.url, ['OPTIONS /orgs/v1 HTTP/1.1', 'Host: localhost']);
  expect([late.status, late.headers.connection]).toEqual([204, 'close']);
  await stopped;
});
