import { afterAll, describe, expect, test } from 'vitest';
import { nobody, withHeaders } from '../helpers/actors.ts';
import { rawConnection } from '../helpers/raw-http.ts';
import { startAgentStage } from './agent-stage.ts';
import { call } from './mcp-messages.ts';

const stage = await startAgentStage({ env: { MCP_ALLOWED_ORIGINS: 'https://app.audit-sites.net' } });
afterAll(() => stage.stop());
const { service } = stage;

/** As text, since serializing it would end in a stack overflow of the test's own. */
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const doors = ['/mcp', '/api/mcp', '/api/a2a'] as const;

/** Whether the gateway still answers others. */
const answersOthers = async () => {
  const { status, body } = await stage.post('/mcp', call('ping'));
  expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
};

describe.each(doors)('%s under attack', (path) => {
  test.each<[string, string | Uint8Array]>([
    ['a deep list of parameters', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep(50_000)}}`],
    [
      'a deep argument',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"audit_site","arguments":{"url":${deep(50_000)}}}}`,
    ],
    ['a deep id', `{"jsonrpc":"2.0","id":${deep(50_000)},"method":"ping"}`],
    ['a body of brackets alone', '['.repeat(100_000)],
    ['a batch of thousands', JSON.stringify(Array.from({ length: 3_000 }, (_, id) => call('ping', undefined, id)))],
    ['a batch of batches', JSON.stringify([[call('ping')], [[call('ping')]]])],
    ['an empty batch', '[]'],
    ['a method of a prototype', JSON.stringify(call('constructor'))],
    ['a tool of a prototype', JSON.stringify(call('tools/call', { name: '__proto__', arguments: {} }))],
    [
      'arguments that set a prototype',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"audit_site","arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},"__proto__":{"polluted":1}}}',
    ],
    ['a text that is no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a surrogate pair', '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}'],
    ['a number that is none', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}'],
  ])('answers %s, without a fault of its own, and others as before', async (_what, sent) => {
    const { status, text } = await stage.post(path, sent);
    expect(status, text).toBeLessThan(500);
    expect(text).not.toContain('-32603');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    await answersOthers();
  });

  test('takes no member of a wrong type for what it is meant to be', async () => {
    const wrong: readonly unknown[] = [null, true, 0, -1, 1.5, '', 'x', [], [1], {}, { name: 'ping' }];
    const names = ['jsonrpc', 'id', 'method', 'params'] as const;
    for (const name of names)
      for (const value of wrong) {
        const { status, text } = await stage.post(path, {
          ...call('tools/call', { name: 'get_pricing' }),
          [name]: value,
        });
        expect(status, `${name}: ${JSON.stringify(value)} ${text}`).toBeLessThan(500);
        expect(text).not.toContain('-32603');
      }
    for (const name of ['name', 'arguments', '_meta', 'id', 'message'] as const)
      for (const value of wrong) {
        const params = { name: 'get_pricing', arguments: {}, [name]: value };
        for (const method of ['tools/call', 'message/send', 'SendMessage', 'tasks/get', 'initialize']) {
          const { status, text } = await stage.post(path, call(method, params));
          expect(status, `${method} ${name}: ${JSON.stringify(value)} ${text}`).toBeLessThan(500);
          expect(text).not.toContain('-32603');
        }
      }
  });

  test.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 40']],
    ['a length beside chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['chunks by another spelling', ['Transfer-Encoding: chunked, identity']],
    ['a blank before the colon', ['Content-Length : 2']],
  ])('takes no request with %s, nor the one that is hidden in it', async (_what, lines) => {
    const connection = rawConnection(service.url);
    const hidden = 'GET /api/health?hidden HTTP/1.1\r\nHost: localhost\r\n\r\n';
    connection.send(
      [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines, '', `{}${hidden}`].join(
        '\r\n',
      ),
    );
    const heard = await connection.heard();
    expect(heard).toMatch(/^HTTP\/1\.1 400 /);
    expect(heard.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});

test('answers of a batch with one id many times are as many as were asked', async () => {
  const batch = Array.from({ length: 20 }, () => call('ping', undefined, 'same'));
  const { status, body } = await stage.post('/mcp', batch, { 'mcp-protocol-version': '2025-03-26' });
  expect(status).toBe(200);
  expect(body).toEqual(batch.map(() => ({ jsonrpc: '2.0', id: 'same', result: {} })));
});

test('a call whose client never reads its answer holds up no other', async () => {
  const { wallet, projectId } = await service.project();
  const sql = "select repeat('x', 1000) as text from generate_series(1, 2000)";
  const body = JSON.stringify(call('tools/call', { name: 'run_sql', arguments: { project_id: projectId, sql } }));
  const unread = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const connection = rawConnection(service.url);
      connection.socket.pause();
      const headers = Object.entries(await wallet.headers('/mcp')).map(([name, value]) => `${name}: ${value}`);
      connection.send(
        [
          'POST /mcp HTTP/1.1',
          'Host: localhost',
          'Accept: application/json, text/event-stream',
          'Content-Type: application/json',
          `Content-Length: ${Buffer.byteLength(body)}`,
          ...headers,
          '',
          body,
        ].join('\r\n'),
      );
      return connection;
    }),
  );
  await answersOthers();
  const still = await service.call(wallet, 'GET', '/orgs/v1');
  expect(still.status).toBe(200);
  for (const { socket } of unread) socket.destroy();
  await answersOthers();
});

test('a session of another is no credential', async () => {
  const { wallet, projectId } = await service.project();
  const opened = await service.call(wallet, 'POST', '/mcp', {
    body: call('initialize', { protocolVersion: '2025-11-25' }),
  });
  const session = opened.headers.get('mcp-session-id')!;
  for (const who of [nobody, service.actors.wallet()]) {
    const { body } = await service.call<{ result: object }>(who, 'POST', '/mcp', {
      headers: { 'mcp-session-id': session },
      body: call('tools/call', { name: 'list_project_events', arguments: { project_id: projectId } }),
    });
    expect(body.result).toMatchObject({ isError: true });
  }
});

test.each(['https://elsewhere.net', 'null', 'http://127.0.0.1:1', 'http://localhost.elsewhere.net', ''])(
  'a page of %j reaches neither door of MCP with any method',
  async (origin) => {
    for (const path of ['/mcp', '/api/mcp'])
      for (const method of ['GET', 'POST', 'DELETE']) {
        const { status } = await service.call(withHeaders({ origin, 'mcp-session-id': 'x' }), method, path, {
          ...(method === 'POST' ? { body: call('ping') } : {}),
        });
        expect([403, 405], `${method} ${path}`).toContain(status);
      }
  },
);
