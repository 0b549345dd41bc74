import { ServiceError } from '../../core/errors.ts';
import { manifestDigest } from '../../engines/release/digests.ts';
import type { ReleaseState } from '../../engines/release/model.ts';
import { fingerprintOf, type PlanFacts, planRelease, type ReleasePlan } from '../../engines/release/plan-release.ts';
import type { BaseSelector, ReleaseSpec } from '../../engines/release/spec/release-spec.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import type { Services } from '../../kernel/run/context.ts';
import { type GivenSpec, readSpecFor, refusing, resolveSpec } from './given-spec.ts';
import { findLive, type LiveRelease } from './live-release.ts';
import { planFacts } from './plan-facts.ts';
import { findRelease, loadRelease, type ReleaseOwner } from './release-store.ts';
import { functionLimitsOf } from './shared/function-limits.ts';

/** A specification, planned by what there is now. */
export interface ComputedPlan {
  readonly spec: ReleaseSpec;
  readonly plan: ReleasePlan;
  readonly base: { readonly releaseId: string; readonly state: ReleaseState } | null;
  readonly live: LiveRelease;
  readonly facts: PlanFacts;
  /** SHA-256 of the specification. */
  readonly manifestDigest: string;
  /** What an approval of this very plan names. */
  readonly fingerprint: string;
}

/**
 * Plans a specification. Nothing is changed.
 *
 * @throws the codes of contract 03, section 2.17
 */
export async function computePlan(
  services: Services,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  given: GivenSpec,
): Promise<ComputedPlan> {
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const wire = await resolveSpec(services, owner, given);
  const spec = readSpecFor(wire, scope.org, services.settings.leases);
  if (spec.projectId !== scope.project.id)
    throw new ServiceError('INVALID_SPEC', {
      message: 'The specification is for another project.',
      extras: { resource: 'project_id' },
    });
  const live = await findLive(services.db.rows, owner);
  const [base, facts] = await Promise.all([baseOf(services, owner, spec.base, live), planFacts(services, scope, spec)]);
  const limits = functionLimitsOf(scope.org, services.settings.leases);
  const plan = refusing(() => planRelease({ spec, base, facts, limits }));
  const digest = manifestDigest(wire);
  return {
    spec,
    plan,
    base,
    live,
    facts,
    manifestDigest: digest,
    fingerprint: fingerprintOf(plan, digest, base?.releaseId ?? 'none'),
  };
}

async function baseOf(
  { db }: Pick<Services, 'db'>,
  owner: ReleaseOwner,
  selector: BaseSelector,
  { releaseId }: LiveRelease,
): Promise<ComputedPlan['base']> {
  if (selector.kind === 'empty') {
    if (releaseId !== null) throw baseConflict(null, releaseId);
    return null;
  }
  if (selector.kind === 'current')
    return releaseId === null ? null : { releaseId, state: await loadRelease(db.rows, owner, releaseId) };
  if ((await findRelease(db.rows, owner, selector.releaseId)) === undefined)
    throw new ServiceError('INVALID_SPEC', {
      message: 'The base is no release of the project.',
      details: { field: 'base.release_id' },
      extras: { resource: 'base.release_id' },
    });
  return { releaseId: selector.releaseId, state: await loadRelease(db.rows, owner, selector.releaseId) };
}

/** The functions that are as they were in the base of a plan. */
export function unchangedFunctions({ state, diff }: ReleasePlan): string[] {
  const changed = new Set([...diff.functions.added, ...diff.functions.changed.map(({ name }) => name)]);
  return [...state.functions.keys()].filter((name) => !changed.has(name));
}

/** @param expected the release that the plan began from */
export const baseConflict = (expected: string | null, live: string | null) =>
  new ServiceError('BASE_RELEASE_CONFLICT', { details: { base_release_id: expected, live_release_id: live } });
