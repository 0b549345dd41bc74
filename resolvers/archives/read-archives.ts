import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projectArchives } from '../../db/schema/archives.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { fileEnding, tarType } from '../../engines/archives/portable/format.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId, wholeNumberFrom } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { storing } from '../content/shared/storing.ts';
import {
  type Archive,
  ArchiveWire,
  archiveColumns,
  archiveId,
  archiveToWire,
  downloadUrl,
  findArchive,
} from './archive-row.ts';
import { ofProject } from './create-archive.ts';
import { archiveActions } from './shared/actions.ts';

const access = onProject(archiveActions['project:archives:read'], ofProject);

/** `GET /projects/v1/:project_id/archives`: an addition to contract 03, section 8.1. */
export const listArchives = query({
  name: 'archives.list',
  tool: 'list_project_archives',
  command: 'cloud archives list',
  summary: 'The archives of a project, newest first.',
  access,
  input: z.object({
    project: projectId,
    ...listWindow,
    limit: wholeNumberFrom(1, 100).default(20).describe('Archives per page: 20 unless told, at most 100.'),
  }),
  async handler({ services, project }, { project: _named, ...window }): Promise<ListPage<Archive>> {
    const list = newestFirst(services.keys, `archives:${project.id}`);
    const given = { projectId: project.id, ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf(await services.db.rows(list.statementOf(window, listStatements).with(given)), window);
  },
  wire: z.object({ archives: z.array(ArchiveWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page, ctx) => ({ archives: page.rows.map(({ row }) => archiveToWire(row, ctx)), ...pageToWire(page) }),
});

const listStatements = bothWays(projectArchives, (way) =>
  statement(
    `archives.list-${way.name}`,
    {
      params: { ...pick(projectArchives, 'projectId'), ...way.params, limit: typed<number>('bigint') },
      row: archiveColumns,
    },
    ({ projectId: project, limit, ...given }, row) => sql`select ${row} from ${projectArchives}
      where ${projectArchives.projectId} = ${project} and ${way.beyond(given)} ${way.order} limit ${limit}`,
  ),
);

/** `GET /projects/v1/:project_id/archives/:archive_id`. Contract 03, section 8.1. */
export const getArchive = query({
  name: 'archives.get',
  tool: 'get_project_archive',
  command: 'cloud archives status',
  summary: 'How an archive of a project stands.',
  path: 'GET /projects/v1/:project_id/archives/:archive_id',
  access,
  input: z.object({ project: projectId, archive: archiveId }),
  handler: ({ services, project }, { archive }): Promise<Archive> =>
    findArchive(services.db.rows, { projectId: project.id }, archive),
  wire: ArchiveWire,
  toWire: archiveToWire,
});

/** The bytes of an archive. */
export interface ArchiveBytes {
  readonly archive: Archive;
  readonly sha256: string;
  readonly size: number;
  readonly filename: string;
}

/** `GET /projects/v1/:project_id/archives/:archive_id/download`. Contract 03, section 8.1. */
export const downloadArchive = query({
  name: 'archives.download',
  tool: 'download_project_archive',
  command: 'cloud archives download',
  summary: 'The bytes of an archive that is ready: a tar with everything of the project that can be carried away.',
  access: onProject(archiveActions['project:archives:export'], ofProject),
  input: z.object({ project: projectId, archive: archiveId }),
  async handler({ services, project }, { archive: id }): Promise<ArchiveBytes> {
    const archive = await findArchive(services.db.rows, { projectId: project.id }, id);
    const details = { archive_id: id, status: archive.status };
    if (archive.status === 'expired') throw new ServiceError('ARCHIVE_EXPIRED', { details });
    const { sha256, byteCount } = archive;
    if (archive.status !== 'ready' || sha256 === null) throw new ServiceError('ARCHIVE_NOT_READY', { details });
    if ((await storing(services, () => services.objects.size(sha256))) === undefined)
      throw new ServiceError('ARCHIVE_EXPIRED', { details });
    return { archive, sha256, size: Number(byteCount), filename: `${archive.projectId}-${id}${fileEnding}` };
  },
  wire: z
    .object({
      archive_id: z.string(),
      filename: z.string(),
      content_type: z.string(),
      sha256: z.string(),
      size_bytes: z.int(),
      url: z.string().nullable().describe('Answers the bytes to the same credential.'),
    })
    .meta({ id: 'ProjectArchiveFile' }),
  toWire: ({ archive, sha256, size, filename }, ctx) => ({
    archive_id: archive.id,
    filename,
    content_type: tarType,
    sha256,
    size_bytes: size,
    url: downloadUrl(ctx, archive),
  }),
});
