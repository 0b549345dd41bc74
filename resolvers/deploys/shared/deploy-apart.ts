import { sql } from '../../../db/drizzle.ts';
import { deployEvents } from '../../../db/schema/releases.ts';
import { computed, pick, statement } from '../../../db/sql.ts';
import { contentOf } from '../../../engines/release/content-of.ts';
import type { Check } from '../../../engines/release/spec/release-spec.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { bringContent } from '../../content/shared/bring-content.ts';
import { holdBytes } from '../../content/shared/hold-bytes.ts';
import { beginDeploy } from '../begin-deploy.ts';
import { type ComputedPlan, computePlan } from '../computed-plan.ts';
import type { DeployOperation } from '../deploy-operation.ts';
import { mutablePages } from '../edge/mutable-pages.ts';
import { type GivenSpec, readSpecFor, resolveSpec } from '../given-spec.ts';
import { keepPlan } from '../plan-deploy.ts';
import type { ReleaseOwner } from '../release-store.ts';

/** A deploy of one project that is tried on a branch of it. */
export interface DeployApart {
  /** The branch. */
  readonly scope: Pick<ProjectScope, 'org' | 'project'>;
  /** The specification, planned for the branch. */
  readonly given: GivenSpec;
  readonly computed: ComputedPlan;
}

/**
 * Plans a specification of a project for a branch of it, which gets hold of all the content that it names. May be repeated.
 *
 * @param source the project that the specification is for
 * @throws the codes of contract 03, section 2.17
 */
export async function planApart(
  ctx: Context,
  source: ReleaseOwner,
  given: GivenSpec,
  scope: DeployApart['scope'],
): Promise<DeployApart> {
  const { services } = ctx;
  const branch: ReleaseOwner = { orgId: scope.org.id, projectId: scope.project.id };
  const wire = inBranch(await resolveSpec(services, source, given), branch.projectId);
  const spec = readSpecFor(wire, scope.org, services.settings.leases);
  await unitOfWork(ctx, (work) => bringContent(work, branch, contentOf(spec), false));
  const own = given.manifest_ref === undefined ? { spec: wire } : await uploaded(ctx, scope, wire);
  return { scope, given: own, computed: await computePlan(services, scope, own) };
}

/** Begins to apply what was planned for a branch. @throws BASE_RELEASE_CONFLICT */
export async function beginApart(work: Work, { scope, given, computed: plan }: DeployApart): Promise<DeployOperation> {
  const within = { ...work, ...scope, authority: { kind: 'system', reason: 'rehearsal' } } as const;
  const kept = await keepPlan(within, given, plan);
  return beginDeploy(within, kept.operation, plan);
}

/** The requests that a specification has a rehearsal make. */
export async function declaredChecks(
  { services }: Pick<Context, 'services'>,
  { org, project }: DeployApart['scope'],
  given: GivenSpec,
): Promise<readonly Check[]> {
  const wire = await resolveSpec(services, { orgId: org.id, projectId: project.id }, given);
  return readSpecFor(wire, org, services.settings.leases).checks;
}

/** Paths of pages of a release that visitors begin with, as they are sent: the root first. */
export async function entryPoints(
  { services }: Pick<Context, 'services'>,
  owner: ReleaseOwner,
  releaseId: string,
): Promise<string[]> {
  const { first } = await mutablePages(services, owner, releaseId);
  return first.slice(0, entryPointsMax).map(({ path }) => path);
}

const entryPointsMax = 16;

/** How long the migrations of a deploy took together, in milliseconds; 0 where none were run. */
export async function migrationMs({ services }: Pick<Context, 'services'>, orgId: string, id: string): Promise<number> {
  const [row] = await services.db.rows(migrationStatement.with({ orgId, operationId: id }));
  return row?.ms ?? 0;
}

/**
 * A specification as a branch gets it: on top of the copy of the live release that the branch has, and without names that
 * stay with the project.
 */
function inBranch(wire: GivenSpec['spec'], branchId: string): GivenSpec['spec'] {
  const { project: _source, base: _same, ...rest } = wire;
  return { ...rest, project_id: branchId, ...(rest.subdomains === undefined ? {} : { subdomains: { set: [] } }) };
}

/** A specification that is too large to be kept beside its plan. */
async function uploaded(ctx: Context, scope: DeployApart['scope'], wire: GivenSpec['spec']): Promise<GivenSpec> {
  const ref = await holdBytes(ctx, scope, Buffer.from(JSON.stringify(wire)));
  return { spec: { project_id: scope.project.id }, manifest_ref: ref };
}

const migrationStatement = statement(
  'deploys.migration-ms',
  {
    params: pick(deployEvents, 'orgId', 'operationId'),
    row: {
      ms: computed<number | null>(
        'integer',
        sql`(1000 * extract(epoch from max(${deployEvents.createdAt}) - min(${deployEvents.createdAt})))::int`,
      ),
    },
  },
  ({ orgId, operationId }, row) => sql`select ${row} from ${deployEvents}
    where ${deployEvents.orgId} = ${orgId} and ${deployEvents.operationId} = ${operationId}
      and ${deployEvents.event} ->> 'phase' = 'migrate'`,
);
