import { z } from 'zod';
import { openCursor, sealCursor } from '../../core/cursors.ts';
import { ServiceError } from '../../core/errors.ts';
import type { KeyRing } from '../../core/keys.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { assets } from '../../db/schema/assets.ts';
import { pick, type RowOf, statement, typed } from '../../db/sql.ts';
import type { Bound } from '../../db/statement.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import type { ListPage } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import {
  assetColumns,
  assetPage,
  cursorView,
  imageMembersWire,
  ofProject,
  type ShownAsset,
  shownAsset,
} from './asset.ts';
import { filterParams, passes, readFilter } from './asset-filter.ts';
import { folderColumn, folderOf } from './folders.ts';
import { assetActions } from './shared/actions.ts';
import { assetPlace } from './shared/asset-place.ts';

const sorts = ['key:asc', 'createdAt:asc', 'createdAt:desc'] as const;
type Sort = (typeof sorts)[number];

/** `GET /storage/v1/blobs`. Contract 03, section 4.4. */
export const listAssets = query({
  name: 'assets.ls',
  tool: 'assets_ls',
  command: 'assets ls',
  summary: 'The assets of a project, by their keys or by their age.',
  access: onNamedOrOwnProject(assetActions['project:assets:read']),
  input: z.object({
    ...ofProject,
    prefix: z.string().max(1_024).default('').describe('Only those whose keys begin like this.'),
    delimiter: z
      .string()
      .refine((given) => given === '/', 'must be /')
      .optional()
      .describe('`/`: only those in the folder of the prefix itself, not those in folders below it.'),
    ...assetPage,
    sort: z.string().max(64).default('key:asc').describe('`key:asc`, `createdAt:asc` or `createdAt:desc`.'),
    filter: z
      .record(z.string(), z.string().max(256))
      .default({})
      .describe(
        'Only those of which this holds: `uploaded_by` and `tag` of their metadata, `format`, `is_image`, `min_width`, `max_width`, `min_height`, `max_height`.',
      )
      .meta({ examples: [{ is_image: 'true' }] }),
  }),
  async handler({ services, org, project }, input): Promise<ListPage<ShownAsset>> {
    const { prefix, delimiter, limit, cursor, before, from_end: fromEnd, filter } = input;
    const sort = sorts.find((one) => one === input.sort);
    if (sort === undefined) throw new ServiceError('INVALID_SORT', { details: { sort: input.sort, known: sorts } });
    const isBackward = before !== undefined || fromEnd;
    const position = positionOf(services.keys, project.id, sort, isBackward ? before : cursor);
    const [rows, place] = await Promise.all([
      services.db.rows(
        asked(sort, isBackward, {
          orgId: org.id,
          projectId: project.id,
          prefix,
          folder: delimiter === undefined ? null : folderOf(prefix),
          ...readFilter(filter),
          ...position,
          limit: limit + 1,
        }),
      ),
      assetPlace(services, { org, project }),
    ]);
    const page = rows.slice(0, limit);
    if (isBackward) page.reverse();
    return {
      rows: page.map((row) => ({
        row: shownAsset(row, place),
        cursor: sealCursor(services.keys, viewOf(project.id, sort), `${row.createdAt.toISOString()} ${row.key}`),
      })),
      hasMore: rows.length > limit,
    };
  },
  wire: z.object({
    blobs: z.array(
      z
        .object({
          key: z.string(),
          size_bytes: z.number(),
          content_type: z.string().nullable(),
          sha256: z.string(),
          visibility: z.enum(['public', 'private']),
          immutable: z.boolean(),
          immutable_suffix: z.string().optional(),
          created_at: z.iso.datetime(),
          updated_at: z.iso.datetime(),
          ...imageMembersWire,
        })
        .meta({ id: 'ListedAsset' }),
    ),
    next_cursor: z.string().nullable(),
  }),
  toWire: ({ rows, hasMore }) => ({
    blobs: rows.map(({ row: { facts, createdAt, updatedAt } }) => ({
      key: facts.key,
      size_bytes: facts.size,
      content_type: facts.contentType,
      sha256: facts.sha256,
      visibility: facts.visibility,
      immutable: facts.immutable,
      ...(facts.immutable ? { immutable_suffix: facts.sha256.slice(0, 8) } : {}),
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
      metadata: facts.metadata === null ? null : { ...facts.metadata },
      image_format: facts.image?.format ?? null,
      image_info: facts.image === null ? null : { ...facts.image.info },
      image_exif: facts.image?.exif == null ? null : { ...facts.image.exif },
      image_exif_policy: facts.image === null ? null : facts.exifPolicy,
      ...(facts.image === null
        ? {}
        : { width_px: facts.image.width, height_px: facts.image.height, blurhash: facts.image.blurhash }),
    })),
    next_cursor: hasMore ? rows.at(-1)!.cursor : null,
  }),
});

type AssetRow = RowOf<typeof assetColumns>;

const viewOf = (projectId: string, sort: Sort) => cursorView(`assets:${projectId}:${sort}`);

/** @throws INVALID_CURSOR, INVALID_CURSOR_FOR_SORT */
function positionOf(keys: KeyRing, projectId: string, sort: Sort, cursor: string | undefined) {
  if (cursor === undefined) return { at: null, key: null };
  const found = openCursor(keys, viewOf(projectId, sort), cursor);
  if (found !== undefined) {
    const space = found.indexOf(' ');
    return { at: found.slice(0, space), key: found.slice(space + 1) };
  }
  const isOther = sorts.some((one) => openCursor(keys, viewOf(projectId, one), cursor) !== undefined);
  throw new ServiceError(isOther ? 'INVALID_CURSOR_FOR_SORT' : 'INVALID_CURSOR', {
    details: { field: 'cursor', sort },
  });
}

const params = {
  ...pick(assets, 'orgId', 'projectId'),
  prefix: typed<string>('text'),
  /** Null for all keys that begin with the prefix. */
  folder: typed<string | null>('text'),
  ...filterParams,
  key: typed<string | null>('text'),
  limit: typed<number>('bigint'),
};

const keyOf = sql`(${assets.key} collate "C")`;

type Way = 'all' | 'folder';

/** What is listed: all keys that begin alike, or those in one folder, which have an index of their own. */
const listed = (
  way: Way,
  { orgId, projectId, prefix, folder }: Record<'orgId' | 'projectId' | 'prefix' | 'folder', SQL>,
): SQL => sql`${assets.orgId} = ${orgId} and ${assets.projectId} = ${projectId}
  and ${keyOf} >= ${prefix}::text and ${keyOf} < ${prefix}::text || chr(127)
  and ${way === 'folder' ? sql`${folderColumn} = ${folder}::text` : sql`${folder}::text is null`}`;

/** Lists by key, in their order or against it, from a position on. */
const byKey = (isBackward: boolean, way: Way) => {
  const [sign, order] = isBackward ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  return statement(
    `assets.list-${way}-by-key-${isBackward ? 'backward' : 'forward'}`,
    { params, row: assetColumns },
    ({ orgId, projectId, prefix, folder, key, limit, ...filter }, row) => sql`select ${row} from ${assets}
      where ${listed(way, { orgId, projectId, prefix, folder })} and ${passes(filter)}
        and (${key}::text is null or ${keyOf} ${sign} ${key}::text collate "C")
      order by ${keyOf} ${order} limit ${limit}`,
  );
};

/** Lists by the time at which keys were first used. */
const byTime = (isDescending: boolean, way: Way) => {
  const [sign, order, end] = isDescending ? [sql`<`, sql`desc`, sql`'infinity'`] : [sql`>`, sql`asc`, sql`'-infinity'`];
  return statement(
    `assets.list-${way}-by-time-${isDescending ? 'descending' : 'ascending'}`,
    { params: { ...params, at: typed<string | null>('timestamp with time zone') }, row: assetColumns },
    ({ orgId, projectId, prefix, folder, at, key, limit, ...filter }, row) => sql`select ${row} from ${assets}
      where ${listed(way, { orgId, projectId, prefix, folder })} and ${passes(filter)}
        and (${assets.createdAt}, ${keyOf}) ${sign}
          (coalesce(${at}::timestamptz, ${end}), coalesce(${key}::text, '') collate "C")
      order by ${assets.createdAt} ${order}, ${keyOf} ${order} limit ${limit}`,
  );
};

const listsOf = (way: Way) => ({
  key: { forward: byKey(false, way), backward: byKey(true, way) },
  time: { ascending: byTime(false, way), descending: byTime(true, way) },
});
const lists = { all: listsOf('all'), folder: listsOf('folder') };

/** The statement of a list in its order, or against it. */
function asked(
  sort: Sort,
  isBackward: boolean,
  { at, ...given }: Parameters<(typeof lists)['all']['time']['ascending']['with']>[0],
): Bound<AssetRow> {
  const { key, time } = lists[given.folder === null ? 'all' : 'folder'];
  if (sort === 'key:asc') return key[isBackward ? 'backward' : 'forward'].with(given);
  return time[(sort === 'createdAt:desc') !== isBackward ? 'descending' : 'ascending'].with({ at, ...given });
}
