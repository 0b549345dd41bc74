import { z } from 'zod';
import type { OwnDoc } from '../rest-compat/openapi/platform.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { jsonType, sendAnswer, sendJson } from './respond.ts';

/** How long `GET /status` may be kept by whoever asked, in seconds. Contract 04, section 3.9. */
const freshSeconds = 30;

/** Uptime is that of this process: what was before it, no process knows. */
const StatusWire = z
  .object({
    schema: z.literal('svc-status-v1'),
    status: z.enum(['ok', 'degraded']),
    uptime_seconds: z.int().describe('Since this process began to serve.'),
    deployment: z.object({ version: z.string() }),
    capabilities: z.array(z.string()).describe('What can be asked of it, for example `x402` where it takes payments.'),
    operator: z.object({
      name: z.string(),
      contact: z.string().describe('Where a message to whoever runs it is sent with POST.'),
    }),
  })
  .meta({ id: 'ServiceStatus' });

const HealthinessWire = z
  .object({
    status: z.enum(['healthy', 'unhealthy']),
    checks: z
      .record(z.string(), z.string())
      .describe('`ok`, or what is the matter; payments that cannot be taken leave it healthy.'),
    version: z.string(),
  })
  .meta({ id: 'ServiceHealth' });

/** What the description of the platform says of both. */
export const statusDocs: readonly OwnDoc[] = [
  {
    path: '/status',
    operationId: 'service.status',
    summary: 'What the gateway can do, which version it is, and whether all of it works; 200 also while some does not.',
    answer: StatusWire,
    statuses: [200],
  },
  {
    path: '/health',
    operationId: 'service.health',
    summary: 'Whether the gateway and what it depends on are well; 503 when it cannot serve.',
    answer: HealthinessWire,
    statuses: [200, 503],
  },
];

/** Of every gateway; whether it takes payments depends. */
const always = ['graphql', 'rest', 'subscriptions', 'live', 'mcp', 'a2a'];

/** Answers `GET /status`. */
export const statusDoor =
  ({ health, version, services }: Pick<HttpOptions, 'health' | 'version' | 'services'>) =>
  async ({ response }: Exchange): Promise<void> => {
    const { publicBaseUrl: base } = services.settings;
    const { isDegraded, uptimeSeconds, takesPayments } = await health.standing();
    const body: z.infer<typeof StatusWire> = {
      schema: 'svc-status-v1',
      status: isDegraded ? 'degraded' : 'ok',
      uptime_seconds: uptimeSeconds,
      deployment: { version },
      capabilities: takesPayments ? [...always, 'x402'] : always,
      operator: {
        name: base === undefined ? 'svc-gateway' : new URL(base).host,
        contact: `${base?.replace(/\/+$/, '') ?? ''}/api/inquiry`,
      },
    };
    const headers = { 'content-type': jsonType, 'cache-control': `public, max-age=${freshSeconds}` };
    sendAnswer(response, { status: 200, headers, body: JSON.stringify(body) });
  };

/** Answers `GET /health`. */
export const healthDoor =
  ({ health, version }: Pick<HttpOptions, 'health' | 'version'>) =>
  async ({ response }: Exchange): Promise<void> => {
    const { checks, node } = await health.standing();
    const isHealthy = checks.database === 'ok' && node === 'ok';
    const body: z.infer<typeof HealthinessWire> = {
      status: isHealthy ? 'healthy' : 'unhealthy',
      checks: { ...checks, node },
      version,
    };
    sendJson(response, isHealthy ? 200 : 503, body);
  };
