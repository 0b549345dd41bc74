import { expect, onTestFinished, test } from 'vitest';
import { rawAnswer, rawConnection } from '../helpers/raw-http.ts';
import { startService } from '../helpers/service.ts';

test('callers who keep every connection busy do not make the server unready', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const { pool } = service.app.services.db;
  const taken = await Promise.all(Array.from({ length: pool.options.max! }, () => pool.connect()));
  expect((await service.call(service.actors.nobody, 'GET', '/readyz')).status).toBe(200);
  expect((await service.call(service.actors.nobody, 'GET', '/api/health')).body).toMatchObject({ status: 'ok' });
  for (const client of taken) client.release();
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
