import type { AssetFacts } from '../../../core/asset-facts.ts';
import { sql } from '../../../db/drizzle.ts';
import { assets } from '../../../db/schema/assets.ts';
import { computed, pick, type RowOf, statement, typed } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ContentOwner } from '../../content/shared/use-content.ts';

const factColumns = pick(
  assets,
  'key',
  'sha256',
  'size',
  'contentType',
  'visibility',
  'immutable',
  'metadata',
  'exifPolicy',
  'image',
);

/** A row as the engine knows an asset. */
export const factsOf = (row: RowOf<typeof factColumns>): AssetFacts => ({ ...row, size: Number(row.size) });

/** Which assets are asked for. */
export interface AssetsNamed {
  readonly keys?: readonly string[] | undefined;
  /** All whose keys begin like this; undefined: none. */
  readonly prefix?: string | undefined;
}

/** Assets of a project by their keys, of those that are there: what planning has to know. */
export async function assetFacts(
  rows: Rows,
  owner: ContentOwner,
  { keys = [], prefix }: AssetsNamed,
): Promise<ReadonlyMap<string, AssetFacts>> {
  const [named, below] = await Promise.all([
    keys.length === 0 ? [] : rows(byKeyStatement.with({ ...owner, keys })),
    prefix === undefined ? [] : rows(belowStatement.with({ ...owner, prefix })),
  ]);
  return new Map([...below, ...named].map((row) => [row.key, factsOf(row)]));
}

/** How many assets a project has. */
export async function countAssets(rows: Rows, owner: ContentOwner): Promise<number> {
  const [counted] = await rows(countStatement.with(owner));
  return counted!.count;
}

const ofProject = pick(assets, 'orgId', 'projectId');

/** Keys are ASCII: whatever begins with a prefix lies before the prefix and the last character of all. */
export const keysBelow = (prefix: ReturnType<typeof sql>) =>
  sql`(${assets.key} collate "C") >= ${prefix} and (${assets.key} collate "C") < ${prefix} || chr(127)`;

const byKeyStatement = statement(
  'assets.facts-by-key',
  { params: { ...ofProject, keys: typed<readonly string[]>('text[]') }, row: factColumns },
  (given, row) => sql`select ${row} from ${assets} where ${assets.orgId} = ${given.orgId}
    and ${assets.projectId} = ${given.projectId} and ${assets.key} = any(${given.keys}::text[])`,
);

const belowStatement = statement(
  'assets.facts-below',
  { params: { ...ofProject, prefix: typed<string>('text') }, row: factColumns },
  (given, row) => sql`select ${row} from ${assets} where ${assets.orgId} = ${given.orgId}
    and ${assets.projectId} = ${given.projectId} and ${keysBelow(sql`${given.prefix}`)}`,
);

const countStatement = statement(
  'assets.count',
  { params: ofProject, row: { count: computed<number>('integer', sql`count(*)::int`) } },
  (given, row) => sql`select ${row} from ${assets}
    where ${assets.orgId} = ${given.orgId} and ${assets.projectId} = ${given.projectId}`,
);
