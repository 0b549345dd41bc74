import { afterAll, expect, test } from 'vitest';
import { startAgentStage } from './agent-stage.ts';
import { call, tell } from './mcp-messages.ts';

const stage = await startAgentStage();
afterAll(() => stage.stop());

const post = (body: unknown, headers?: Record<string, string>) => stage.post('/api/mcp', body, headers);

const version = 'io.modelcontextprotocol/protocolVersion';
const capabilities = 'io.modelcontextprotocol/clientCapabilities';
const meta = { [version]: '2026-07-28', [capabilities]: {} };
/** The headers that a request of the stateless generation comes with. */
const about = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});
const stateless = (method: string, params: { name?: string } & object = {}) =>
  post(call(method, { ...params, _meta: meta }), about(method, params.name));

test('says what it is, in every answer', async () => {
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'svc-gateway', version: '0.0.0-test' } };
  expect(await stateless('server/discover')).toMatchObject({
    status: 200,
    body: {
      id: 1,
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 300_000,
        cacheScope: 'public',
        _meta,
      },
    },
  });
  const listed = await stateless('tools/list');
  expect(listed.body.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public', _meta });
  const called = await stateless('tools/call', { name: 'get_pricing' });
  expect(called.body.result).toMatchObject({ resultType: 'complete', structuredContent: { ok: true }, _meta });
  const failed = await stateless('tools/call', { name: 'audit_site' });
  expect(failed.body.result).toMatchObject({ resultType: 'complete', isError: true, _meta });
});

test('a name that no header can carry comes in base64', async () => {
  const name = 'prüfen';
  const packed = `=?base64?${Buffer.from(name).toString('base64')}?=`;
  const params = { name, _meta: meta };
  expect(await post(call('tools/call', params), about('tools/call', packed))).toMatchObject({
    status: 200,
    body: { error: { code: -32_602 } },
  });
});

test('a notification is taken without a word', async () => {
  const headers = { 'mcp-protocol-version': '2026-07-28' };
  const cancelled = await post(tell('notifications/cancelled', { requestId: 1 }), headers);
  expect([cancelled.status, cancelled.text]).toEqual([202, '']);
});

const list = 'tools/list';
test.each([
  ['a method that is gone', call('ping', { _meta: meta }), about('ping'), 404, -32_601],
  ['the other generation’s beginning', call('initialize', { _meta: meta }), about('initialize'), 404, -32_601],
  ['a method of elsewhere', call('prompts/list', { _meta: meta }), about('prompts/list'), 404, -32_601],
  ['a tool that is none', call('tools/call', { name: 'x', _meta: meta }), about('tools/call', 'x'), 200, -32_602],
  [
    'a revision to come',
    call(list, { _meta: { ...meta, [version]: '2030-01-01' } }),
    { 'mcp-method': list },
    400,
    -32_022,
  ],
  ['a version that is no text', call(list, { _meta: { ...meta, [version]: 1 } }), about(list), 400, -32_602],
  ['no capabilities', call(list, { _meta: { [version]: '2026-07-28' } }), about(list), 400, -32_602],
  ['capabilities that are none', call(list, { _meta: { ...meta, [capabilities]: 1 } }), about(list), 400, -32_602],
  [
    'a client that is none',
    call(list, { _meta: { ...meta, 'io.modelcontextprotocol/clientInfo': {} } }),
    about(list),
    400,
    -32_602,
  ],
  ['headers alone', call(list), about(list), 400, -32_602],
  ['headers of the beginning', call('initialize', {}), about('initialize'), 400, -32_020],
  ['no header of the version', call(list, { _meta: meta }), { 'mcp-method': list }, 400, -32_020],
  [
    'another version in the header',
    call(list, { _meta: meta }),
    { ...about(list), 'mcp-protocol-version': '2025-11-25' },
    400,
    -32_020,
  ],
  ['no header of the method', call(list, { _meta: meta }), { 'mcp-protocol-version': '2026-07-28' }, 400, -32_020],
  ['another method in the header', call(list, { _meta: meta }), about('tools/call'), 400, -32_020],
  [
    'no header of the tool',
    call('tools/call', { name: 'get_pricing', _meta: meta }),
    about('tools/call'),
    400,
    -32_020,
  ],
  [
    'another tool in the header',
    call('tools/call', { name: 'get_pricing', _meta: meta }),
    about('tools/call', 'audit_site'),
    400,
    -32_020,
  ],
  ['several at once', [call(list, { _meta: meta })], about(list), 400, -32_600],
])('%s is refused', async (_what, sent, headers, status, code) => {
  const { status: got, body } = await post(sent, headers as Record<string, string>);
  expect([got, body.error.code]).toEqual([status, code]);
});

test('a revision that is not spoken is told which is', async () => {
  const { body } = await post(call(list, { _meta: { ...meta, [version]: '2030-01-01' } }), {
    'mcp-protocol-version': '2030-01-01',
    'mcp-method': list,
  });
  expect(body.error.data).toEqual({ supported: ['2026-07-28'], requested: '2030-01-01' });
});
