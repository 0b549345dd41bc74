import { tarType } from '../engines/archives/portable/format.ts';
import { importArchive } from '../resolvers/archives/import/import-archive.ts';
import { downloadArchive, listArchives } from '../resolvers/archives/read-archives.ts';
import { type Route, route } from './route.ts';

const all = '/projects/v1/:project_id/archives';

/** What an import came to is told by its status, too. Contract 03, section 8.5. */
const importStatuses = { running: 202, imported: 201, dry_run: 200, blocked: 422, failed: 422 } as const;

interface ImportAnswer {
  readonly status: keyof typeof importStatuses;
}

const importRoute = route(
  'POST',
  '/archives/v1/import',
  { usual: 201, of: ({ status }) => importStatuses[status] },
  importArchive,
  {
    archive_path: ['body archive_path', 'body archivePath'],
    archive_sha256: ['body archive_sha256', 'body archiveSha256'],
    org_id: ['body org_id', 'body orgId'],
    dry_run: ['body dry_run', 'body dryRun'],
    require_runnable: ['body require_runnable', 'body requireRunnable'],
    secret_values: ['body secret_values', 'body secretValues'],
  },
);

/** Paths of archives that are not as plain as others. Contract 03, section 8. */
export const archiveRoutes: readonly Route[] = [
  route('GET', all, 200, listArchives, { before: null, from_end: null }),
  route(
    'GET',
    `${all}/:archive_id/download`,
    200,
    downloadArchive,
    {},
    {
      asObject: ({ archive, sha256, size, filename }) => ({
        projectId: archive.projectId,
        sha256,
        size,
        contentType: tarType,
        filename,
      }),
    },
  ),
  {
    ...importRoute,
    // What it has come to once it was waited for, and not how it stood when it was begun.
    async run(ctx, request) {
      const answer = await importRoute.run(ctx, request);
      return { ...answer, status: importStatuses[(answer.body as ImportAnswer).status] };
    },
  },
];
