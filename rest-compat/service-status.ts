import { z } from 'zod';

/** Uptime is that of this process: what was before it, no process knows. Contract 04, section 3.9. */
export const StatusWire = z
  .object({
    schema: z.literal('svc-status-v1'),
    status: z.enum(['ok', 'degraded']),
    uptime_seconds: z.int().describe('Since this process began to serve.'),
    deployment: z.object({ version: z.string() }),
    capabilities: z.array(z.string()).describe('What can be asked of it, for example `x402` where it takes payments.'),
    functions_isolation: z
      .enum(['required', 'optional'])
      .describe('`optional`: functions run without isolation where a machine cannot keep them apart.'),
    operator: z.object({
      name: z.string(),
      contact: z.string().describe('Where a message to whoever runs it is sent with POST.'),
    }),
  })
  .meta({ id: 'ServiceStatus' });

/** Contract 04, section 3.9. */
export const HealthinessWire = z
  .object({
    status: z.enum(['healthy', 'unhealthy']),
    checks: z
      .record(z.string(), z.string())
      .describe('`ok`, or what is the matter; payments that cannot be taken leave it healthy.'),
    version: z.string(),
  })
  .meta({ id: 'ServiceHealth' });

export const statusSummary =
  'What the gateway can do, which version it is, and whether all of it works; 200 also while some does not.';
export const healthSummary = 'Whether the gateway and what it depends on are well; 503 when it cannot serve.';

/** What the gateway says of itself, which no database is asked for. */
export interface ServiceStatus {
  readonly status: () => Promise<z.infer<typeof StatusWire>>;
  readonly health: () => Promise<z.infer<typeof HealthinessWire>>;
}
