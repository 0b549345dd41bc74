import { ServiceError } from '../../../core/errors.ts';
import { advisoryLock } from '../../../db/advisory-lock.ts';
import { sql } from '../../../db/drizzle.ts';
import { subdomains } from '../../../db/schema/hosts.ts';
import { deployOperations, liveReleases, releases } from '../../../db/schema/releases.ts';
import { projectSecrets } from '../../../db/schema/secrets.ts';
import { insertInto, namesOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { ReleaseState } from '../../../engines/release/model.ts';
import {
  countSchedules,
  refuseManyFunctions,
  refuseManySchedules,
} from '../../../engines/release/spec/function-limits.ts';
import type { SpecAssets } from '../../../engines/release/spec/release-spec.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import { type ImagesBySha256, publishAssets } from '../../assets/shared/publish-assets.ts';
import { recordActivation } from '../../errors/shared/record-activation.ts';
import { replaceMailTriggers } from '../../functions/shared/replace-mail-triggers.ts';
import { replaceSchedules, schedulesElsewhereOf } from '../../functions/shared/replace-schedules.ts';
import { claimName } from '../../hosts/shared/claim-name.ts';
import { giveUpName } from '../../hosts/shared/give-up-name.ts';
import { lockProject } from '../../projects/shared/lock-project.ts';
import { baseConflict } from '../computed-plan.ts';
import { appendDeployEvent } from '../deploy-feed.ts';
import type { DeployOperation } from '../deploy-operation.ts';
import { urlsOf } from '../deploy-urls.ts';
import { deployActivated } from '../event-types.ts';
import { refusing } from '../given-spec.ts';
import { findLive } from '../live-release.ts';
import { functionsElsewhereOf } from '../plan-facts.ts';
import type { ReleaseOwner, ReleaseRow } from '../release-store.ts';
import { functionLimitsOf } from '../shared/function-limits.ts';

/** A release that goes live in place of another one. */
export interface Activation {
  readonly scope: Pick<ProjectScope, 'org' | 'project'>;
  readonly operation: Pick<DeployOperation, 'id' | 'actor' | 'baseReleaseId'>;
  readonly release: Pick<ReleaseRow, 'id' | 'deploymentId'>;
  readonly state: ReleaseState;
  readonly before: ReleaseState;
  /** Keys of secrets that go with it. */
  readonly deletesSecrets: readonly string[];
  /** What becomes of assets, at the same moment. */
  readonly assets: { readonly slice: SpecAssets; readonly images: ImagesBySha256 } | undefined;
}

/**
 * The flip: whatever makes a release the live one, in the transaction of the caller. A request that began before sees the
 * release before to its end.
 *
 * @throws BASE_RELEASE_CONFLICT, TIER_LIMIT_EXCEEDED, FUNCTION_SCHEDULE_LIMIT_EXCEEDED, SUBDOMAIN_TAKEN, PROJECT_NOT_FOUND, ASSET_SYNC_DRIFT, CONTENT_MISSING
 */
export async function activate(work: Work, given: Activation): Promise<DeployOperation['generation']> {
  const { scope, operation, release, deletesSecrets, assets } = given;
  const { org, project } = scope;
  const owner: ReleaseOwner = { orgId: org.id, projectId: project.id };
  const locked = await lockProject(work, project.id);
  if (locked === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
  const live = await findLive(work.rows, owner);
  if (live.releaseId !== operation.baseReleaseId) throw baseConflict(operation.baseReleaseId, live.releaseId);
  await refuseOverLimit(work, given);
  await moveNames({ ...work, ...scope, authority: { kind: 'system', reason: 'deploy' } }, given);
  if (deletesSecrets.length > 0) await work.rows(deleteSecretsStatement.with({ ...owner, keys: deletesSecrets }));
  if (assets !== undefined) await publishAssets(work.rows, owner, assets.slice, assets.images);
  const [pointed] = await work.rows(pointStatement.with({ ...owner, releaseId: release.id }));
  const generation = pointed!.generation;
  if (live.gatedBy !== null) work.afterCommit(() => work.services.gates.changed());
  await work.rows(supersedeStatement.with({ ...owner, releaseId: release.id }));
  await work.rows(activeStatement.with({ ...owner, releaseId: release.id }));
  await replaceSchedules(work, { ...owner, rest: locked.branch?.cron === false }, release.id, given.state);
  await replaceMailTriggers(work, owner, release.id, given.state);
  const urls = await urlsOf(work, owner, project.publicId, release.deploymentId);
  await work.rows(
    readyStatement.with({
      orgId: org.id,
      id: operation.id,
      releaseId: release.id,
      generation,
      urls: JSON.stringify(urls),
    }),
  );
  await recordActivation(work, owner, { releaseId: release.id });
  work.append(appendDeployEvent(owner, operation.id, { type: 'ready', releaseId: release.id, urls }));
  work.append(
    appendEvent({
      ...owner,
      type: deployActivated,
      payload: {
        release_id: release.id,
        operation_id: operation.id,
        previous_release_id: live.releaseId,
        activated_by: operation.actor?.principal?.principal_id ?? null,
      },
    }),
  );
  return generation;
}

/** The plan saw what was live then; two projects of an organization may go live at the same time. */
async function refuseOverLimit(work: Work, { scope: { org, project }, state, before }: Activation): Promise<void> {
  const isMore = countSchedules(state) > countSchedules(before);
  if (state.functions.size <= before.functions.size && !isMore) return;
  await work.rows(advisoryLock.with({ key: `functions:${org.id}` }));
  const elsewhere = await functionsElsewhereOf(work.rows, { orgId: org.id, projectId: project.id });
  const limits = functionLimitsOf(org, work.services.settings.leases);
  const schedulesElsewhere = await schedulesElsewhereOf(work.rows, { orgId: org.id, projectId: project.id });
  refusing(() => {
    refuseManyFunctions(before, state, elsewhere, limits);
    refuseManySchedules(before, state, schedulesElsewhere, limits);
  }, 'activate');
}

/** Claims the names that the release has and gives up those that the one before had; all lead to its deployment. */
async function moveNames(work: Work & ProjectScope, { state, before, release }: Activation): Promise<void> {
  const owner = { orgId: work.org.id, projectId: work.project.id };
  for (const name of before.subdomains) if (!state.subdomains.includes(name)) await giveUpName(work, owner, name);
  for (const name of state.subdomains) await claimName(work, name, release.deploymentId);
  await work.rows(pointNamesStatement.with({ ...owner, deploymentId: release.deploymentId }));
}

const ofProject = pick(liveReleases, 'orgId', 'projectId');
const releaseId = typed<string>('text');

const pointStatement = statement(
  'releases.point',
  { params: { ...ofProject, releaseId }, row: pick(liveReleases, 'generation') },
  (given, row) => sql`${insertInto(liveReleases, { ...given, generation: sql`1`, changedAt: sql`now()` })}
    on conflict (${namesOf(liveReleases.orgId, liveReleases.projectId)}) do update ${setOf(liveReleases, {
      releaseId: given.releaseId,
      generation: sql`${liveReleases.generation} + 1`,
      changedAt: sql`now()`,
      gatedBy: sql`null`,
    })} returning ${row}`,
);

const supersedeStatement = statement(
  'releases.supersede',
  { params: { ...pick(releases, 'orgId', 'projectId'), releaseId } },
  (given) => sql`update ${releases} ${setOf(releases, { status: sql`'superseded'`, supersededAt: sql`now()` })}
    where ${releases.orgId} = ${given.orgId} and ${releases.projectId} = ${given.projectId}
      and ${releases.status} = 'active' and ${releases.id} <> ${given.releaseId}`,
);

const activeStatement = statement(
  'releases.activate',
  { params: { ...pick(releases, 'orgId', 'projectId'), releaseId } },
  (given) => sql`update ${releases} ${setOf(releases, {
    status: sql`'active'`,
    activatedAt: sql`coalesce(${releases.activatedAt}, now())`,
    supersededAt: sql`null`,
  })} where ${releases.orgId} = ${given.orgId} and ${releases.projectId} = ${given.projectId}
      and ${releases.id} = ${given.releaseId}`,
);

const readyStatement = statement(
  'deploys.ready',
  {
    params: {
      ...pick(deployOperations, 'orgId', 'id', 'urls'),
      releaseId,
      generation: typed<bigint>('bigint'),
    },
  },
  ({ orgId, id, ...set }) => sql`update ${deployOperations}
    ${setOf(deployOperations, {
      ...set,
      status: sql`'ready'`,
      error: sql`null`,
      leaseUntil: sql`null`,
      activateAttempts: sql`${deployOperations.activateAttempts} + 1`,
      lastActivateAttemptAt: sql`now()`,
      updatedAt: sql`now()`,
    })} where ${deployOperations.orgId} = ${orgId} and ${deployOperations.id} = ${id}`,
);

const deleteSecretsStatement = statement(
  'deploys.delete-secrets',
  { params: { ...pick(projectSecrets, 'orgId', 'projectId'), keys: typed<readonly string[]>('text[]') } },
  (given) => sql`delete from ${projectSecrets} where ${projectSecrets.orgId} = ${given.orgId}
    and ${projectSecrets.projectId} = ${given.projectId} and ${projectSecrets.key} = any(${given.keys}::text[])`,
);

const pointNamesStatement = statement(
  'deploys.point-names',
  { params: { ...pick(subdomains, 'orgId'), projectId: typed<string>('text'), deploymentId: typed<string>('text') } },
  ({ orgId, projectId, deploymentId }) => sql`update ${subdomains}
    ${setOf(subdomains, { deploymentId, updatedAt: sql`now()` })}
    where ${subdomains.orgId} = ${orgId} and ${subdomains.projectId} = ${projectId}
      and ${subdomains.deploymentId} is distinct from ${deploymentId}`,
);
