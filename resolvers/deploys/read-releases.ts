import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { diffReleases, isEmptyDiff, type ReleaseDiff } from '../../engines/release/diff.ts';
import { emptyRelease, type ReleaseState } from '../../engines/release/model.ts';
import { summaryOf } from '../../engines/release/summary.ts';
import {
  diffShape,
  diffToWire,
  inventoryShape,
  inventoryToWire,
  shapesVersion,
  warningWire,
} from '../../engines/release/wire.ts';
import { onNamedOrOwnProject, type ProjectScope } from '../../kernel/access/access.ts';
import { onProjectOf } from '../../kernel/access/on-project-of.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { OperationActorWire } from '../projects/shared/wire.ts';
import { findLive, type LiveRelease } from './live-release.ts';
import { findRelease, loadRelease, type ReleaseRow } from './release-store.ts';
import { deployActions } from './shared/actions.ts';
import { sought } from './shared/on-deploy.ts';

/** A release with what it holds. */
export interface ReleaseInventory {
  readonly projectId: string;
  /** Undefined for a project without one. */
  readonly row: ReleaseRow | undefined;
  readonly state: ReleaseState;
  readonly live: LiveRelease;
  readonly siteLimit: number;
  readonly isActiveRead: boolean;
}

const siteLimit = z.coerce
  .number()
  .int()
  .min(0)
  .max(25_000)
  .default(5_000)
  .describe('Paths of the site that are shown, at most 25,000.');

const inventoryWire = z
  .object({
    kind: z.literal('release_inventory'),
    schema_version: z.literal(shapesVersion),
    release_id: z.string().nullable(),
    project_id: z.string(),
    parent_id: z.string().nullable(),
    deployment_id: z.string().nullable(),
    status: z.enum(['active', 'superseded', 'failed', 'staged']).nullable(),
    manifest_digest: z.string().nullable(),
    created_at: z.iso.datetime().nullable(),
    created_by: z.string().nullable(),
    actor: OperationActorWire.nullable(),
    activated_at: z.iso.datetime().nullable(),
    superseded_at: z.iso.datetime().nullable(),
    operation_id: z.string().nullable(),
    plan_id: z.string().nullable(),
    events_url: z.string().nullable(),
    effective: z.boolean(),
    state_kind: z.enum(['current_live', 'effective', 'desired_manifest']),
    release_generation: z.int().nullable(),
    static_manifest_sha256: z.string().nullable(),
    ...inventoryShape,
    migrations_applied: z.array(
      z.object({ migration_id: z.string(), checksum_hex: z.string(), applied_at: z.iso.datetime().nullable() }),
    ),
  })
  .meta({ id: 'Release' });

const toInventory = ({ projectId: of, row, state, live, siteLimit: most, isActiveRead }: ReleaseInventory) => {
  const isLive = row !== undefined && row.id === live.releaseId;
  const wasLive = row === undefined || row.status === 'active' || row.status === 'superseded';
  return {
    kind: 'release_inventory' as const,
    schema_version: shapesVersion,
    release_id: row?.id ?? null,
    project_id: of,
    parent_id: row?.parentId ?? null,
    deployment_id: row?.deploymentId ?? null,
    status: row?.status ?? null,
    manifest_digest: row?.manifestDigest ?? null,
    created_at: row?.createdAt.toISOString() ?? null,
    created_by: row?.actor?.principal?.principal_id ?? null,
    actor: row?.actor ?? null,
    activated_at: row?.activatedAt?.toISOString() ?? null,
    superseded_at: row?.supersededAt?.toISOString() ?? null,
    operation_id: row?.operationId ?? null,
    plan_id: row?.planId ?? null,
    events_url: row === undefined ? null : `/apply/v1/operations/${row.operationId}/events`,
    effective: wasLive,
    state_kind: isActiveRead
      ? ('current_live' as const)
      : wasLive
        ? ('effective' as const)
        : ('desired_manifest' as const),
    release_generation: isLive ? Number(live.generation) : null,
    static_manifest_sha256: row?.staticSha256 ?? null,
    ...inventoryToWire(state, most),
    migrations_applied: state.migrations.map(({ id, checksum }) => ({
      migration_id: id,
      checksum_hex: checksum,
      applied_at: row?.activatedAt?.toISOString() ?? null,
    })),
  };
};

/** `GET /apply/v1/releases/:release_id`. Contract 03, section 2.8. */
export const getRelease = query({
  name: 'releases.get',
  tool: 'deploy_release_get',
  command: 'deploy release get',
  summary: 'What a release holds: its files, routes, names and what it needs.',

  access: onProjectOf(
    deployActions['project:deploys:read'],
    sought.release,
    ({ release }: { readonly release: string }) => release,
  ),
  input: z.object({ release: z.string().min(1).max(64).describe('The release, `rel_…`.'), site_limit: siteLimit }),
  async handler({ services, org, project }, { release, site_limit }): Promise<ReleaseInventory> {
    const owner = { orgId: org.id, projectId: project.id };
    const { rows } = services.db;
    const [row, state, live] = await Promise.all([
      findRelease(rows, owner, release),
      loadRelease(rows, owner, release),
      findLive(rows, owner),
    ]);
    return { projectId: project.id, row, state, live, siteLimit: site_limit, isActiveRead: false };
  },
  wire: inventoryWire,
  toWire: toInventory,
});

/** `GET /apply/v1/releases/active`. Contract 03, section 2.8. */
export const getActiveRelease = query({
  name: 'releases.getActive',
  tool: 'deploy_release_active',
  command: 'deploy release active',
  summary: 'What the live release of a project holds.',
  access: onNamedOrOwnProject(deployActions['project:deploys:read']),
  input: z.object({ project: itsProject, site_limit: siteLimit }),
  async handler({ services, org, project }, { site_limit }): Promise<ReleaseInventory> {
    const owner = { orgId: org.id, projectId: project.id };
    const { rows } = services.db;
    const live = await findLive(rows, owner);
    const given = { projectId: project.id, live, siteLimit: site_limit, isActiveRead: true };
    if (live.releaseId === null) return { ...given, row: undefined, state: emptyRelease };
    const [row, state] = await Promise.all([
      findRelease(rows, owner, live.releaseId),
      loadRelease(rows, owner, live.releaseId),
    ]);
    return { ...given, row, state };
  },
  wire: inventoryWire,
  toWire: toInventory,
});

interface ReleasesCompared {
  readonly from: string | null;
  readonly to: string | null;
  readonly diff: ReleaseDiff;
  readonly migrations: readonly string[];
  readonly most: number;
}

/** `GET /apply/v1/releases/diff`. Contract 03, section 2.8. */
export const compareReleases = query({
  name: 'releases.diff',
  tool: 'deploy_release_diff',
  command: 'deploy release diff',
  summary: 'What is different between two releases of a project.',
  access: onNamedOrOwnProject(deployActions['project:deploys:read']),
  input: z.object({
    project: itsProject,
    from: z.string().min(1).max(64).describe('`empty`, `active` or a release.'),
    to: z.string().min(1).max(64).describe('`active`, a release, or `empty`.'),
    limit: z.coerce.number().int().min(1).max(25_000).default(1_000).describe('Entries of each list of paths.'),
  }),
  async handler(ctx, { from, to, limit }): Promise<ReleasesCompared> {
    const [before, after] = [await selected(ctx, from, 'from'), await selected(ctx, to, 'to')];
    const known = new Set(before.state.migrations.map(({ id }) => id));
    return {
      from: before.id,
      to: after.id,
      diff: diffReleases(before.state, after.state),
      migrations: after.state.migrations.map(({ id }) => id).filter((id) => !known.has(id)),
      most: limit,
    };
  },
  wire: z.object({
    kind: z.literal('release_diff'),
    schema_version: z.literal(shapesVersion),
    from_release_id: z.string().nullable(),
    to_release_id: z.string().nullable(),
    is_noop: z.boolean(),
    summary: z.string(),
    warnings: z.array(warningWire),
    migrations: z.object({ applied_between_releases: z.array(z.string()) }),
    ...diffShape,
  }),
  toWire: ({ from, to, diff, migrations, most }) => ({
    kind: 'release_diff' as const,
    schema_version: shapesVersion,
    from_release_id: from,
    to_release_id: to,
    is_noop: isEmptyDiff(diff) && migrations.length === 0,
    summary: summaryOf(diff, migrations.length, 'release_diff'),
    warnings: [],
    migrations: { applied_between_releases: [...migrations].sort() },
    ...diffToWire(diff, most),
  }),
});

const badSelector = (field: string) =>
  new ServiceError('INVALID_SPEC', {
    message: `${field} must be empty, active or a release.`,
    details: { field },
    extras: { resource: field },
  });

async function selected({ services, org, project }: Context & ProjectScope, selector: string, field: string) {
  const owner = { orgId: org.id, projectId: project.id };
  const { rows } = services.db;
  if (selector === 'empty') return { id: null, state: emptyRelease };
  const id = selector === 'active' ? (await findLive(rows, owner)).releaseId : selector;
  if (id === null) throw new ServiceError('NO_ACTIVE_RELEASE', { status: 404, details: { field } });
  if (!id.startsWith('rel_')) throw badSelector(field);
  if ((await findRelease(rows, owner, id)) === undefined)
    throw new ServiceError('RELEASE_NOT_FOUND', { details: { release_id: id } });
  return { id, state: await loadRelease(rows, owner, id) };
}
