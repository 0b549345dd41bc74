import { type AssetsPlan, type HeldAsset, planAssets } from './assets-plan.ts';
import { byCodePoint } from './canonical-json.ts';
import { contentOf } from './content-of.ts';
import { diffReleases, isEmptyDiff, type ReleaseDiff } from './diff.ts';
import { dataDigest, planFingerprint, releaseDigest } from './digests.ts';
import { invalid, SpecError } from './errors.ts';
import { materialise } from './materialise.ts';
import { type ContentRef, emptyRelease, type ReleaseState } from './model.ts';
import { refuseSecondDefault } from './next-due.ts';
import { type FunctionLimits, refuseManyFunctions, refuseManySchedules } from './spec/function-limits.ts';
import type { ReleaseSpec, SpecMigration } from './spec/release-spec.ts';
import { refuseUneven } from './stored.ts';
import { summaryOf } from './summary.ts';
import { migrationRules, newMigrations } from './warnings/migration-rules.ts';
import { type Change, removalRules } from './warnings/removals.ts';
import { routeRules } from './warnings/route-rules.ts';
import { inOrder, type Warning, warningsOf } from './warnings/warning.ts';

/** Changes when the same specification would be planned otherwise: approvals of older plans are void then. */
export const plannerVersion = 'svc.planner.v1';

/** Entries that a plan shows of each list of paths. */
export const bucketMax = 1_000;

/** What planning needs to know of the project. */
export interface PlanFacts {
  /** Keys of secrets that the project holds. */
  readonly secretKeys: ReadonlySet<string>;
  /** Checksums of the migrations that were run, by id. */
  readonly registry: ReadonlyMap<string, string>;
  /** SQL of new migrations that was uploaded, by SHA-256, as far as it is there. */
  readonly migrationSql: ReadonlyMap<string, string>;
  /** Sizes of the objects that the project holds, of those that are named, by SHA-256. */
  readonly held: ReadonlyMap<string, number>;
  /** Assets that are named, and all below the prefix of a prune. */
  readonly assets: ReadonlyMap<string, HeldAsset>;
  readonly storage: { readonly usedBytes: number; readonly assetKeys: number };
  /** Keys of those who may be allowed to embed the site. */
  readonly embeddingCatalogue: ReadonlySet<string>;
  readonly routesEnabled: boolean;
  /** Functions of the live releases of other projects of the organization. */
  readonly functionsElsewhere: number;
  /** Schedules of the live releases of other projects of the organization. */
  readonly schedulesElsewhere: number;
}

export interface PlanInput {
  readonly spec: ReleaseSpec;
  /** Null: there is none, or it is not to be started from. */
  readonly base: { readonly releaseId: string; readonly state: ReleaseState } | null;
  readonly facts: PlanFacts;
  /** Of the tier; undefined: none. */
  readonly limits?: FunctionLimits;
}

export interface PlanCost {
  readonly storageBytesAdded: number;
  readonly storageBytesFreed: number;
  readonly assetKeysAdded: number;
  readonly assetKeysRemoved: number;
}

export interface ReleasePlan {
  readonly state: ReleaseState;
  readonly diff: ReleaseDiff;
  readonly warnings: readonly Warning[];
  readonly summary: string;
  readonly isNoop: boolean;
  readonly migrations: { readonly new: readonly SpecMigration[]; readonly noop: readonly SpecMigration[] };
  /** Every object that is named, and whether the project holds it. */
  readonly content: readonly (ContentRef & { readonly present: boolean })[];
  readonly assets: AssetsPlan;
  readonly cost: PlanCost;
  /** SHA-256 of the release that it makes. */
  readonly digest: string;
}

/**
 * What a specification would do. Nothing is changed, and the same input is always planned alike.
 *
 * @throws SpecError
 */
export function planRelease({ spec, base, facts, limits }: PlanInput): ReleasePlan {
  const before = base?.state ?? emptyRelease;
  const migrations = migrationsOf(spec, facts.registry);
  refuseUnknownEmbedders(spec, facts.embeddingCatalogue);
  const state = materialise(before, spec);
  refuseManyFunctions(before, state, facts.functionsElsewhere, limits);
  refuseManySchedules(before, state, facts.schedulesElsewhere, limits);
  refuseSecondDefault(state);
  refuseUneven(state);
  const diff = diffReleases(before, state);
  const assets = planAssets(spec.assets, facts.assets, facts.held);
  const content = contentOf(spec).map((one) => ({ ...one, present: isHeld(one, facts.held) }));
  const change: Change = {
    spec,
    base: base?.state ?? null,
    state,
    diff,
    secretKeys: facts.secretKeys,
    routesEnabled: facts.routesEnabled,
  };
  const sqlOf = ({ sql }: SpecMigration) => (typeof sql === 'string' ? sql : facts.migrationSql.get(sql.sha256));
  const warnings = inOrder([
    ...warningsOf(removalRules, change),
    ...warningsOf(routeRules, change),
    ...warningsOf(migrationRules, newMigrations(migrations.new, sqlOf)),
    ...truncation(diff),
  ]);
  return {
    state,
    diff,
    warnings,
    summary: summaryOf(diff, migrations.new.length, 'plan'),
    isNoop:
      base !== null &&
      isEmptyDiff(diff) &&
      migrations.new.length === 0 &&
      assets.isNoop &&
      !deletesSecrets(spec, facts),
    migrations,
    content,
    assets,
    cost: costOf(content, assets, facts),
    digest: releaseDigest(state),
  };
}

/** @throws SpecError for another size than that of the bytes, which no upload would ever match */
function isHeld({ sha256, size }: ContentRef, held: PlanFacts['held']): boolean {
  const own = held.get(sha256);
  if (own !== undefined && own !== size)
    throw invalid('', `gives ${sha256} the size ${size}, and it has ${own} bytes`, { sha256, size: own });
  return own !== undefined;
}

/** A secret that is held and goes: no bucket shows it unless a release required it. */
const deletesSecrets = ({ secrets }: ReleaseSpec, { secretKeys }: PlanFacts) =>
  secrets.delete.some((key) => secretKeys.has(key));

/** @throws SpecError MIGRATION_CHECKSUM_MISMATCH */
function migrationsOf({ migrations }: ReleaseSpec, registry: PlanFacts['registry']): ReleasePlan['migrations'] {
  for (const [place, { id, checksum }] of migrations.entries()) {
    const registered = registry.get(id);
    if (registered !== undefined && registered !== checksum)
      throw new SpecError('MIGRATION_CHECKSUM_MISMATCH', `The migration ${id} was run with other SQL.`, {
        resource: `database.migrations.${place}.checksum`,
        details: { migration_id: id, registered_checksum: registered, submitted_checksum: checksum },
      });
  }
  return {
    new: migrations.filter(({ id }) => !registry.has(id)),
    noop: migrations.filter(({ id }) => registry.has(id)),
  };
}

function refuseUnknownEmbedders({ frameAncestors }: ReleaseSpec, catalogue: ReadonlySet<string>): void {
  const unknown = frameAncestors?.find((key) => !catalogue.has(key));
  if (unknown !== undefined)
    throw invalid('site.embedding.frame_ancestors', `names ${unknown}, which is not in the catalogue`, {
      known: [...catalogue].sort(byCodePoint),
    });
}

const truncation = ({ site }: ReleaseDiff): Warning[] => {
  const cut = (['added', 'removed', 'changed'] as const).filter((bucket) => site[bucket].length > bucketMax);
  if (cut.length === 0) return [];
  const message = `The plan shows the first ${bucketMax} paths of a list.`;
  return [
    {
      code: 'DIFF_TRUNCATED',
      severity: 'info',
      requiresConfirmation: false,
      message,
      affected: cut.map((one) => `site.${one}`),
    },
  ];
};

function costOf(content: ReleasePlan['content'], assets: AssetsPlan, { assets: held }: PlanFacts): PlanCost {
  const sum = (some: readonly ContentRef[]) => some.reduce((bytes, { size }) => bytes + size, 0);
  const gone = [...new Set([...assets.deletes.filter((key) => held.has(key)), ...(assets.sync?.deletes ?? [])])];
  return {
    storageBytesAdded: sum(content.filter(({ present }) => !present)),
    storageBytesFreed: gone.reduce((bytes, key) => bytes + held.get(key)!.size, 0),
    assetKeysAdded: assets.entries.filter(({ put }) => !held.has(put.key)).length,
    assetKeysRemoved: gone.length,
  };
}

/**
 * What somebody who approves of a plan approves of: whatever of it is different makes another fingerprint. Contract 03,
 * section 2.13.
 */
export function fingerprintOf(plan: ReleasePlan, specDigest: string, baseIdentity: string): string {
  const { warnings, digest, cost, content, migrations, assets } = plan;
  return planFingerprint({
    release_spec_digest: specDigest,
    concrete_base_identity: baseIdentity,
    planner_semantics_version: plannerVersion,
    materialised: digest,
    // Whether it was uploaded meanwhile changes nothing of what is approved.
    content_binding_digest: dataDigest(content.map(({ sha256, size }) => ({ sha256, size }))),
    warnings: warnings.map(({ code, severity, affected, details }) => ({
      code,
      severity,
      resource: affected,
      details,
    })),
    migrations: migrations.new.map(({ id, checksum }) => ({ id, checksum })),
    assets: {
      deletes: assets.deletes,
      sync:
        assets.sync === undefined ? null : { revision: assets.sync.baseRevision, deletes: assets.sync.deleteSetDigest },
    },
    cost: {
      asset_keys_added: cost.assetKeysAdded,
      asset_keys_removed: cost.assetKeysRemoved,
      freed: cost.storageBytesFreed,
    },
  });
}
