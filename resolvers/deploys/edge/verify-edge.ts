import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { JudgedPage } from '../../../engines/edge/coherence.ts';
import { query } from '../../../kernel/run/operation.ts';
import { edgeOf, edgeWire, findOperation } from '../deploy-operation.ts';
import { onOperation, operationId } from '../read-operations.ts';
import { type EdgeLook, type LiveDeploy, lookAtEdge } from './look-at-edge.ts';

/** What a deploy has come to on the hosts of its project. */
export interface EdgeCoherence extends EdgeLook {
  readonly deploy: LiveDeploy & { readonly projectId: string; readonly updatedAt: Date };
}

const text = z.string().nullable();
const count = z.int().nullable();

/** Contract 03, section 2.7. */
export const edgePathWire = z.object({
  path: z.string(),
  host: z.string(),
  state: z.enum(['coherent', 'stale_prior_release', 'unknown', 'error']),
  observed_confidence: z.enum(['identity', 'body_hash', 'weak', 'error']),
  expected_release_id: z.string(),
  expected_release_generation: count,
  observed_release_id: text,
  observed_release_generation: count,
  expected_sha256: z.string(),
  observed_sha256: text,
  status: count,
  content_type: text,
  content_length: count,
  x_cache: text,
  age_seconds: count,
  error: text,
});

const pathToWire = (page: JudgedPage): z.output<typeof edgePathWire> => ({
  path: page.path,
  host: page.host,
  state: page.state,
  observed_confidence: page.confidence,
  expected_release_id: page.releaseId,
  expected_release_generation: page.generation,
  observed_release_id: page.observedReleaseId,
  observed_release_generation: page.observedGeneration,
  expected_sha256: page.sha256,
  observed_sha256: page.observedSha256,
  status: page.status,
  content_type: page.contentType,
  content_length: page.contentLength,
  x_cache: page.cache,
  age_seconds: page.ageSeconds,
  error: page.error,
});

/** Whether every page that was asked for is of the release. */
export const isCoherent = ({ pages }: EdgeLook): boolean => pages.every(({ state }) => state === 'coherent');

const advice = (pages: readonly JudgedPage[], { id }: Pick<LiveDeploy, 'id'>): string[] => {
  const has = (state: JudgedPage['state']) => pages.some((page) => page.state === state);
  return [
    ...(has('stale_prior_release')
      ? [`A cache still answers with a release before. Ask again: svc deploy verify ${id} --wait`]
      : []),
    ...(has('unknown')
      ? ['Another release answers, or something on the way hides which one. Look: svc deploy diagnose <url>']
      : []),
    ...(has('error') ? ['A host does not answer. Look at its records: svc domains list'] : []),
  ];
};

/** `GET /apply/v1/operations/:operation_id/edge-coherence`. Contract 03, section 2.7. */
export const verifyEdge = query({
  name: 'deploys.verifyEdge',
  tool: 'deploy_verify_edge',
  command: 'deploy verify',
  sdk: 'edgeCoherence',
  effects: ['openWorld'],
  duration: 'long',
  summary: 'Whether every host of the project answers with the release of a deploy.',
  access: onOperation,
  input: z.object({ operation: operationId }),
  async handler(ctx, { operation }): Promise<EdgeCoherence> {
    const { services, org, project } = ctx;
    const found = (await findOperation(services.db.rows, { orgId: org.id, projectId: project.id }, operation))!;
    const { releaseId, status } = found;
    if (releaseId === null) throw new ServiceError('INVALID_STATE', { details: { status } });
    const deploy = { ...found, releaseId };
    return { deploy, ...(await lookAtEdge(ctx, deploy)) };
  },
  wire: z
    .object({
      coherent: z.boolean(),
      operation_id: z.string(),
      project_id: z.string(),
      release_id: z.string(),
      release_generation: count,
      paths: z.array(edgePathWire),
      pending_count: z.int(),
      paths_truncated: z.boolean(),
      path_count: z.int(),
      total_path_count: z.int(),
      vantage: z.string(),
      probe_may_have_warmed_cache: z.boolean(),
      pointer_updates: edgeWire.shape.pointer_updates,
      next_actions: z.array(z.string()),
      probe_basis: z.literal('no_mutable_paths').optional(),
    })
    .meta({ id: 'EdgeCoherence' }),
  toWire: (found) => {
    const { deploy, pages, total } = found;
    return {
      coherent: isCoherent(found),
      operation_id: deploy.id,
      project_id: deploy.projectId,
      release_id: deploy.releaseId,
      release_generation: deploy.generation === null ? null : Number(deploy.generation),
      paths: pages.map(pathToWire),
      pending_count: pages.filter(({ state }) => state !== 'coherent').length,
      paths_truncated: pages.length < total,
      path_count: pages.length,
      total_path_count: total,
      vantage: 'gateway',
      probe_may_have_warmed_cache: pages.length > 0,
      pointer_updates: edgeOf(deploy).pointer_updates,
      next_actions: advice(pages, deploy),
      ...(pages.length === 0 ? { probe_basis: 'no_mutable_paths' as const } : {}),
    };
  },
});
