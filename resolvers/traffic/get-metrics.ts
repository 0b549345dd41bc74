import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { loadMetrics, metricsRanges, type ProjectMetrics } from './load-metrics.ts';

/** `GET /projects/v1/:project_id/metrics`. */
export const getMetrics = query({
  name: 'projects.getMetrics',
  tool: 'get_project_metrics',
  command: 'projects metrics',
  summary: 'How busy a project was: requests, errors, latency, connections and storage over time.',
  path: 'GET /projects/v1/:project_id/metrics',
  access: onProject(projectActions['project:read'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    range: z
      .enum(metricsRanges)
      .default('day')
      .describe(
        'How far back: an `hour` by the minute, a `day`, a `week` by the hour, or a `month`; a day unless told.',
      ),
  }),
  async handler({ project, services }, { range }): Promise<ProjectMetrics> {
    const [metrics] = await loadMetrics(services, range, [project]);
    return metrics!;
  },
  wire: z.object({
    step_seconds: z.number().int(),
    points: z.array(
      z
        .object({
          at: z.iso.datetime(),
          requests: z.number(),
          client_errors: z.number(),
          server_errors: z.number(),
          p50_ms: z.number().nullable(),
          p95_ms: z.number().nullable(),
          connections: z.number(),
          storage_bytes: z.number().nullable(),
        })
        .meta({ id: 'ProjectMetricsPoint' }),
    ),
  }),
  toWire: ({ stepSeconds, points }) => ({
    step_seconds: stepSeconds,
    points: points.map((point) => ({
      at: point.at.toISOString(),
      requests: point.requests,
      client_errors: point.clientErrors,
      server_errors: point.serverErrors,
      p50_ms: point.p50Ms,
      p95_ms: point.p95Ms,
      connections: point.connections,
      storage_bytes: point.storageBytes,
    })),
  }),
});
