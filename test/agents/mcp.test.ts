import { afterAll, describe, expect, test, vi } from 'vitest';
import { addressRate } from '../../kernel/limits/limits.ts';
import { startAgentStage } from './agent-stage.ts';
import { call, tell } from './mcp-messages.ts';

const stage = await startAgentStage({ env: { MCP_ALLOWED_ORIGINS: 'https://app.audit-sites.net' } });
afterAll(() => stage.stop());

const { url } = stage.service;
const post = (body: unknown, headers?: Record<string, string>) => stage.post('/api/mcp', body, headers);

describe('a look at the path', () => {
  const look = (headers: Record<string, string>, method = 'GET') => fetch(`${url}/api/mcp`, { method, headers });

  test('shows what there is, to whoever does not ask for a stream', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream']) {
      const answer = await look({ accept });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({
        ok: true,
        name: 'svc-gateway',
        version: '0.0.0-test',
        endpoint: `${url}/api/mcp`,
        transport: 'streamable-http',
        protocol_versions: ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
        pricing: { tiers: [{ tier: 'audit', amount: '10000' }, { tier: 'pro' }, { tier: 'buyout' }] },
      });
    }
  });

  test('has the very tools that are listed', async () => {
    const { tools } = (await (await look({})).json()) as { tools: Record<string, unknown>[] };
    const { body } = await post(call('tools/list'));
    expect(tools).toEqual(body.result.tools);
    for (const tool of tools) {
      expect(tool).toEqual({
        name: expect.stringMatching(/^[a-z_]+$/),
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: expect.objectContaining({ type: 'object', additionalProperties: false }),
        outputSchema: expect.objectContaining({ type: 'object' }),
        annotations: {
          readOnlyHint: expect.any(Boolean),
          openWorldHint: expect.any(Boolean),
          idempotentHint: expect.any(Boolean),
        },
      });
    }
  });

  test('is 405 to who asks for a stream, or for the end of a session', async () => {
    const stream = await look({ accept: 'text/event-stream' });
    expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'GET, POST']);
    const ended = await look({}, 'DELETE');
    expect(ended.status).toBe(405);
    expect(ended.headers.get('allow')).toMatch(/^GET, POST/);
  });

  test('may be taken by a page of its own origin or of one that is allowed', async () => {
    for (const origin of [url, 'https://app.audit-sites.net']) expect((await look({ origin })).status).toBe(200);
    for (const method of ['GET', 'POST']) {
      for (const origin of ['https://elsewhere.net', 'null']) {
        const refused = await look({ origin }, method);
        expect(refused.status).toBe(403);
        expect(await refused.json()).toEqual({ jsonrpc: '2.0', error: { code: -32_000, message: expect.any(String) } });
      }
    }
  });

  test('may be asked by pages at all', async () => {
    const preflight = await look({ origin: 'https://elsewhere.net' }, 'OPTIONS');
    expect(preflight.status).toBe(204);
    for (const header of [
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'mcp-session-id',
      'a2a-version',
      'a2a-extensions',
    ])
      expect(preflight.headers.get('access-control-allow-headers')).toContain(header);
  });
});

describe('the classic generation', () => {
  test.each([
    ['2024-10-07', '2024-10-07'],
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
  ])('who asks for %s gets %s, without a session', async (protocolVersion, given) => {
    const { status, headers, body } = await post(
      call('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
    );
    expect(status).toBe(200);
    expect(headers.get('mcp-session-id')).toBe(null);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: given,
        capabilities: { tools: {} },
        serverInfo: { name: 'svc-gateway', version: '0.0.0-test' },
      },
    });
  });

  test('a request needs no Accept, and one of another session is answered all the same', async () => {
    expect(await post(call('ping'), { accept: 'application/json', 'mcp-session-id': 'x' })).toMatchObject({
      status: 200,
      body: { id: 1, result: {} },
    });
    expect(await post(call('ping', undefined, 'a'))).toMatchObject({ status: 200, body: { id: 'a', result: {} } });
  });

  test('what a tool says is there as data and as text', async () => {
    const { body } = await post(call('tools/call', { name: 'audit_site', arguments: { url: 'docs.audit-sites.net' } }));
    const { content, structuredContent, isError } = body.result;
    expect(isError).toBe(undefined);
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    expect(structuredContent).toMatchObject({ domain: 'docs.audit-sites.net', llms_txt_score: 100 });
  });

  test('a notification, and the answer to what nobody asked, are taken without a word', async () => {
    for (const body of [
      tell('notifications/initialized'),
      tell('notifications/no-such-thing'),
      { jsonrpc: '2.0', id: 1, result: {} },
      [tell('notifications/initialized')],
    ]) {
      const answer = await post(body);
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
  });

  test.each([
    ['no JSON', '{', 400, -32_700],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, -32_700],
    ['nothing', '', 400, -32_700],
    ['a number', '5', 400, -32_600],
    ['another object', '{}', 400, -32_600],
    ['another version', { ...call('ping'), jsonrpc: '1.0' }, 400, -32_600],
    ['a method that is none', { jsonrpc: '2.0', id: 1, method: 5 }, 400, -32_600],
    ['an id that is none', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32_600],
    ['an empty batch', '[]', 400, -32_600],
    ['too many in a batch', Array.from({ length: 21 }, () => call('ping')), 400, -32_600],
    ['a nest', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 400, -32_600],
    ['parameters in a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 200, -32_602],
    ['a method of elsewhere', call('resources/list'), 200, -32_601],
    ['a method of the other generation', call('server/discover'), 200, -32_601],
    ['a method of every object', call('constructor'), 200, -32_601],
    ['a tool that is none', call('tools/call', { name: 'nothing' }), 200, -32_602],
    ['a tool of every object', call('tools/call', { name: 'toString' }), 200, -32_602],
    ['a tool without a name', call('tools/call', {}), 200, -32_602],
    ['arguments that are none', call('tools/call', { name: 'audit_site', arguments: 'x' }), 200, -32_602],
    ['a cursor', call('tools/list', { cursor: 'x' }), 200, -32_602],
  ])('%s is refused', async (_what, sent, status, code) => {
    const { status: got, body } = await post(sent);
    expect([got, body.error.code]).toEqual([status, code]);
    expect(body.jsonrpc).toBe('2.0');
    expect(body.id).toBe(status === 200 ? 1 : body.id);
    expect(body.error.message).toMatch(/\.$/);
  });

  test('a revision that is not known is refused, and others are named', async () => {
    const { status, body } = await post(call('ping'), { 'mcp-protocol-version': '2020-01-01' });
    expect([status, body.error.code]).toEqual([400, -32_600]);
    expect(body.error.data.supported).toContain('2025-11-25');
  });

  test('several messages at once are for the one revision that has them', async () => {
    const batch = [call('ping'), tell('notifications/initialized'), call('nothing', {}, 2)];
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, body } = await post(batch, headers);
      expect(status).toBe(200);
      expect(body).toMatchObject([
        { id: 1, result: {} },
        { id: 2, error: { code: -32_601 } },
      ]);
    }
    const { status, body } = await post(batch, { 'mcp-protocol-version': '2025-06-18' });
    expect([status, body.error.code]).toEqual([400, -32_600]);
  });

  test('a body of another kind or size is refused in the words of the protocol', async () => {
    expect(await post(JSON.stringify(call('ping')), { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      body: { jsonrpc: '2.0', id: null, error: { code: -32_600, data: { code: 'unsupported_media_type' } } },
    });
    const large = call('ping', { text: 'x'.repeat(256 * 1024) });
    expect(await post(large)).toMatchObject({
      status: 413,
      body: { jsonrpc: '2.0', id: null, error: { code: -32_600, data: { code: 'body_too_large' } } },
    });
  });

  test('every message is charged to its address, whatever it is', async () => {
    const { rateLimiter } = stage.service.app.services;
    const [bucket, from] = ['address:203.0.113.99', { 'x-forwarded-for': '203.0.113.99' }];
    const taken = vi.spyOn(rateLimiter, 'take');
    try {
      expect((await post([call('ping'), tell('notifications/initialized'), call('ping', {}, 2)], from)).status).toBe(
        200,
      );
      expect(taken.mock.calls.filter(([name]) => name === bucket)).toHaveLength(3);
    } finally {
      taken.mockRestore();
    }
    rateLimiter.charge(bucket, addressRate, 1e9);
    for (const body of [
      call('initialize'),
      call('ping'),
      call('tools/list'),
      call('nothing'),
      tell('notifications/initialized'),
      [call('ping')],
      '{',
    ]) {
      const refused = await post(body, from);
      expect([refused.status, refused.body.error.code]).toEqual([429, -32_000]);
      expect(refused.body.error.data.code).toBe('rate_limited');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test('tools take from the rate of what they call', async () => {
    const from = { 'x-forwarded-for': '203.0.113.77' };
    const byPath = async () => {
      const asked = await fetch(`${url}/api/audit?url=localhost`, { headers: from });
      return ((await asked.json()) as { code: string }).code;
    };
    const byTool = async (target = 'https://localhost') => {
      const { body } = await post(call('tools/call', { name: 'audit_site', arguments: { url: target } }), from);
      return body.result.structuredContent;
    };
    expect([(await byTool()).code, await byPath()]).toEqual(['restricted_host', 'restricted_host']);
    // A little flows in all the time, so what one has used up is asked of the other at once.
    const soon = { interval: 1 };
    const used = async (ask: () => Promise<string>) => {
      await expect.poll(ask, soon).toBe('rate_limited');
    };
    await used(async () => {
      await used(byPath);
      return (await byTool()).code;
    });
    await used(async () => {
      await used(async () => (await byTool()).code);
      return byPath();
    });
    let refused = await byTool();
    await used(async () => {
      refused = await byTool();
      return refused.code;
    });
    expect(refused).toMatchObject({ retryable: true, retry_after: expect.any(Number) });
  });
});

describe('the tools', () => {
  const tool = async (name: string, args: object, headers?: Record<string, string>) => {
    const { body } = await post(call('tools/call', { name, arguments: args }), headers);
    return body.result;
  };

  test('are these, in this order', async () => {
    const { body } = await post(call('tools/list'));
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'audit_site',
      'full_audit',
      'verify_transaction',
      'get_pricing',
      'get_package_manifest',
      'submit_inquiry',
    ]);
    // Marks of our own are nobody's business.
    expect(JSON.stringify(body)).not.toMatch(/"secret"|"id":"[A-Z]/);
  });

  test('answer as their paths do', async () => {
    const manifest = await fetch(`${url}/api/package-manifest`);
    expect((await tool('get_package_manifest', {})).structuredContent).toEqual(await manifest.json());
    const inquiry = { email: 'ada@shop.audit-sites.net', kind: 'question' };
    const recorded = await tool('submit_inquiry', inquiry);
    expect(recorded).toMatchObject({ structuredContent: { ok: true, status: 'recorded' } });
    const tx_hash = `0x${'1'.repeat(64)}`;
    const asked = await stage.post('/api/verify-tx', { tx_hash, network: 'base' });
    expect((await tool('verify_transaction', { tx_hash, network: 'base' })).structuredContent).toEqual(asked.body);
  });

  test('do not look at a credential that is for something else', async () => {
    const headers = { authorization: 'Bearer of-another-service', apikey: 'x' };
    expect(await tool('get_pricing', {}, headers)).toMatchObject({ structuredContent: { ok: true } });
    const audited = await tool('audit_site', { url: 'docs.audit-sites.net' }, headers);
    expect(audited).toMatchObject({ structuredContent: { domain: 'docs.audit-sites.net' } });
    const look = await fetch(`${url}/api/mcp`, { headers });
    expect(look.status).toBe(200);
  });

  test('honour an idempotency key, and refuse what they do not know', async () => {
    const key = { 'idempotency-key': 'inquiry-of-a-tool', 'x-forwarded-for': '203.0.113.90' };
    const first = await tool('submit_inquiry', { email: 'ada@shop.audit-sites.net' }, key);
    expect(await tool('submit_inquiry', { email: 'ada@shop.audit-sites.net' }, key)).toEqual(first);
    const other = await tool('submit_inquiry', { email: 'bob@shop.audit-sites.net' }, key);
    expect(other).toMatchObject({ isError: true, structuredContent: { code: 'idempotency_conflict' } });
    for (const [name, args] of [
      ['submit_inquiry', {}],
      ['submit_inquiry', { email: 'nobody' }],
      ['verify_transaction', { tx_hash: 'x' }],
      ['verify_transaction', { tx_hash: `0x${'1'.repeat(64)}`, plan_price: 4 }],
      ['get_package_manifest', { more: 1 }],
    ] as const)
      expect(await tool(name, args)).toMatchObject({ isError: true, structuredContent: { code: 'invalid_request' } });
  });
});
