import { z } from 'zod';
import { alias, sql } from '../../db/drizzle.ts';
import { appVersions } from '../../db/schema/apps.ts';
import { projects } from '../../db/schema/projects.ts';
import { computed, from, statement, typed } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { commaList } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import {
  AppSummaryWire,
  type AppVersion,
  isListed,
  seenVersion,
  versionColumns,
  versionId,
  versionsAndProjects,
  versionToWire,
} from './app-row.ts';

/** Apps that are found, and how many there are. */
export interface AppPage extends ListPage<AppVersion> {
  readonly total: number;
}

/** `GET /apps/v1`. Contract 04, section 3.3. */
export const browseApps = query({
  name: 'apps.browse',
  tool: 'browse_apps',
  command: 'apps browse',
  summary: 'Apps that anybody may make a project from, the newest first: of each the latest version.',
  access: anyone(),
  input: z.object({
    tag: commaList(z.string().max(64), 20, 'tags')
      .optional()
      .describe('Only those with this tag, or with any of several, as a list with commas or as an array.'),
    ...listWindow,
  }),
  async handler({ services }, { tag: tags, ...window }): Promise<AppPage> {
    const list = newestFirst(services.keys, `apps:${[...(tags ?? [])].sort().join(',')}`);
    const given = { tags: tags ?? null, ...list.positionOf(window), limit: window.limit + 1 };
    const [found, [counted]] = await Promise.all([
      services.db.rows(list.statementOf(window, listStatements).with(given)),
      services.db.rows(countStatement.with({ tags: tags ?? null })),
    ]);
    return { ...list.pageOf(found, window), total: counted!.total };
  },
  wire: z.object({
    apps: z.array(AppSummaryWire),
    total: z.int(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page, { services }) => ({
    apps: page.rows.map(({ row }) => versionToWire(services, row)),
    total: page.total,
    ...pageToWire(page),
  }),
});

/** `GET /apps/v1/:version_id`. Contract 04, section 3.3. */
export const getApp = query({
  name: 'apps.get',
  tool: 'get_app',
  command: 'apps inspect',
  summary: 'What a published version is, and what a fork of it is going to have.',
  path: 'GET /apps/v1/:version_id',
  access: anyone(),
  input: z.object({ version: versionId }),
  handler: ({ services }, { version }): Promise<AppVersion> => seenVersion(services.db.rows, version),
  wire: AppSummaryWire,
  toWire: (version, { services }) => versionToWire(services, version),
});

const newer = alias(appVersions, 'newer');

const tagsParam = typed<readonly string[] | null>('text[]');

/** Of each project the latest version that is found, where it has one of the tags. */
const found = (tags: ReturnType<typeof sql>) => sql`${isListed()} and ${projects.archivedAt} is null
  and coalesce(${appVersions.tags} && ${tags}::text[], true)
  and not exists (select from ${from(newer)} where ${newer.projectId} = ${appVersions.projectId}
    and ${newer.number} > ${appVersions.number} and ${isListed(newer)})`;

const listStatements = bothWays(appVersions, (way) =>
  statement(
    `apps.browse-${way.name}`,
    { params: { tags: tagsParam, ...way.params, limit: typed<number>('bigint') }, row: versionColumns },
    ({ tags, limit, ...given }, row) => sql`select ${row} from ${versionsAndProjects}
      where ${way.beyond(given)} and ${found(tags)} ${way.order} limit ${limit}`,
  ),
);

const countStatement = statement(
  'apps.count-listed',
  { params: { tags: tagsParam }, row: { total: computed<number>('integer', sql`count(*)::int`) } },
  ({ tags }, row) => sql`select ${row} from ${versionsAndProjects} where ${found(tags)}`,
);
