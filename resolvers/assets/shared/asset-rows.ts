import type { AssetFacts, AssetVisibility } from '../../../core/asset-facts.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { assets, assetVersions } from '../../../db/schema/assets.ts';
import { excluded, namesOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ContentOwner } from '../../content/shared/use-content.ts';

/** A path below `/_blob/` that always has the same bytes. */
export interface AssetPath {
  readonly path: string;
  readonly key: string;
  readonly versionSha256: string;
  readonly sha256: string;
  readonly size: number;
  readonly contentType: string;
  readonly visibility: AssetVisibility;
}

/** Writes assets in place of those of the same keys. */
export async function writeAssets(rows: Rows, owner: ContentOwner, written: readonly AssetFacts[]): Promise<void> {
  const jsonOf = (value: object | null) => (value === null ? null : JSON.stringify(value));
  await rows(
    writeStatement.with({
      ...owner,
      keys: written.map(({ key }) => key),
      sha256s: written.map(({ sha256 }) => sha256),
      sizes: written.map(({ size }) => size),
      contentTypes: written.map(({ contentType }) => contentType),
      visibilities: written.map(({ visibility }) => visibility),
      immutables: written.map(({ immutable }) => immutable),
      metadata: written.map(({ metadata }) => jsonOf(metadata)),
      policies: written.map(({ exifPolicy }) => exifPolicy),
      images: written.map(({ image }) => jsonOf(image)),
    }),
  );
}

/** Has paths lead to the bytes of their versions. */
export async function keepPaths(rows: Rows, owner: ContentOwner, paths: readonly AssetPath[]): Promise<void> {
  if (paths.length === 0) return;
  await rows(
    pathsStatement.with({
      ...owner,
      paths: paths.map(({ path }) => path),
      keys: paths.map(({ key }) => key),
      versions: paths.map(({ versionSha256 }) => versionSha256),
      sha256s: paths.map(({ sha256 }) => sha256),
      sizes: paths.map(({ size }) => size),
      contentTypes: paths.map(({ contentType }) => contentType),
      visibilities: paths.map(({ visibility }) => visibility),
    }),
  );
}

/** Makes all paths of some keys private. */
export async function hideVersions(rows: Rows, owner: ContentOwner, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await rows(hideStatement.with({ ...owner, keys }));
}

/**
 * Retires paths of keys: all of them, or those of images that were made of a version that is gone. They serve for as long
 * as their bytes are there.
 *
 * @returns digests of what they lead to
 */
export async function retireVersions(
  rows: Rows,
  owner: ContentOwner,
  { keys, of }: { readonly keys: readonly string[]; readonly of: 'all' | 'lost' },
): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const retired = await rows((of === 'all' ? retireStatement : retireLostStatement).with({ ...owner, keys }));
  return retired.map(({ sha256 }) => sha256);
}

/** @returns digests of what is gone */
export async function deleteAssets(
  rows: Rows,
  owner: ContentOwner,
  keys: readonly string[],
): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  return (await rows(deleteStatement.with({ ...owner, keys }))).map(({ sha256 }) => sha256);
}

const texts = typed<readonly string[]>('text[]');
const ofProject = pick(assets, 'orgId', 'projectId');
const named = { ...ofProject, keys: texts };

const assetKeyColumns = namesOf(assets.orgId, assets.projectId, assets.key);

const writeStatement = statement(
  'assets.write',
  {
    params: {
      ...named,
      sha256s: texts,
      sizes: typed<readonly number[]>('bigint[]'),
      contentTypes: texts,
      visibilities: texts,
      immutables: typed<readonly boolean[]>('boolean[]'),
      metadata: typed<readonly (string | null)[]>('text[]'),
      policies: texts,
      images: typed<readonly (string | null)[]>('text[]'),
    },
  },
  (given) => sql`insert into ${assets}
    (org_id, project_id, key, sha256, size, content_type, visibility, immutable, metadata, exif_policy, image)
    select ${given.orgId}, ${given.projectId}, one.key, one.sha256, one.size, one.content_type, one.visibility,
      one.immutable, one.metadata::jsonb, one.exif_policy, one.image::jsonb
    from unnest(${given.keys}::text[], ${given.sha256s}::text[], ${given.sizes}::bigint[], ${given.contentTypes}::text[],
      ${given.visibilities}::text[], ${given.immutables}::boolean[], ${given.metadata}::text[], ${given.policies}::text[],
      ${given.images}::text[])
      as one (key, sha256, size, content_type, visibility, immutable, metadata, exif_policy, image)
    order by one.key
    on conflict (${assetKeyColumns}) do update ${setOf(assets, {
      sha256: excluded(assets.sha256),
      size: excluded(assets.size),
      contentType: excluded(assets.contentType),
      visibility: excluded(assets.visibility),
      immutable: excluded(assets.immutable),
      metadata: excluded(assets.metadata),
      exifPolicy: excluded(assets.exifPolicy),
      image: excluded(assets.image),
      updatedAt: sql`now()`,
    })}`,
);

const pathsStatement = statement(
  'assets.keep-paths',
  {
    params: {
      ...named,
      paths: texts,
      versions: texts,
      sha256s: texts,
      sizes: typed<readonly number[]>('bigint[]'),
      contentTypes: texts,
      visibilities: texts,
    },
  },
  (given) => sql`insert into ${assetVersions}
    (org_id, project_id, path, key, version_sha256, sha256, size, content_type, visibility)
    select ${given.orgId}, ${given.projectId}, one.path, one.key, one.version_sha256, one.sha256, one.size,
      one.content_type, one.visibility
    from unnest(${given.paths}::text[], ${given.keys}::text[], ${given.versions}::text[], ${given.sha256s}::text[],
      ${given.sizes}::bigint[], ${given.contentTypes}::text[], ${given.visibilities}::text[])
      as one (path, key, version_sha256, sha256, size, content_type, visibility)
    order by one.path
    on conflict (${namesOf(assetVersions.orgId, assetVersions.projectId, assetVersions.path)}) do update
    ${setOf(assetVersions, {
      key: excluded(assetVersions.key),
      versionSha256: excluded(assetVersions.versionSha256),
      sha256: excluded(assetVersions.sha256),
      size: excluded(assetVersions.size),
      contentType: excluded(assetVersions.contentType),
      visibility: excluded(assetVersions.visibility),
      retiredAt: sql`null`,
    })}`,
);

const ofKeys = (given: { readonly [Name in 'orgId' | 'projectId' | 'keys']: SQL }): SQL =>
  sql`${assetVersions.orgId} = ${given.orgId} and ${assetVersions.projectId} = ${given.projectId}
      and ${assetVersions.key} = any(${given.keys}::text[])`;

const hideStatement = statement(
  'assets.hide-versions',
  { params: named },
  (given) => sql`update ${assetVersions} ${setOf(assetVersions, { visibility: sql`'private'` })}
    where ${ofKeys(given)} and ${assetVersions.visibility} <> 'private'`,
);

const retire = setOf(assetVersions, { retiredAt: sql`now()` });

const retireStatement = statement(
  'assets.retire-versions',
  { params: named, row: pick(assetVersions, 'sha256') },
  (given, row) => sql`update ${assetVersions} ${retire}
    where ${ofKeys(given)} and ${assetVersions.retiredAt} is null returning ${row}`,
);

// A version that has no path of its own is gone as soon as it is not the current one.
const retireLostStatement = statement(
  'assets.retire-lost-versions',
  { params: named, row: pick(assetVersions, 'sha256') },
  (given, row) => sql`update ${assetVersions} ${retire}
    where ${ofKeys(given)} and ${assetVersions.retiredAt} is null
      and not exists (select from ${assets} where ${assets.orgId} = ${assetVersions.orgId}
        and ${assets.projectId} = ${assetVersions.projectId} and ${assets.key} = ${assetVersions.key}
        and ${assets.sha256} = ${assetVersions.versionSha256})
      and not exists (select from ${assetVersions} own where own.org_id = ${assetVersions.orgId}
        and own.project_id = ${assetVersions.projectId} and own.key = ${assetVersions.key}
        and own.sha256 = ${assetVersions.versionSha256} and own.version_sha256 = ${assetVersions.versionSha256})
    returning ${row}`,
);

const deleteStatement = statement(
  'assets.delete',
  { params: named, row: pick(assets, 'sha256') },
  (given, row) => sql`delete from ${assets} where ${assets.orgId} = ${given.orgId}
    and ${assets.projectId} = ${given.projectId} and ${assets.key} = any(${given.keys}::text[]) returning ${row}`,
);
