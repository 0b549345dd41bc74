import { alias, sql } from '../../../db/drizzle.ts';
import { assets, assetVersions } from '../../../db/schema/assets.ts';
import { computed, from, insertSelect, pick, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { copyContent } from '../../content/shared/copy-content.ts';

/** Whose assets become whose, too, within one organization. */
export interface AssetsCopy {
  readonly orgId: string;
  readonly source: string;
  readonly target: string;
}

/** Gives a project of the same organization the assets of another one, under the same keys and paths. */
export async function copyAssets(work: Work, copy: AssetsCopy): Promise<void> {
  const { orgId, source, target } = copy;
  const held = await work.rows(heldStatement.with({ orgId, source }));
  await copyContent(
    work,
    { source: { orgId, projectId: source }, target: { orgId, projectId: target } },
    held.map(({ sha256 }) => sha256),
    'named',
  );
  await work.rows(copyStatement.with(copy));
  await work.rows(copyVersionsStatement.with(copy));
}

const asset = alias(assets, 'asset');
const version = alias(assetVersions, 'version');

const ofSource = { ...pick(assets, 'orgId'), source: typed<string>('text') };
const params = { ...ofSource, target: typed<string>('text') };

const heldStatement = statement(
  'assets.held-by-project',
  { params: ofSource, row: { sha256: computed<string>('text', sql`held.sha256`) } },
  ({ orgId, source }, row) => sql`select ${row} from (
      select ${asset.sha256} from ${from(asset)} where ${asset.orgId} = ${orgId} and ${asset.projectId} = ${source}
      union
      select ${version.sha256} from ${from(version)}
      where ${version.orgId} = ${orgId} and ${version.projectId} = ${source} and ${version.retiredAt} is null
    ) as held`,
);

const copyStatement = statement('assets.copy', { params }, ({ orgId, source, target }) =>
  insertSelect(
    assets,
    {
      orgId: sql`${asset.orgId}`,
      projectId: target,
      key: sql`${asset.key}`,
      sha256: sql`${asset.sha256}`,
      size: sql`${asset.size}`,
      contentType: sql`${asset.contentType}`,
      visibility: sql`${asset.visibility}`,
      immutable: sql`${asset.immutable}`,
      metadata: sql`${asset.metadata}`,
      exifPolicy: sql`${asset.exifPolicy}`,
      image: sql`${asset.image}`,
    },
    sql`from ${from(asset)} where ${asset.orgId} = ${orgId} and ${asset.projectId} = ${source}`,
  ),
);

const copyVersionsStatement = statement('assets.copy-versions', { params }, ({ orgId, source, target }) =>
  insertSelect(
    assetVersions,
    {
      orgId: sql`${version.orgId}`,
      projectId: target,
      path: sql`${version.path}`,
      key: sql`${version.key}`,
      versionSha256: sql`${version.versionSha256}`,
      sha256: sql`${version.sha256}`,
      size: sql`${version.size}`,
      contentType: sql`${version.contentType}`,
      visibility: sql`${version.visibility}`,
    },
    sql`from ${from(version)} where ${version.orgId} = ${orgId} and ${version.projectId} = ${source}
      and ${version.retiredAt} is null`,
  ),
);
