import type { OwnDoc } from '../rest-compat/openapi/platform.ts';
import {
  HealthinessWire,
  healthSummary,
  type ServiceStatus,
  StatusWire,
  statusSummary,
} from '../rest-compat/service-status.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { jsonType, sendAnswer, sendJson } from './respond.ts';

/** How long `GET /status` may be kept by clients, in seconds. Contract 04, section 3.9. */
const freshSeconds = 30;

/** What the description of the platform says of both. */
export const statusDocs: readonly OwnDoc[] = [
  {
    path: '/status',
    operationId: 'service.status',
    summary: statusSummary,
    answer: StatusWire,
    statuses: [200],
  },
  {
    path: '/health',
    operationId: 'service.health',
    summary: healthSummary,
    answer: HealthinessWire,
    statuses: [200, 503],
  },
];

/** Of every gateway; whether it takes payments depends. */
const always = ['graphql', 'rest', 'subscriptions', 'live', 'mcp', 'a2a'];

type StatusSources = Pick<HttpOptions, 'health' | 'version' | 'services'>;

/** The state of the gateway, by its own knowledge. */
export const serviceStatusOf = ({ health, version, services }: StatusSources): ServiceStatus => ({
  async status() {
    const { publicBaseUrl: base } = services.settings;
    const { isDegraded, uptimeSeconds, takesPayments } = await health.standing();
    return {
      schema: 'svc-status-v1',
      status: isDegraded ? 'degraded' : 'ok',
      uptime_seconds: uptimeSeconds,
      deployment: { version },
      capabilities: takesPayments ? [...always, 'x402'] : [...always],
      functions_isolation: services.settings.functionsIsolation,
      operator: {
        name: base === undefined ? 'svc-gateway' : new URL(base).host,
        contact: `${base?.replace(/\/+$/, '') ?? ''}/api/inquiry`,
      },
    };
  },
  async health() {
    const { checks, node } = await health.standing();
    const isHealthy = checks.database === 'ok' && node === 'ok';
    return { status: isHealthy ? 'healthy' : 'unhealthy', checks: { ...checks, node }, version };
  },
});

/** Answers `GET /status`. */
export const answerStatus =
  (options: StatusSources) =>
  async ({ response }: Exchange): Promise<void> => {
    const headers = { 'content-type': jsonType, 'cache-control': `public, max-age=${freshSeconds}` };
    const body = JSON.stringify(await serviceStatusOf(options).status());
    sendAnswer(response, { status: 200, headers, body });
  };

/** Answers `GET /health`. */
export const answerHealth =
  (options: StatusSources) =>
  async ({ response }: Exchange): Promise<void> => {
    const body = await serviceStatusOf(options).health();
    sendJson(response, body.status === 'healthy' ? 200 : 503, body);
  };
