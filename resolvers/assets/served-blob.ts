import type { AssetVisibility } from '../../core/asset-facts.ts';
import { sql } from '../../db/drizzle.ts';
import { assets, assetVersions } from '../../db/schema/assets.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';

/** What a path below `/_blob/` leads to. */
export interface ServedBlob {
  /** Of the asset. */
  readonly key: string;
  readonly sha256: string;
  readonly size: number;
  readonly contentType: string;
  readonly visibility: AssetVisibility;
  /** Whether the path always has these bytes. */
  readonly isVersion: boolean;
}

/** What keys are made of, and versions of the longest of them. */
const pathPattern = /^[A-Za-z0-9._/-]{1,1100}$/;

/** What a path of a project leads to: the asset of that key, else the version of that path. */
export async function findBlob(
  { db }: Pick<Services, 'db'>,
  { orgId, projectId }: Pick<ProjectTarget, 'orgId' | 'projectId'>,
  path: string,
): Promise<ServedBlob | undefined> {
  if (!pathPattern.test(path)) return undefined;
  const [found] = await db.rows(findStatement.with({ orgId, projectId, path }));
  return found === undefined ? undefined : { ...found, size: Number(found.size) };
}

const row = {
  key: computed<string>('text', sql`found.key`),
  sha256: computed<string>('text', sql`found.sha256`),
  size: computed<bigint>('bigint', sql`found.size`),
  contentType: computed<string>('text', sql`found.content_type`),
  visibility: computed<AssetVisibility>('text', sql`found.visibility`),
  isVersion: computed<boolean>('boolean', sql`found.is_version`),
};

const findStatement = statement(
  'assets.find-blob',
  { params: { ...pick(assets, 'orgId', 'projectId'), path: typed<string>('text') }, row, pipelined: true },
  (given, columns) => sql`select ${columns} from (
      select ${assets.key}, ${assets.sha256}, ${assets.size}, ${assets.contentType}, ${assets.visibility}, false as is_version
      from ${assets} where ${assets.orgId} = ${given.orgId} and ${assets.projectId} = ${given.projectId}
        and ${assets.key} = ${given.path}::text
      union all
      select ${assetVersions.key}, ${assetVersions.sha256}, ${assetVersions.size}, ${assetVersions.contentType}, ${assetVersions.visibility},
        true as is_version
      from ${assetVersions} where ${assetVersions.orgId} = ${given.orgId}
        and ${assetVersions.projectId} = ${given.projectId} and ${assetVersions.path} = ${given.path}::text
    ) found order by found.is_version limit 1`,
);
