import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { activeTraceId, traced } from '../../core/tracing.ts';
import { startTelemetry, type Telemetry } from '../../server/telemetry.ts';

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly events?: readonly unknown[];
}

/** A collector: a real HTTP server that keeps what it is sent. */
async function startCollector(status = 200) {
  const requests: { path: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ path: `${request.method} ${request.url}`, body: Buffer.concat(chunks).toString() });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () =>
      requests.flatMap(({ body }) =>
        (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }).resourceSpans.flatMap(
          (resource) => resource.scopeSpans.flatMap((scope) => scope.spans),
        ),
      ),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const warnings: string[] = [];
const log = { warn: (_facts: unknown, message: string) => void warnings.push(message) };
let telemetry: Telemetry | undefined;
afterEach(() => telemetry?.stop());

test('without an endpoint nothing is recorded and work runs as ever', async () => {
  telemetry = await startTelemetry({ endpoint: undefined, log, version: '1' });
  expect(telemetry.enabled).toBe(false);
  expect(await traced('work', {}, async () => [42, activeTraceId()])).toEqual([42, undefined]);
});

test('a request is sent to the collector with what happened inside it, under the caller’s trace', async () => {
  const collector = await startCollector();
  telemetry = await startTelemetry({ endpoint: collector.endpoint, log, version: '1.2.3' });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const seen = await traced('GET /orgs', { headers, attributes: { 'http.route': '/orgs' } }, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return traced('orgs.list', {}, async () => activeTraceId());
  });
  await telemetry.stop();
  collector.stop();
  expect(seen).toBe(traceId);
  expect(collector.requests.map(({ path }) => path)).toEqual(['POST /v1/traces']);
  expect(collector.requests[0]!.body).toContain('svc-gateway');
  const spans = collector.spans();
  const outer = spans.find(({ name }) => name === 'GET /orgs')!;
  const inner = spans.find(({ name }) => name === 'orgs.list')!;
  expect(outer).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
  expect(inner).toMatchObject({ traceId, parentSpanId: outer.spanId });
});

test('a failure is marked by its code, its message stays here', async () => {
  const collector = await startCollector();
  telemetry = await startTelemetry({ endpoint: collector.endpoint, log, version: '1' });
  const failure = Object.assign(new Error('Failed query\nparams: hunter2'), { code: 'INTERNAL_ERROR' });
  await expect(traced('broken', {}, () => Promise.reject(failure))).rejects.toBe(failure);
  await telemetry.stop();
  collector.stop();
  const [span] = collector.spans();
  expect(span).toMatchObject({ name: 'broken', status: { code: 2 } });
  expect(span!.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'INTERNAL_ERROR' } });
  expect(collector.requests[0]!.body).not.toContain('hunter2');
});

test('a collector that refuses is reported in the log and harms nothing', async () => {
  const collector = await startCollector(400);
  telemetry = await startTelemetry({ endpoint: collector.endpoint, log, version: '1' });
  warnings.length = 0;
  expect(await traced('work', {}, async () => 'done')).toBe('done');
  await telemetry.stop();
  collector.stop();
  expect(warnings).toContain('Traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT.');
});
