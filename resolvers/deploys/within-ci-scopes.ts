import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { ciBindings } from '../../db/schema/ci.ts';
import { pick, statement } from '../../db/sql.ts';
import { coversKey, coversRoute } from '../../engines/ci/scopes.ts';
import type { RouteEntry } from '../../engines/release/model.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { ComputedPlan } from './computed-plan.ts';
import type { GivenSpec } from './given-spec.ts';

/** Members of a specification that a workflow may send. Contract 03, section 9.3. */
const allowedMembers = new Set(['project_id', 'project', 'database', 'functions', 'site', 'base', 'routes', 'assets']);

const denied = (label: string, message: string, details: Readonly<Record<string, unknown>>) =>
  new ServiceError('FORBIDDEN', { label, message, details });

/** The binding that the caller acts for, where it is a workflow of CI. */
async function bindingOf(ctx: Context): Promise<string | undefined> {
  const caller = await ctx.caller();
  return caller.kind === 'delegate' ? caller.scope.binding : undefined;
}

/** Refuses what no workflow of CI may do, whatever its binding says. @throws FORBIDDEN */
export async function refuseWorkflow(ctx: Context, what: string): Promise<void> {
  if ((await bindingOf(ctx)) !== undefined)
    throw denied('insufficient_scope', `A session of CI may not ${what}.`, { action: what });
}

/** Refuses what a workflow may not send, before anything is made of it. @throws FORBIDDEN */
export async function refuseForeignMembers(ctx: Context, { spec, manifest_ref: ref }: GivenSpec): Promise<void> {
  if ((await bindingOf(ctx)) === undefined) return;
  if (ref !== undefined)
    throw denied('forbidden_plan', 'A session of CI sends its specification itself.', { field: 'manifest_ref' });
  const field = Object.keys(spec).find((name) => !allowedMembers.has(name));
  if (field !== undefined)
    throw denied('forbidden_spec_field', `A session of CI may not set ${field}.`, {
      field,
      allowed: [...allowedMembers],
    });
  const { base } = spec;
  if (base !== undefined && !isDeepStrictEqual(base, { release: 'current' }))
    throw denied('forbidden_spec_field', 'A session of CI builds on what is live.', { field: 'base' });
}

/**
 * Holds a plan of a workflow to the scopes of its binding: at its plan and again at its commit, since anybody may have made it.
 *
 * @throws FORBIDDEN, CI_ROUTE_SCOPE_DENIED, CI_ASSET_SCOPE_DENIED
 */
export async function refuseBeyondBinding(ctx: Context, computed: ComputedPlan): Promise<void> {
  const bindingId = await bindingOf(ctx);
  if (bindingId === undefined) return;
  const [binding] = await ctx.services.db.rows(scopesStatement.with({ id: bindingId }));
  const { routeScopes = [], assetKeyScopes = [] } = binding ?? {};
  refuseRoutes(computed, routeScopes);
  refuseAssets(computed, assetKeyScopes);
}

function refuseRoutes({ plan, base }: ComputedPlan, scopes: readonly string[]): void {
  const [before, after] = [base?.state.routes ?? [], plan.state.routes];
  const isIn = (routes: readonly RouteEntry[], one: RouteEntry) =>
    routes.some((other) => isDeepStrictEqual(other, one));
  // What is carried forward as it is may lie anywhere; what is taken away is changed, too.
  const changed = [...after.filter((one) => !isIn(before, one)), ...before.filter((one) => !isIn(after, one))];
  const outside = changed.find(({ pattern }) => !coversRoute(scopes, pattern));
  if (outside !== undefined)
    throw new ServiceError('CI_ROUTE_SCOPE_DENIED', { details: { pattern: outside.pattern, route_scopes: scopes } });
}

function refuseAssets({ spec }: ComputedPlan, scopes: readonly string[]): void {
  const { assets } = spec;
  if (assets === undefined) return;
  if (assets.sync !== undefined)
    throw denied('forbidden_spec_field', 'A session of CI may not prune assets.', { field: 'assets.sync' });
  const outside = [...assets.put.map(({ key }) => key), ...assets.delete].find((key) => !coversKey(scopes, key));
  if (outside !== undefined)
    throw new ServiceError('CI_ASSET_SCOPE_DENIED', { details: { key: outside, asset_key_scopes: scopes } });
}

const scopesStatement = statement(
  'deploys.ci-scopes',
  { params: pick(ciBindings, 'id'), row: pick(ciBindings, 'routeScopes', 'assetKeyScopes') },
  ({ id }, row) =>
    sql`select ${row} from ${ciBindings} where ${ciBindings.id} = ${id} and ${ciBindings.revokedAt} is null`,
);
