import { z } from 'zod';
import type { AssetFacts } from '../../core/asset-facts.ts';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { deployOperations, deployPlans } from '../../db/schema/releases.ts';
import { insertInto, pick, statement, typed } from '../../db/sql.ts';
import { type AssetPlace, assetRef } from '../../engines/assets/asset-ref.ts';
import { bucketMax, plannerVersion } from '../../engines/release/plan-release.ts';
import { diffShape, diffToWire, shapesVersion, warningToWire, warningWire } from '../../engines/release/wire.ts';
import { type Access, onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { actorOf } from '../../kernel/durability/audit-log.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { assetPlace } from '../assets/shared/asset-place.ts';
import { sha256Text } from '../content/shared/sha256-text.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { OperationActorWire } from '../projects/shared/wire.ts';
import { baseConflict, type ComputedPlan, computePlan } from './computed-plan.ts';
import { type DeployOperation, isPlanned, operationColumns } from './deploy-operation.ts';
import type { GivenSpec } from './given-spec.ts';
import { findLive } from './live-release.ts';
import { refuseOtherPlan, requiredPlan } from './required-plan.ts';
import { deployActions } from './shared/actions.ts';
import { refuseBeyondBinding, refuseForeignMembers } from './within-ci-scopes.ts';

/** How long a plan can be committed, in hours. */
const planHours = 24;

/** Levels of objects and lists within each other that a specification may have. */
const specDepth = 40;

interface Addressed {
  readonly project?: string | undefined;
  readonly spec: GivenSpec['spec'];
}

/** The project that is named, here or in the specification. */
const namedIn = ({ project: given, spec }: Addressed): string | undefined => {
  const named = given ?? spec.project_id ?? spec.project;
  return typeof named === 'string' && named !== '' ? named : undefined;
};

const addressed = (input: Addressed): string => {
  const named = namedIn(input);
  if (named !== undefined) return named;
  throw new ServiceError('INVALID_SPEC', {
    message: 'The specification names no project.',
    details: { field: 'project_id' },
    extras: { resource: 'project_id' },
  });
};

const named = onProject(deployActions['project:deploys:write'], addressed);

/** An action on the project that a specification is for. */
const onSpecified: Access<Addressed, ProjectScope> = {
  action: named.action,
  authorise: async (ctx, caller, input) => {
    if (caller.kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
    return named.authorise(ctx, caller, input);
  },
};

/** `POST /apply/v1/plans`. Contract 03, sections 2.2 and 2.3. */
export const planDeploy = mutation({
  name: 'deploys.plan',
  tool: 'deploy_plan',
  command: 'deploy apply --plan',
  summary: 'Say what a release specification would do, and what has to be uploaded for it.',
  access: onSpecified,
  lifecycle: 'owned',
  writeApproval: {
    action: 'project.deploy',
    field: 'project_id',
    target: (input, scope) => scope?.project?.id ?? namedIn(input),
  },
  input: z.object({
    project: projectId.optional().describe('Project; the one that the specification is for where it is not named.'),
    spec: jsonObject({ kib: 5 * 1024, depth: specDepth, holdsMaps: true })
      .describe('The release specification, which names its project; or that name alone, with `manifest_ref`.')
      .meta({ examples: [{ i18n: null }] }),
    manifest_ref: z
      .object({
        sha256: sha256Text.describe('SHA-256 of the uploaded specification.'),
        size: z.int().min(1).describe('Its length in bytes.'),
        content_type: z.string().max(255).optional().describe('Its media type, as a hint.'),
      })
      .optional()
      .describe('A specification that was uploaded as content, because it is larger than 5 MiB.'),
    request_key: z
      .string()
      .max(256)
      .optional()
      .describe('Tells repetitions of one deploy from another deploy of the same specification.'),
    mode: z
      .enum(['reviewed_plan'])
      .optional()
      .describe('Asks for a plan that somebody approves of before it is applied.'),
    required_plan: requiredPlan.optional().describe('The reviewed plan that this one has to be.'),
    dry_run: z.boolean().default(false).describe('Keeps nothing: a preview.'),
  }),
  async prepare(ctx, input): Promise<PlannedRelease> {
    if (
      input.manifest_ref !== undefined &&
      (input.dry_run || input.mode !== undefined || input.required_plan !== undefined)
    )
      throw new ServiceError('PLAN_REQUIRES_INLINE_SPEC');
    const given = givenOf(input, ctx.project.id);
    await refuseForeignMembers(ctx, given);
    const computed = await computePlan(ctx.services, ctx, given);
    await refuseBeyondBinding(ctx, computed);
    if (input.required_plan !== undefined)
      await refuseOtherPlan(ctx.services.db.rows, ctx, input.required_plan, computed.fingerprint);
    const place = computed.spec.assets === undefined ? undefined : await assetPlace(ctx.services, ctx);
    return { ...computed, place, isBranch: ctx.project.branch !== null };
  },
  async handler(work, input, computed) {
    if (input.dry_run) return planToWire(computed, undefined);
    await lockProjectFor(work, deployActions['project:deploys:write']);
    return planToWire(computed, await keepPlan(work, input, computed));
  },
  audit: ({ plan_id: id, base_release_id, manifest_digest }, _input, { project }) =>
    id === null
      ? undefined
      : {
          action: 'deploy.planned',
          object: { kind: 'deploy_plan', id },
          details: { project_id: project.id, base_release_id, manifest_digest },
        },
  wire: z
    .object({
      kind: z.literal('plan_response'),
      schema_version: z.literal(shapesVersion),
      actor: OperationActorWire.nullable(),
      plan_id: z.string().nullable(),
      operation_id: z.string().nullable(),
      plan_fingerprint: z.string().nullable(),
      plan_expires_at: z.iso.datetime().nullable(),
      planner_semantics_version: z.string().nullable(),
      base_identity: z.string().nullable(),
      next_actions: z.array(z.record(z.string(), z.unknown())),
      base_release_id: z.string().nullable(),
      manifest_digest: z.string(),
      is_noop: z.boolean(),
      summary: z.string(),
      expected_events: z.array(z.string()),
      missing_content: z.array(z.object({ sha256: z.string(), size: z.number(), present: z.boolean() })),
      warnings: z.array(warningWire),
      payment_required: z.null(),
      migrations: z.object({
        new: z.array(z.object({ id: z.string(), checksum_hex: z.string(), transaction: z.enum(['default', 'none']) })),
        noop: z.array(z.object({ id: z.string(), checksum_hex: z.string() })),
      }),
      ...diffShape,
      asset_entries: z
        .array(
          z.object({
            key: z.string(),
            sha256: z.string(),
            size_bytes: z.number(),
            content_type: z.string(),
            visibility: z.enum(['public', 'private']),
            immutable: z.boolean(),
            status: z.enum(['present', 'satisfied_by_plan', 'upload_pending']),
            asset_ref: z.record(z.string(), z.unknown()),
          }),
        )
        .optional(),
      asset_deletes: z.array(z.string()).optional(),
      asset_sync: z
        .object({
          prefix: z.string(),
          prune: z.literal(true),
          base_revision: z.string(),
          delete_set_digest: z.string(),
          expected_delete_count: z.int(),
          sample_keys: z.array(z.string()),
          over_inline_threshold: z.boolean(),
        })
        .optional(),
      cost: z.record(z.string(), z.unknown()),
      rehearsal: z.object({ available: z.boolean(), rehearse_url: z.string().nullable() }),
    })
    .meta({ id: 'DeployPlan' }),
  toWire: (planned) => planned,
});

interface PlanInput extends GivenSpec {
  readonly request_key?: string | undefined;
  readonly mode?: 'reviewed_plan' | undefined;
}

/** The specification names its project, whether or not the client has said so there. */
function givenOf({ spec, manifest_ref: ref }: PlanInputGiven, projectId: string): GivenSpec {
  const named = spec.project_id === undefined && spec.project === undefined ? { project_id: projectId, ...spec } : spec;
  return ref === undefined ? { spec: named } : { spec: named, manifest_ref: { sha256: ref.sha256, size: ref.size } };
}

interface PlanInputGiven {
  readonly spec: GivenSpec['spec'];
  readonly manifest_ref?: { readonly sha256: string; readonly size: number } | undefined;
}

/** A plan that is kept. */
interface KeptPlan {
  readonly id: string;
  readonly operation: DeployOperation;
  readonly expiresAt: Date;
  readonly isReviewed: boolean;
}

/** Keeps a plan, or finds the one that was kept of the same deploy. @throws BASE_RELEASE_CONFLICT */
export async function keepPlan(
  work: Work & ProjectScope & Context,
  input: PlanInputGiven & Pick<PlanInput, 'request_key' | 'mode'>,
  { plan, live, base, manifestDigest, fingerprint }: ComputedPlan,
): Promise<KeptPlan> {
  const { services, org, project } = work;
  const owner = { orgId: org.id, projectId: project.id };
  const now = await findLive(work.rows, owner);
  if (now.releaseId !== live.releaseId) throw baseConflict(live.releaseId, now.releaseId);
  const requestKey = input.request_key ?? '';
  const isReviewed = input.mode === 'reviewed_plan';
  const baseReleaseId = base?.releaseId ?? null;
  const isNoop = plan.isNoop;
  const [again] = await work.rows(againStatement.with({ ...owner, manifestDigest, requestKey, baseReleaseId, isNoop }));
  const missing = plan.content.some(({ present }) => !present);
  if (again !== undefined && isReviewed === (again.fingerprint !== null)) {
    const { planId, expiresAt, fingerprint: _none, ...operation } = again;
    return { id: planId, operation: { ...operation, planId }, expiresAt, isReviewed };
  }
  const ids = { planId: services.newId('plan'), operationId: services.newId('op') };
  const actor = actorOf(await work.caller(), work, services.now());
  const [kept] = await work.rows(
    insertPlanStatement.with({
      ...owner,
      id: ids.planId,
      operationId: ids.operationId,
      spec: JSON.stringify(givenOf(input, project.id)),
      manifestDigest,
      requestKey,
      baseReleaseId,
      fingerprint: isReviewed ? fingerprint : null,
    }),
  );
  const [operation] = await work.rows(
    insertOperationStatement.with({
      ...owner,
      id: ids.operationId,
      planId: ids.planId,
      kind: 'deploy',
      status: missing ? 'uploading' : 'planning',
      baseReleaseId,
      actor: JSON.stringify(actor),
    }),
  );
  return { id: ids.planId, operation: operation!, expiresAt: kept!.expiresAt, isReviewed };
}

/** A plan, and where assets of its project are served; undefined where it names none. */
interface PlannedRelease extends ComputedPlan {
  readonly place: AssetPlace | undefined;
  /** Whether it is for a branch of another project. */
  readonly isBranch: boolean;
}

/** Keys of a prune that are shown. */
const sampleKeysMax = 50;

/** What is told of assets. */
function assetsToWire({ spec, plan: { assets }, facts, place }: PlannedRelease) {
  if (spec.assets === undefined || place === undefined) return {};
  const { sync } = assets;
  return {
    ...(assets.entries.length === 0
      ? {}
      : {
          asset_entries: assets.entries.map(({ put, status }) => {
            const { key, sha256, size, contentType, visibility, immutable } = put;
            const held = facts.assets.get(key) as Partial<AssetFacts> | undefined;
            const image = held?.sha256 === sha256 ? (held.image ?? null) : null;
            const asset = { ...put, metadata: put.metadata as AssetFacts['metadata'], image };
            return {
              key,
              sha256,
              size_bytes: size,
              content_type: contentType,
              visibility,
              immutable,
              status,
              asset_ref: { ...assetRef(place, asset) },
            };
          }),
        }),
    ...(assets.deletes.length === 0 ? {} : { asset_deletes: [...assets.deletes] }),
    ...(sync === undefined
      ? {}
      : {
          asset_sync: {
            prefix: sync.prefix,
            prune: true as const,
            base_revision: sync.baseRevision,
            delete_set_digest: sync.deleteSetDigest,
            expected_delete_count: sync.deletes.length,
            sample_keys: sync.deletes.slice(0, sampleKeysMax),
            over_inline_threshold: sync.deletes.length > sampleKeysMax,
          },
        }),
  };
}

/** @param kept undefined for a preview */
function planToWire(planned: PlannedRelease, kept: KeptPlan | undefined) {
  const { plan, base, manifestDigest, fingerprint, facts } = planned;
  const { migrations, cost, content } = plan;
  const isReviewed = kept?.isReviewed === true;
  const isDone = kept !== undefined && !isPlanned(kept.operation);
  return {
    kind: 'plan_response' as const,
    schema_version: shapesVersion,
    actor: kept?.operation.actor ?? null,
    plan_id: kept?.id ?? null,
    operation_id: kept?.operation.id ?? null,
    plan_fingerprint: isReviewed ? fingerprint : null,
    plan_expires_at: isReviewed ? kept.expiresAt.toISOString() : null,
    planner_semantics_version: isReviewed ? plannerVersion : null,
    base_identity: isReviewed ? (base?.releaseId ?? 'none') : null,
    next_actions: [],
    base_release_id: base?.releaseId ?? null,
    manifest_digest: manifestDigest,
    is_noop: plan.isNoop || (isDone && kept.operation.status === 'ready'),
    summary: plan.summary,
    expected_events: ['plan.created', 'commit.phase', 'ready'],
    missing_content: content.map(({ sha256, size, present }) => ({ sha256, size, present })),
    warnings: plan.warnings.map(warningToWire),
    payment_required: null,
    migrations: {
      new: migrations.new.map(({ id, checksum, transaction }) => ({
        id,
        checksum_hex: checksum,
        transaction: transaction === 'none' ? ('none' as const) : ('default' as const),
      })),
      noop: migrations.noop.map(({ id, checksum }) => ({ id, checksum_hex: checksum })),
    },
    ...diffToWire(plan.diff, bucketMax, content),
    ...assetsToWire(planned),
    cost: {
      storage_bytes_added: cost.storageBytesAdded,
      storage_bytes_freed: cost.storageBytesFreed,
      storage_bytes_net: cost.storageBytesAdded - cost.storageBytesFreed,
      asset_keys_added: cost.assetKeysAdded,
      asset_keys_removed: cost.assetKeysRemoved,
      asset_keys_after_commit: facts.storage.assetKeys + cost.assetKeysAdded - cost.assetKeysRemoved,
      quota_before: { storage_bytes: facts.storage.usedBytes, asset_keys: facts.storage.assetKeys },
      quota_after: {
        storage_bytes: facts.storage.usedBytes + cost.storageBytesAdded - cost.storageBytesFreed,
        asset_keys: facts.storage.assetKeys + cost.assetKeysAdded - cost.assetKeysRemoved,
      },
      billable_delta_usd_micros: 0,
      payment_required: false,
    },
    rehearsal: rehearsalOf(planned, kept),
  };
}

/** Whether a plan is worth a rehearsal, and where one begins: it has migrations to run, and no branch is made of a branch. */
function rehearsalOf({ plan, isBranch }: PlannedRelease, kept: KeptPlan | undefined) {
  const available = kept !== undefined && isPlanned(kept.operation) && !isBranch && plan.migrations.new.length > 0;
  return { available, rehearse_url: available ? `/apply/v1/plans/${kept.id}/rehearse` : null };
}

const insertPlanStatement = statement(
  'deploys.insert-plan',
  {
    params: pick(
      deployPlans,
      'orgId',
      'projectId',
      'id',
      'operationId',
      'spec',
      'manifestDigest',
      'requestKey',
      'baseReleaseId',
      'fingerprint',
    ),
    row: pick(deployPlans, 'expiresAt'),
  },
  (given, row) =>
    sql`${insertInto(deployPlans, {
      ...given,
      expiresAt: sql`now() + make_interval(hours => ${sql.raw(String(planHours))})`,
    })} returning ${row}`,
);

export const insertOperationStatement = statement(
  'deploys.insert',
  {
    params: pick(deployOperations, 'orgId', 'projectId', 'id', 'planId', 'kind', 'status', 'baseReleaseId', 'actor'),
    row: operationColumns,
  },
  (given, row) => sql`${insertInto(deployOperations, given)} returning ${row}`,
);

// The same deploy, as long as it may still be committed, runs, or is what is live: one that another has replaced is planned anew.
const againStatement = statement(
  'deploys.planned-again',
  {
    params: {
      ...pick(deployPlans, 'orgId', 'projectId', 'manifestDigest', 'requestKey', 'baseReleaseId'),
      isNoop: typed<boolean>('boolean'),
    },
    row: {
      ...operationColumns,
      planId: deployPlans.id,
      expiresAt: deployPlans.expiresAt,
      fingerprint: deployPlans.fingerprint,
    },
  },
  (given, row) => sql`select ${row} from ${deployPlans}
    join ${deployOperations} on ${deployOperations.orgId} = ${deployPlans.orgId}
      and ${deployOperations.id} = ${deployPlans.operationId}
    where ${deployPlans.orgId} = ${given.orgId} and ${deployPlans.projectId} = ${given.projectId}
      and ${deployPlans.manifestDigest} = ${given.manifestDigest} and ${deployPlans.requestKey} = ${given.requestKey}
      and case when ${deployOperations.status} in ('planning', 'uploading')
          then ${deployPlans.expiresAt} > now() and ${deployPlans.baseReleaseId} is not distinct from ${given.baseReleaseId}
        when ${deployOperations.status} = 'ready'
          then ${deployOperations.releaseId} = ${given.baseReleaseId} and ${given.isNoop}::boolean
        else ${deployOperations.status} not in ('failed', 'rolled_back', 'needs_repair') end
    order by ${deployPlans.createdAt} desc limit 1`,
);
