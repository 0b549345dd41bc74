import * as current from '@modelcontextprotocol/client';
import { Client as ClassicClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, expect, test } from 'vitest';
import { startAgentStage } from './agent-stage.ts';

const stage = await startAgentStage();
afterAll(() => stage.stop());

const url = new URL('/api/mcp', stage.service.url);
const me = { name: 'tests', version: '1.0.0' };

/** What all clients have alike, as far as it is looked at here. */
interface Connected {
  readonly listTools: () => Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  readonly callTool: (params: { name: string; arguments?: Record<string, unknown> }) => Promise<unknown>;
  readonly close: () => Promise<void>;
  readonly sent: readonly { readonly method: string; readonly status: number }[];
}

async function classic(): Promise<Connected> {
  const { fetch, sent } = stage.client();
  const client = new ClassicClient(me);
  await client.connect(new ClassicTransport(url, { fetch }));
  return {
    listTools: () => client.listTools(),
    callTool: (params) => client.callTool(params),
    close: () => client.close(),
    sent,
  };
}

const newer = (mode?: current.VersionNegotiationMode) => async (): Promise<Connected> => {
  const { fetch, sent } = stage.client();
  const client = new current.Client(me, mode === undefined ? {} : { versionNegotiation: { mode } });
  await client.connect(new current.StreamableHTTPClientTransport(url, { fetch }));
  return {
    listTools: () => client.listTools(),
    callTool: (params) => client.callTool(params),
    close: () => client.close(),
    sent,
  };
};

const clients: readonly [string, () => Promise<Connected>][] = [
  ['the classic SDK', classic],
  ['the current client as it comes', newer()],
  ['the current client that finds out by itself', newer('auto')],
  ['the current client held to 2026-07-28', newer({ pin: '2026-07-28' })],
];

test.each(clients)('%s connects, lists the tools and has a site audited', async (_name, connect) => {
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('audit_site');
  // The clients hold what they are told against the schema that the tool declares.
  expect(await client.callTool({ name: 'audit_site', arguments: { url: 'shop.audit-sites.net/shoes' } })).toMatchObject(
    {
      structuredContent: { ok: true, domain: 'shop.audit-sites.net', geo_score: 82, schema_score: 90, tier: 'free' },
    },
  );
  expect(await client.callTool({ name: 'get_pricing' })).toMatchObject({
    structuredContent: {
      ok: true,
      settlement: { caip2: 'eip155:8453' },
      tiers: [{ tier: 'audit', price_usd: '0.01' }, {}, {}],
    },
  });
  expect(await client.callTool({ name: 'get_package_manifest' })).toMatchObject({ structuredContent: { ok: true } });
  expect(
    await client.callTool({ name: 'verify_transaction', arguments: { tx_hash: `0x${'1'.repeat(64)}` } }),
  ).toMatchObject({ structuredContent: { ok: false, verified: false, pending: true } });
  expect(
    await client.callTool({ name: 'submit_inquiry', arguments: { email: 'ada@shop.audit-sites.net' } }),
  ).toMatchObject({ structuredContent: { ok: true } });
  await client.close();
  // A look for a stream that is answered otherwise than with 405 is repeated every second.
  expect(client.sent.filter(({ method }) => method === 'GET').every(({ status }) => status === 405)).toBe(true);
  expect(client.sent.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(1);
});

test.each(clients)('%s is told what is wrong with a call', async (_name, connect) => {
  const client = await connect();
  // Whoever knows the tools holds refusals against what they declare, too.
  await client.listTools();
  for (const [args, code] of [
    [{}, 'invalid_request'],
    [{ url: 5 }, 'invalid_request'],
    [{ url: 'shop.audit-sites.net', more: 1 }, 'invalid_request'],
    [{ url: 'https://127.0.0.1' }, 'ip_literal'],
    [{ url: 'nowhere.audit-sites.net' }, 'dns_failure'],
  ] as const) {
    expect(await client.callTool({ name: 'audit_site', arguments: args })).toMatchObject({
      isError: true,
      structuredContent: { ok: false, code },
    });
  }
  await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32_602 });
  await client.close();
});

test('clients of either generation agree on the revision that they speak', async () => {
  const oldest = new ClassicClient(me);
  await oldest.connect(new ClassicTransport(url, { fetch: stage.client().fetch }));
  expect(oldest.getServerVersion()).toMatchObject({ name: 'svc-gateway' });
  await oldest.ping();
  await oldest.close();
  const newest = new current.Client(me, { versionNegotiation: { mode: 'auto' } });
  await newest.connect(new current.StreamableHTTPClientTransport(url, { fetch: stage.client().fetch }));
  expect(newest.getServerVersion()).toMatchObject({ name: 'svc-gateway' });
  expect(newest.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  await newest.close();
});
