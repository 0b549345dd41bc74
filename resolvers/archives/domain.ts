import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { archiveImports, projectArchives } from '../../db/schema/archives.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { createArchive } from './create-archive.ts';
import { archiveErrors } from './error-codes.ts';
import { archiveEventTypes } from './event-types.ts';
import { getImport, importArchive } from './import/import-archive.ts';
import { inspectArchive, verifyArchive } from './import/look-at-archive.ts';
import { commitArchiveUpload, planArchiveUpload } from './import/upload-archive.ts';
import { expireArchives, forgetArchives } from './keep-house.ts';
import { downloadArchive, getArchive, listArchives } from './read-archives.ts';
import { archiveActions } from './shared/actions.ts';

onProjectDeletion(forgetArchives);

export const archivesDomain = domain('archives', {
  errors: archiveErrors,
  actions: archiveActions,
  events: archiveEventTypes,
  operations: [
    createArchive,
    listArchives,
    getArchive,
    downloadArchive,
    planArchiveUpload,
    commitArchiveUpload,
    inspectArchive,
    verifyArchive,
    importArchive,
    getImport,
  ],
  expires: [
    {
      table: projectArchives,
      when: sql`${projectArchives.status} in ('failed', 'expired') and ${isPast(projectArchives.expiresAt, '30 days')}`,
    },
    {
      table: archiveImports,
      when: sql`${archiveImports.dueAt} is null and ${isPast(archiveImports.updatedAt, '30 days')}`,
    },
  ],
  housekeeping: { 'expire archives': expireArchives },
});
