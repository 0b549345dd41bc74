import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { diffReleases, type ReleaseDiff } from '../../engines/release/diff.ts';
import { emptyRelease, type ReleaseState } from '../../engines/release/model.ts';
import { promoteWarnings } from '../../engines/release/warnings/promote-rules.ts';
import type { Warning } from '../../engines/release/warnings/warning.ts';
import { warningToWire, warningWire } from '../../engines/release/wire.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { actorOf } from '../../kernel/durability/audit-log.ts';
import { projectId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { cursorNow } from '../events/shared/cursor-now.ts';
import { pollAfter } from '../events/shared/poll-after.ts';
import { activate } from './apply/activate.ts';
import { type DeployOperation, edgeOf, edgeWire, findOperation, restorePointOf } from './deploy-operation.ts';
import { findLive } from './live-release.ts';
import { insertOperationStatement } from './plan-deploy.ts';
import { findRelease, loadRelease, type ReleaseRow } from './release-store.ts';
import { refuseRunning, targetStatement } from './running-deploy.ts';
import { deployActions } from './shared/actions.ts';
import { refuseOtherLive } from './shared/live-state.ts';
import { refuseWorkflow } from './within-ci-scopes.ts';

interface Prepared {
  readonly target: ReleaseRow;
  readonly state: ReleaseState;
  readonly before: ReleaseState;
  readonly liveId: string | null;
  readonly warnings: readonly Warning[];
  readonly cursor: string;
}

interface Promoted {
  readonly releaseId: string;
  readonly operation: DeployOperation;
  readonly previousReleaseId: string | null;
  readonly diff: Record<string, unknown>;
  readonly warnings: z.output<typeof warningWire>[];
  readonly cursor: string;
  readonly projectId: string;
}

/** `POST /apply/v1/releases/:release_id/promote`: also the way back. Contract 03, section 2.9. */
export const promoteRelease = mutation({
  name: 'releases.promote',
  tool: 'promote',
  command: 'deploy promote',
  effects: ['destructive'],
  summary: 'Make a release live that was live before. Migrations that were run since stay.',
  access: onProject(deployActions['project:deploys:write'], ({ project }: { project: string }) => project),
  lifecycle: 'owned',
  writeApproval: { action: 'project.deploy', field: 'project_id', target: ({ project }) => project },
  input: z.object({
    project: projectId,
    release: z.string().min(1).max(64).describe('The release, `rel_…`.'),
    allow_warning_codes: z
      .array(z.string().min(1).max(128))
      .max(100)
      .default([])
      .describe('Codes of the warnings that are agreed to.'),
  }),
  async prepare(ctx, { release, allow_warning_codes: allowed }): Promise<Prepared> {
    await refuseWorkflow(ctx, 'promote a release');
    const { services, org, project } = ctx;
    const owner = { orgId: org.id, projectId: project.id };
    const { rows } = services.db;
    const target = await findTarget(ctx, release);
    if (target.status !== 'active' && target.status !== 'superseded')
      throw new ServiceError('PROMOTE_RELEASE_NOT_READY', { details: { release_id: release, status: target.status } });
    const { releaseId: liveId } = await findLive(rows, owner);
    if (liveId === release) throw new ServiceError('PROMOTE_NO_OP', { details: { release_id: release } });
    const state = await loadRelease(rows, owner, release);
    const before = liveId === null ? emptyRelease : await loadRelease(rows, owner, liveId);
    const warnings = await withRestorePoint(ctx, liveId, promoteWarnings(before, state));
    const open = warnings.filter((one) => one.requiresConfirmation && !allowed.includes(one.code));
    if (open.length > 0)
      throw new ServiceError('PROMOTE_WARNING_REQUIRES_ACK', { details: { warnings: open.map(warningToWire) } });
    return { target, state, before, liveId, warnings, cursor: await cursorNow(ctx) };
  },
  async handler(work, _input, { target, state, before, liveId, warnings, cursor }): Promise<Promoted> {
    const { services, org, project } = work;
    const owner = { orgId: org.id, projectId: project.id };
    await refuseOtherLive(work, deployActions['project:deploys:write'], liveId);
    await refuseRunning(work.rows, owner);
    const actor = actorOf(await work.caller(), work, services.now());
    const [operation] = await work.rows(
      insertOperationStatement.with({
        ...owner,
        id: services.newId('op'),
        planId: null,
        kind: 'promote',
        status: 'activating',
        baseReleaseId: liveId,
        actor: JSON.stringify(actor),
      }),
    );
    await work.rows(targetStatement.with({ orgId: org.id, id: operation!.id, targetReleaseId: target.id }));
    await activate(work, {
      scope: { org, project },
      operation: operation!,
      release: target,
      state,
      before,
      deletesSecrets: [],
      // They are no part of a release.
      assets: undefined,
    });
    return {
      projectId: project.id,
      releaseId: target.id,
      operation: (await findOperation(work.rows, owner, operation!.id))!,
      previousReleaseId: liveId,
      diff: promoteDiff(before, state, diffReleases(state, before)),
      warnings: warnings.map(warningToWire),
      cursor,
    };
  },
  audit: ({ operation, releaseId, previousReleaseId }, _input, { project }) => ({
    action: 'deploy.promoted',
    object: { kind: 'deploy', id: operation.id },
    details: { project_id: project.id, release_id: releaseId, previous_release_id: previousReleaseId },
  }),
  wire: z.object({
    status: z.literal('ok'),
    release_id: z.string(),
    operation_id: z.string(),
    previous_release_id: z.string().nullable(),
    diff: z.record(z.string(), z.unknown()),
    warnings: z.array(warningWire),
    edge: edgeWire,
    next_actions: z.array(z.looseObject({ type: z.string() })),
  }),
  toWire: (one) => ({
    status: 'ok' as const,
    release_id: one.releaseId,
    operation_id: one.operation.id,
    previous_release_id: one.previousReleaseId,
    diff: one.diff,
    warnings: one.warnings,
    edge: edgeOf(one.operation),
    next_actions: [{ ...pollAfter(one.projectId, one.cursor) }],
  }),
});

/** @throws PROMOTE_TARGET_NOT_FOUND, PROMOTE_PROJECT_MISMATCH */
async function findTarget({ services, org, project }: Context & ProjectScope, id: string): Promise<ReleaseRow> {
  const found = await findRelease(services.db.rows, { orgId: org.id, projectId: project.id }, id);
  // What another project has is not told apart from what is not there.
  if (found === undefined) throw new ServiceError('PROMOTE_TARGET_NOT_FOUND', { details: { release_id: id } });
  return found;
}

/** Names the snapshot of before the migrations that stay: whoever goes back may want their rows of then, too. */
async function withRestorePoint(
  { services, org, project }: Context & ProjectScope,
  liveId: string | null,
  warnings: readonly Warning[],
): Promise<readonly Warning[]> {
  if (liveId === null || !warnings.some(({ code }) => code === 'MIGRATIONS_NOT_REVERSIBLE')) return warnings;
  const owner = { orgId: org.id, projectId: project.id };
  const live = await findRelease(services.db.rows, owner, liveId);
  const deploy = live === undefined ? undefined : await findOperation(services.db.rows, owner, live.operationId);
  const point = deploy === undefined ? {} : restorePointOf(deploy);
  if (Object.keys(point).length === 0) return warnings;
  return warnings.map((one) =>
    one.code === 'MIGRATIONS_NOT_REVERSIBLE' ? { ...one, details: { ...one.details, ...point } } : one,
  );
}

/** @param diff from the target to what is live */
const promoteDiff = (current: ReleaseState, target: ReleaseState, { functions, site }: ReleaseDiff) => {
  const ids = (state: ReleaseState) => new Set(state.migrations.map(({ id }) => id));
  const [now, then] = [ids(current), ids(target)];
  return {
    functions: {
      only_in_current: functions.added,
      only_in_target: functions.removed,
      changed: functions.changed.map(({ name }) => name),
    },
    migrations: {
      only_in_current: [...now].filter((id) => !then.has(id)),
      only_in_target: [...then].filter((id) => !now.has(id)),
    },
    site_paths: { added_in_current: site.added.length, removed_in_current: site.removed.length },
  };
};
