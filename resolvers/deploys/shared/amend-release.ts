import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import { actorOf } from '../../../kernel/durability/audit-log.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { carryBuildsStatement } from '../../functions/shared/build-rows.ts';
import { activate } from '../apply/activate.ts';
import { baseConflict, type ComputedPlan, computePlan, unchangedFunctions } from '../computed-plan.ts';
import type { GivenSpec } from '../given-spec.ts';
import { keepPlan } from '../plan-deploy.ts';
import { saveRelease } from '../release-store.ts';
import { refuseRunning, targetStatement } from '../running-deploy.ts';
import { refuseOtherLive } from './live-state.ts';

/** A change of what is live by what is there already, planned: no content, no build and no migration comes with it. */
export interface Amendment {
  readonly spec: GivenSpec['spec'];
  readonly computed: ComputedPlan;
}

/**
 * Plans a change of some functions of the live release. Nothing is changed.
 *
 * @param patch as a specification of a release says it, without code
 * @throws the codes of contract 03, section 2.17
 */
export async function planAmendment(
  services: Services,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  patch: { readonly set?: Readonly<Record<string, object>>; readonly delete?: readonly string[] },
): Promise<Amendment> {
  const spec = { project_id: scope.project.id, functions: { patch } };
  return { spec, computed: await computePlan(services, scope, { spec }) };
}

/**
 * Makes a planned change live, as a release of its own that an earlier one can be promoted over.
 *
 * @returns the live release; the one that was, where the change changes nothing
 * @throws BASE_RELEASE_CONFLICT where something else went live, or is about to; TIER_LIMIT_EXCEEDED and what {@link activate} throws
 */
export async function amendRelease(
  work: Work & ProjectScope,
  action: Action,
  { spec, computed }: Amendment,
): Promise<string> {
  const { plan, base, live, manifestDigest } = computed;
  const { services, org, project, rows } = work;
  const owner = { orgId: org.id, projectId: project.id };
  if (base === null) throw baseConflict(live.releaseId, null);
  await refuseOtherLive(work, action, base.releaseId);
  if (plan.isNoop) return base.releaseId;
  await refuseRunning(rows, owner);
  const actor = actorOf(await work.caller(), work, services.now());
  const { id: planId, operation } = await keepPlan(work, { spec, request_key: services.newId('op') }, computed);
  const release = { id: services.newId('rel'), deploymentId: services.newId('dpl') };
  await saveRelease(rows, owner, plan.state, {
    ...release,
    parentId: base.releaseId,
    operationId: operation.id,
    planId,
    manifestDigest,
    actor,
  });
  await rows(
    carryBuildsStatement.with({
      ...owner,
      base: base.releaseId,
      releaseId: release.id,
      names: [...plan.state.functions.keys()],
      unchanged: unchangedFunctions(plan),
    }),
  );
  await rows(targetStatement.with({ orgId: org.id, id: operation.id, targetReleaseId: release.id }));
  await activate(work, {
    scope: { org, project },
    operation,
    release,
    state: plan.state,
    before: base.state,
    deletesSecrets: [],
    assets: undefined,
  });
  return release.id;
}
