import type { AssetFacts } from '../../core/asset-facts.ts';
import { sql } from '../../db/drizzle.ts';
import { releaseFunctions } from '../../db/schema/functions.ts';
import { projects } from '../../db/schema/projects.ts';
import { liveReleases } from '../../db/schema/releases.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { contentOf } from '../../engines/release/content-of.ts';
import type { PlanFacts } from '../../engines/release/plan-release.ts';
import type { ReleaseSpec } from '../../engines/release/spec/release-spec.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import { storageOfOrg } from '../../kernel/limits/storage.ts';
import type { Services } from '../../kernel/run/context.ts';
import { assetFacts, countAssets } from '../assets/shared/asset-facts.ts';
import { useContent } from '../content/shared/use-content.ts';
import { schedulesElsewhereOf } from '../functions/shared/replace-schedules.ts';
import { asOwnReader, databaseOf, inProject, once } from '../project-data/shared/in-project.ts';
import { isElsewhere } from '../projects/shared/is-elsewhere.ts';
import { readText } from './given-spec.ts';
import type { ReleaseOwner } from './release-store.ts';
import { secretKeysOf } from './shared/secret-keys.ts';

/** Longest SQL of a migration that is looked at for warnings, in bytes. */
const scannedBytes = 1_048_576;

const readRegistry = once("select id, checksum from _svc.migrations where state = 'applied'");

/** Checksums of the migrations of a project that were run, by id. */
export async function migrationRegistry(
  { projectPools }: Pick<Services, 'projectPools'>,
  scope: Pick<ProjectScope, 'org' | 'project'>,
): Promise<ReadonlyMap<string, string>> {
  const [, rows] = await inProject(() => projectPools.run(databaseOf(scope), [asOwnReader, readRegistry]));
  return new Map(rows!.map(([id, checksum]) => [id!, checksum!]));
}

/** What planning has to know of a project, of what a specification names. */
export async function planFacts(
  services: Services,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  spec: ReleaseSpec,
): Promise<PlanFacts> {
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const named = contentOf(spec);
  const [secretKeys, registry, held, assets, storage, functionsElsewhere, schedulesElsewhere] = await Promise.all([
    secretKeysOf(services, owner),
    spec.migrations.length === 0 ? new Map<string, string>() : migrationRegistry(services, scope),
    useContent(
      services.db.rows,
      owner,
      named.map(({ sha256 }) => sha256),
    ),
    spec.assets === undefined
      ? noAssetFacts
      : assetFacts(services.db.rows, owner, {
          keys: [...spec.assets.put.map(({ key }) => key), ...spec.assets.delete],
          prefix: spec.assets.sync?.prefix,
        }),
    spec.assets === undefined ? nothingStored : storageOf(services, owner),
    spec.functions === undefined ? 0 : functionsElsewhereOf(services.db.rows, owner),
    spec.functions === undefined ? 0 : schedulesElsewhereOf(services.db.rows, owner),
  ]);
  const migrationSql = new Map<string, string>();
  for (const { id, sql: text } of spec.migrations) {
    if (typeof text === 'string' || registry.has(id) || text.size > scannedBytes) continue;
    if (held.get(text.sha256) === text.size) migrationSql.set(text.sha256, await readText(services, text.sha256));
  }
  return {
    secretKeys,
    registry,
    held,
    migrationSql,
    assets,
    storage,
    embeddingCatalogue: new Set(services.settings.embeddingOrigins.keys()),
    routesEnabled: true,
    functionsElsewhere,
    schedulesElsewhere,
  };
}

const noAssetFacts: ReadonlyMap<string, AssetFacts> = new Map();
const nothingStored: PlanFacts['storage'] = { usedBytes: 0, assetKeys: 0 };

/** What the organization has stored, and how many assets the project has. */
async function storageOf(services: Services, owner: ReleaseOwner): Promise<PlanFacts['storage']> {
  const [usedBytes, assetKeys] = await Promise.all([
    storageOfOrg(services, owner.orgId),
    countAssets(services.db.rows, owner),
  ]);
  return { usedBytes, assetKeys };
}

/** How many functions the live releases of the organization's other projects have. */
export async function functionsElsewhereOf(rows: Rows, owner: ReleaseOwner): Promise<number> {
  const [row] = await rows(functionsStatement.with(owner));
  return Number(row!.count);
}

const functionsStatement = statement(
  'deploys.functions-elsewhere',
  {
    params: pick(liveReleases, 'orgId', 'projectId'),
    row: { count: computed<bigint>('bigint', sql`count(*)`) },
  },
  ({ orgId, projectId }, row) => sql`select ${row} from ${liveReleases}
    join ${projects} on ${projects.orgId} = ${liveReleases.orgId} and ${projects.id} = ${liveReleases.projectId}
    join ${releaseFunctions} on ${releaseFunctions.orgId} = ${liveReleases.orgId}
      and ${releaseFunctions.projectId} = ${liveReleases.projectId}
      and ${releaseFunctions.releaseId} = ${liveReleases.releaseId}
    where ${liveReleases.orgId} = ${orgId} and ${isElsewhere(projectId)}`,
);
