import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { type DeployStatus, deployOperations, deployPlans, releases } from '../../../db/schema/releases.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import { contentOf } from '../../../engines/release/content-of.ts';
import { emptyRelease, type ReleaseState } from '../../../engines/release/model.ts';
import type { ReleaseSpec } from '../../../engines/release/spec/release-spec.ts';
import { orgIn, projectIn, projectStatement } from '../../../kernel/access/access-statements.ts';
import { closeGate, openGate } from '../../../kernel/access/close-gate.ts';
import type { Task, TaskContext } from '../../../kernel/run/task.ts';
import { examineImages } from '../../assets/shared/examine-images.ts';
import type { ImagesBySha256 } from '../../assets/shared/publish-assets.ts';
import { keepContentStatement } from '../../content/shared/keep-content.ts';
import { buildFunctions } from '../../functions/shared/build-functions.ts';
import { nameBuildsStatement } from '../../functions/shared/build-rows.ts';
import { refuseMissingGate } from '../../functions/shared/refuse-missing-gate.ts';
import { databaseOf } from '../../project-data/shared/in-project.ts';
import { giveUpSnapshotBefore, snapshotBeforeMigrations } from '../../snapshots/shared/before-migrations.ts';
import { computePlan, unchangedFunctions } from '../computed-plan.ts';
import { appendDeployEvent } from '../deploy-feed.ts';
import { type GivenSpec, readSpecFor, resolveSpec } from '../given-spec.ts';
import { migrationRegistry } from '../plan-facts.ts';
import { loadRelease, saveRelease } from '../release-store.ts';
import { deployErrorOf } from '../shared/deploy-error.ts';
import { activate } from './activate.ts';
import {
  type Deploying,
  keepLease,
  LostLeaseError,
  leaseSeconds,
  type Phase,
  releaseLease,
  settle,
  takeOperation,
} from './deploying.ts';
import { HalfDoneError, runMigrations } from './run-migrations.ts';
import { applyTask } from './task.ts';

/** How often the platform tries by itself again what waits, in seconds. Contract 03, section 2.15. */
const retrySeconds = 3_600;
/** Attempts to go live in a row, before that is left to wait. */
const attemptsInARow = 3;
/** Attempts to prepare a release, before the deploy fails: with the pauses of the queue, some ten minutes. */
const stageAttempts = 7;

const payloadShape = z.object({ operation: z.string(), resumed: z.boolean().default(false) });

/**
 * Brings a deploy to its end. Each phase may be repeated, and writes that it is over with what it did, so that whatever
 * stops in between is taken up by another node. Contract 03, section 2.15.
 */
export const applyDeploy: Task = async (job, payload) => {
  const { operation: id, resumed } = payloadShape.parse(payload);
  // Looks after it when this process dies; finds nothing to do in the usual case.
  const later = new Date(job.ctx.services.now().getTime() + (leaseSeconds + 1) * 1000);
  await job.addJob(applyTask, { operation: id }, { key: `${id}:watch`, runAt: later });
  const operation = await takeOperation(job.ctx, id);
  if (operation === undefined) return;
  const [row] = await job.ctx.services.db.rows(
    projectStatement.with({ project: operation.projectId, principal: null, admitted: true }),
  );
  if (row === undefined) return;
  const scope = { org: orgIn(row)!, project: projectIn(row)! };
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const deploying: Deploying = { ctx: job.ctx, scope, owner, operation, at: { status: operation.status } };
  const stop = keepLease(deploying);
  try {
    await runPhases(deploying);
  } catch (error) {
    if (error instanceof LostLeaseError) return;
    await conclude(job, deploying, error, resumed);
  } finally {
    stop();
  }
};

/** What is done in each state that is left behind. */
const inState: Partial<Record<DeployStatus, (deploying: Deploying) => Promise<void>>> = {
  committing: validate,
  staging: stage,
  gating: gate,
  migrating: migrate,
  schema_settling: settleSchema,
};

/** The phases from the one in which the deploy stands. */
async function runPhases(deploying: Deploying): Promise<void> {
  const { at, ctx } = deploying;
  for (let run = inState[at.status]; run !== undefined; run = inState[at.status]) {
    ctx.signal.throwIfAborted();
    await run(deploying);
  }
  await goLive(deploying);
}

/** The specification of a deploy, as it was planned. */
async function specOf({ ctx: { services }, owner, scope, operation }: Deploying): Promise<ReleaseSpec> {
  const given = await givenSpecOf({ services, owner, operation });
  return readSpecFor(await resolveSpec(services, owner, given), scope.org, services.settings.leases);
}

async function givenSpecOf({
  services,
  owner,
  operation,
}: Pick<Deploying, 'owner' | 'operation'> & Pick<Deploying['ctx'], 'services'>): Promise<GivenSpec> {
  const [plan] = await services.db.rows(specStatement.with({ orgId: owner.orgId, id: operation.planId! }));
  return plan!.spec as unknown as GivenSpec;
}

async function validate(deploying: Deploying): Promise<void> {
  const { ctx, scope, owner, operation } = deploying;
  await settle(deploying, undefined, [{ phase: 'validate', status: 'started' }]);
  const given = await givenSpecOf({ services: ctx.services, owner, operation });
  deploying.planned = await computePlan(ctx.services, scope, given);
  const missing = deploying.planned.plan.content.filter(({ present }) => !present).map(({ sha256 }) => sha256);
  if (missing.length > 0) throw new ServiceError('CONTENT_MISSING', { details: { missing: missing.slice(0, 100) } });
  await settle(deploying, 'staging', [{ phase: 'validate', status: 'done' }]);
}

async function stage(deploying: Deploying): Promise<void> {
  const { ctx, scope, owner, operation } = deploying;
  const { services } = ctx;
  await settle(deploying, undefined, [{ phase: 'stage', status: 'started' }]);
  const { plan, spec, manifestDigest } =
    deploying.planned ?? (await computePlan(services, scope, await givenSpecOf({ services, owner, operation })));
  // Not needed any more: it has every file of two releases in it.
  deploying.planned = undefined;
  // An image that cannot be read ends the deploy before it changes anything.
  deploying.images = await imagesOf(deploying, spec);
  const facts = {
    id: operation.targetReleaseId!,
    parentId: operation.baseReleaseId,
    operationId: operation.id,
    planId: operation.planId!,
    deploymentId: operation.urls!.deployment_id!,
    manifestDigest,
    actor: operation.actor,
  };
  const built = await buildFunctions(ctx, scope, plan.state.functions);
  // Assets are no part of a release: they name their content themselves.
  const sha256s = [
    ...contentOf({ ...spec, assets: undefined }).map(({ sha256 }) => sha256),
    ...built.flatMap(({ build }) => [build.bundleSha256, build.mapSha256]),
  ];
  const hasMigrations = plan.migrations.new.length > 0;
  const hasSchema = hasMigrations || spec.expose !== undefined;
  const details = {
    files: plan.state.site.size,
    migrations: plan.migrations.new.length,
    ...(built.length === 0 ? {} : { functions: built.length }),
    ...(hasMigrations ? await snapshotBeforeMigrations(ctx, scope, operation.id) : {}),
  };
  await settle(
    deploying,
    hasSchema ? 'gating' : 'activating',
    [
      { phase: 'stage', status: 'done', details },
      ...(hasSchema ? [] : skipped('migrate-gate', 'migrate', 'schema-settle')),
    ],
    async (work) => {
      const told = { type: 'log', phase: 'stage', stream: 'stderr', created_at: services.now().toISOString() };
      for (const { name, log } of built)
        for (const line of log)
          work.append(appendDeployEvent(owner, operation.id, { ...told, resource: `functions.${name}`, line }));
      await saveRelease(work.rows, owner, plan.state, facts);
      await work.rows(
        nameBuildsStatement.with({
          ...owner,
          releaseId: facts.id,
          names: built.map(({ name }) => name),
          fingerprints: built.map(({ build }) => build.fingerprint),
          base: operation.baseReleaseId,
          unchanged: unchangedFunctions(plan),
        }),
      );
      const held = await work.rows(keepContentStatement.with({ ...owner, sha256s }));
      if (held.length < new Set(sha256s).size) throw new ServiceError('CONTENT_MISSING');
    },
  );
}

/** What is known of the images among its assets. Another node that takes over from the one that looked, looks again. */
const imagesOf = async (deploying: Deploying, { assets }: ReleaseSpec): Promise<ImagesBySha256> =>
  deploying.images ?? examineImages(deploying.ctx, deploying.scope, assets?.put ?? []);

const skipped = (...phases: readonly Phase[]) => phases.map((phase) => ({ phase, status: 'skipped' as const }));

async function gate(deploying: Deploying): Promise<void> {
  const { owner, operation } = deploying;
  const { zeroDowntime, migrations } = await specOf(deploying);
  if (zeroDowntime || migrations.length === 0) return settle(deploying, 'migrating', skipped('migrate-gate'));
  const steps = [
    { phase: 'migrate-gate', status: 'started' },
    { phase: 'migrate-gate', status: 'done' },
  ] as const;
  return settle(deploying, 'migrating', steps, (work) => closeGate(work, owner, operation.id));
}

async function migrate(deploying: Deploying): Promise<void> {
  const { ctx, scope } = deploying;
  const { migrations, expose } = await specOf(deploying);
  await settle(deploying, undefined, [{ phase: 'migrate', status: 'started' }]);
  const registry = await migrationRegistry(ctx.services, scope);
  const left = migrations.filter(({ id }) => !registry.has(id));
  const done = await runMigrations(deploying, { migrations: left, expose });
  await settle(deploying, 'schema_settling', [{ phase: 'migrate', status: 'done', details: { migrations: done } }]);
}

/** Waits until this node answers by the new schema; the others ask the database within a second. */
async function settleSchema(deploying: Deploying): Promise<void> {
  const { ctx, scope } = deploying;
  await settle(deploying, undefined, [{ phase: 'schema-settle', status: 'started' }]);
  try {
    await ctx.services.schemaCaches.reload(databaseOf(scope));
  } catch (cause) {
    throw new ServiceError('SCHEMA_SETTLE_TIMEOUT', { cause, extras: { phase: 'schema-settle' } });
  }
  await settle(deploying, 'activating', [{ phase: 'schema-settle', status: 'done' }]);
}

async function goLive(deploying: Deploying): Promise<void> {
  const { ctx, owner, operation, scope } = deploying;
  const { services } = ctx;
  await settle(deploying, 'activating', [{ phase: 'activate', status: 'started' }]);
  const load = (id: string | null): Promise<ReleaseState> =>
    id === null ? Promise.resolve(emptyRelease) : loadRelease(services.db.rows, owner, id);
  const [state, before, spec] = await Promise.all([
    load(operation.targetReleaseId),
    load(operation.baseReleaseId),
    specOf(deploying),
  ]);
  await refuseMissingGate(services, scope, state.functions);
  const release = { id: operation.targetReleaseId!, deploymentId: operation.urls!.deployment_id! };
  const images = await imagesOf(deploying, spec);
  const activation = {
    scope,
    operation,
    release,
    state,
    before,
    deletesSecrets: spec.secrets.delete,
    assets: spec.assets === undefined ? undefined : { slice: spec.assets, images },
  };
  const steps = [
    { phase: 'activate', status: 'done' },
    { phase: 'ready', status: 'done' },
  ] as const;
  await settle(deploying, undefined, steps, async (work) => {
    await activate(work, activation);
    await openGate(work, owner, operation.id);
  });
}

/** What becomes of a deploy that failed. */
async function conclude(job: TaskContext, deploying: Deploying, error: unknown, resumed: boolean): Promise<void> {
  const { ctx, operation } = deploying;
  const { status } = deploying.at;
  if (error instanceof HalfDoneError) return end(deploying, 'needs_repair', 'migrate', error.refusal);
  const refusal = error instanceof ServiceError ? error : undefined;
  const isTransient = refusal === undefined || refusal.row.retryable;
  if (refusal !== undefined && !isTransient) {
    const inMigrate = status === 'migrating';
    return end(deploying, inMigrate ? 'rolled_back' : 'failed', phaseOf(status), refusal);
  }
  const waits = status === 'schema_settling' || status === 'activating' || status === 'activation_pending';
  if (waits && operation.activateAttempts + 1 >= attemptsInARow) return wait(job, deploying, error, resumed);
  // Nothing of it has happened yet, and it keeps every other deploy of the project out.
  if (!waits && status !== 'migrating' && operation.attempt >= stageAttempts) {
    job.log.warn({ err: error, operation_id: operation.id }, 'a release could not be prepared');
    return end(
      deploying,
      'failed',
      phaseOf(status),
      refusal ?? new ServiceError('SITE_STAGE_FAILED', { cause: error }),
    );
  }
  job.log.warn({ err: error, operation_id: operation.id }, 'a phase of a deploy failed; it is tried again');
  await releaseLease(deploying);
  if (waits) await ctx.services.db.rows(attemptedStatement.with({ id: operation.id }));
  // The queue tries again, with growing pauses.
  throw error;
}

/** Ends a deploy of which nothing is visible. */
function end(
  deploying: Deploying,
  status: Extract<DeployStatus, 'failed' | 'rolled_back' | 'needs_repair'>,
  phase: Phase,
  refusal: ServiceError,
): Promise<void> {
  const { owner, operation } = deploying;
  const error = deployErrorOf(refusal, phase, operation);
  return settle(
    deploying,
    status,
    [{ phase, status: 'failed', message: refusal.message, details: { code: refusal.code } }],
    async (work) => {
      await openGate(work, owner, operation.id);
      await giveUpSnapshotBefore(work, owner, operation.id);
      await work.rows(failStatement.with({ id: operation.id, error: JSON.stringify(error) }));
      await work.rows(failReleaseStatement.with({ orgId: owner.orgId, id: operation.targetReleaseId! }));
    },
  );
}

/** Leaves a deploy to wait: its migrations were run, so it only goes forward. */
async function wait(job: TaskContext, deploying: Deploying, cause: unknown, resumed: boolean): Promise<void> {
  const { ctx, operation, owner } = deploying;
  const isSettling = deploying.at.status === 'schema_settling';
  const phase = isSettling ? 'schema-settle' : 'activate';
  const first = cause instanceof ServiceError ? cause : new ServiceError('ACTIVATION_FAILED', { cause });
  // Whoever had it tried again is told that this attempt failed, and of what.
  const refusal = resumed
    ? new ServiceError('RESUME_FAILED', { cause, details: { ...first.details, phase, code: first.code } })
    : first;
  const error = deployErrorOf(refusal, phase, operation);
  const later = new Date(ctx.services.now().getTime() + retrySeconds * 1000);
  await settle(
    deploying,
    isSettling ? 'schema_settling' : 'activation_pending',
    [{ phase, status: 'failed', message: refusal.message, details: { code: refusal.code } }],
    async (work) => {
      await openGate(work, owner, operation.id);
      await work.rows(waitStatement.with({ id: operation.id, error: JSON.stringify(error) }));
      await work.addJob(applyTask, { operation: operation.id }, { key: operation.id, runAt: later });
    },
  );
  job.log.warn({ err: cause, operation_id: operation.id }, 'a release could not go live; it is tried again in an hour');
}

const phases: Partial<Record<DeployStatus, Phase>> = {
  committing: 'validate',
  staging: 'stage',
  gating: 'migrate-gate',
  migrating: 'migrate',
  schema_settling: 'schema-settle',
};

const phaseOf = (status: DeployStatus): Phase => phases[status] ?? 'activate';

const ofOne = pick(deployOperations, 'id');
const withError = { ...ofOne, ...pick(deployOperations, 'error') };

const specStatement = statement(
  'deploys.spec',
  { params: pick(deployPlans, 'orgId', 'id'), row: pick(deployPlans, 'spec') },
  (given, row) => sql`select ${row} from ${deployPlans}
    where ${deployPlans.orgId} = ${given.orgId} and ${deployPlans.id} = ${given.id}`,
);

const failStatement = statement(
  'deploys.fail',
  { params: withError },
  ({ id, error }) => sql`update ${deployOperations} ${setOf(deployOperations, { error, leaseUntil: sql`null` })}
    where ${deployOperations.id} = ${id}`,
);

const failReleaseStatement = statement(
  'releases.fail',
  { params: pick(releases, 'orgId', 'id') },
  (given) => sql`update ${releases} ${setOf(releases, { status: sql`'failed'` })}
    where ${releases.orgId} = ${given.orgId} and ${releases.id} = ${given.id} and ${releases.status} = 'staged'`,
);

const attempts = {
  activateAttempts: sql`${deployOperations.activateAttempts} + 1`,
  lastActivateAttemptAt: sql`now()`,
};

const attemptedStatement = statement(
  'deploys.attempted',
  { params: ofOne },
  ({ id }) => sql`update ${deployOperations} ${setOf(deployOperations, attempts)} where ${deployOperations.id} = ${id}`,
);

const waitStatement = statement(
  'deploys.wait',
  { params: withError },
  ({ id, error }) => sql`update ${deployOperations}
    ${setOf(deployOperations, { ...attempts, error, leaseUntil: sql`null` })} where ${deployOperations.id} = ${id}`,
);
