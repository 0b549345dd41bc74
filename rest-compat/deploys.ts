import type { Context } from '../kernel/run/context.ts';
import { commitDeploy } from '../resolvers/deploys/commit-deploy.ts';
import { verifyEdge } from '../resolvers/deploys/edge/verify-edge.ts';
import { planDeploy } from '../resolvers/deploys/plan-deploy.ts';
import { promoteRelease } from '../resolvers/deploys/promote-release.ts';
import { getDeploy, listDeployEvents, listDeploys } from '../resolvers/deploys/read-operations.ts';
import { compareReleases, getActiveRelease, getRelease } from '../resolvers/deploys/read-releases.ts';
import { resolveUrl } from '../resolvers/deploys/resolve-url.ts';
import { rehearseDeploy } from '../resolvers/rehearsals/rehearse-deploy.ts';
import type { RestRequest } from './rest-request.ts';
import { route } from './route.ts';

/** A specification has 5 MiB at the most; a larger one is uploaded. */
const planBytesMax = 6 * 1024 * 1024;

/** The project that is asked for, where the credential does not tell. */
const project = { project: ['query project_id', 'query project'] } as const;

/** A query parameter that is a flag. */
const isTrue = (name: string) => (request: RestRequest) => {
  const given = request.query[name];
  return given === undefined ? undefined : given === 'true' || given === '1' || given === '';
};

interface RehearsalAnswer {
  readonly report: object | null;
}

const rehearseRoute = route(
  'POST',
  '/apply/v1/plans/:plan_id/rehearse',
  { usual: 200, of: ({ operation }) => (operation.rehearsalReport === null ? 202 : 200) },
  rehearseDeploy,
);

/** Paths of deploys. Contract 03, sections 2.2 to 2.9. */
export const deployRoutes = [
  {
    ...route('POST', '/apply/v1/plans', 200, planDeploy, {
      project: ['body project', 'body project_id'],
      request_key: 'body idempotency_key',
      dry_run: { from: 'query dry_run', make: isTrue('dry_run') },
    }),
    bodyBytesMax: planBytesMax,
  },
  route('POST', '/apply/v1/plans/:plan_id/commit', 200, commitDeploy),
  {
    ...rehearseRoute,
    // What it has come to once it was waited for, and not how it stood when it was begun.
    async run(ctx: Context, request: RestRequest) {
      const answer = await rehearseRoute.run(ctx, request);
      return { ...answer, status: (answer.body as RehearsalAnswer).report === null ? 202 : 200 };
    },
  },
  route('GET', '/apply/v1/operations', 200, listDeploys, { ...project, after: 'query cursor' }, { keyDecides: true }),
  route('GET', '/apply/v1/operations/:operation_id', 200, getDeploy, {}, { keyDecides: true }),
  route('GET', '/apply/v1/operations/:operation_id/events', 200, listDeployEvents, {}, { keyDecides: true }),
  route('GET', '/apply/v1/operations/:operation_id/edge-coherence', 200, verifyEdge, {}, { keyDecides: true }),
  route('GET', '/apply/v1/releases/active', 200, getActiveRelease, project, { keyDecides: true }),
  route('GET', '/apply/v1/releases/diff', 200, compareReleases, project, { keyDecides: true }),
  route('GET', '/apply/v1/releases/:release_id', 200, getRelease, {}, { keyDecides: true }),
  route('POST', '/apply/v1/releases/:release_id/promote', 200, promoteRelease),
  route('GET', '/apply/v1/resolve', 200, resolveUrl, {}, { keyDecides: true }),
];
