import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { archiveStatuses, authExports, consistencyModes, projectArchives } from '../../db/schema/archives.ts';
import { allOf, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { archiveVersion, tarType } from '../../engines/archives/portable/format.ts';
import type { Context } from '../../kernel/run/context.ts';

export const archiveColumns = allOf(projectArchives, ['dueAt', 'lease', 'attempts']);

export type Archive = RowOf<typeof archiveColumns>;

export const archiveId = z.string().min(1).max(64).describe('The archive, `arc_…`.');

/** What an archive holds: the one scope that there is. */
export const portableScope = 'portable-runtime-v1';

/** An archive as it is answered. Contract 03, section 8.1. */
export const ArchiveWire = z
  .object({
    archive_id: z.string(),
    operation_id: z.string(),
    project_id: z.string(),
    status: z.enum(archiveStatuses),
    format_version: z.string(),
    scope: z.literal(portableScope),
    auth_export: z.enum(authExports),
    consistency_mode: z.enum(consistencyModes),
    active_release_id: z.string().nullable().describe('The release that was live then.'),
    archive_digest: z.string().nullable().describe('What it is: two exports of one state have the same.'),
    consistency: z.looseObject({}).nullable(),
    export_report: z.looseObject({}).nullable(),
    portability_report: z.looseObject({}).nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    byte_count: z.int().nullable(),
    sha256: z.string().nullable().describe('Of the file.'),
    content_type: z.string().nullable(),
    download_url: z.string().nullable().describe('Takes the credential that may export the project.'),
    download_authorized_until: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().describe('Its bytes are removed then.'),
    started_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    next_action: z.looseObject({ type: z.string() }).nullable(),
  })
  .meta({ id: 'ProjectArchive' });

const pathOf = ({ projectId, id }: Pick<Archive, 'projectId' | 'id'>) => `/projects/v1/${projectId}/archives/${id}`;

/** Where the bytes of an archive are had; null where there are none. */
export const downloadUrl = (
  { services, request }: Pick<Context, 'services' | 'request'>,
  archive: Pick<Archive, 'projectId' | 'id' | 'status'>,
): string | null =>
  archive.status === 'ready'
    ? `${services.settings.publicBaseUrl ?? request.baseUrl}${pathOf(archive)}/download`
    : null;

/** What may be done with an archive now. */
export function archiveActionOf(archive: Pick<Archive, 'projectId' | 'id' | 'status'>) {
  const path = pathOf(archive);
  if (archive.status === 'running') return { type: 'poll', method: 'GET', path };
  if (archive.status === 'ready') return { type: 'download', method: 'GET', path: `${path}/download` };
  return {
    type: 'create',
    method: 'POST',
    path: `/projects/v1/${archive.projectId}/archives`,
    why: 'Export another one.',
  };
}

export function archiveToWire(one: Archive, ctx: Pick<Context, 'services' | 'request'>): z.output<typeof ArchiveWire> {
  const isReady = one.status === 'ready';
  return {
    archive_id: one.id,
    operation_id: one.operationId,
    project_id: one.projectId,
    status: one.status,
    format_version: archiveVersion,
    scope: portableScope,
    auth_export: one.authExport,
    consistency_mode: one.consistencyMode,
    active_release_id: one.activeReleaseId,
    archive_digest: one.digest,
    consistency: one.consistency === null ? null : { ...one.consistency },
    export_report: one.exportReport === null ? null : { ...one.exportReport },
    portability_report: one.portabilityReport === null ? null : { ...one.portabilityReport },
    error: one.error,
    byte_count: one.byteCount === null ? null : Number(one.byteCount),
    sha256: one.sha256,
    content_type: isReady ? tarType : null,
    download_url: downloadUrl(ctx, one),
    download_authorized_until: isReady ? one.expiresAt.toISOString() : null,
    expires_at: one.expiresAt.toISOString(),
    started_at: one.startedAt.toISOString(),
    completed_at: one.completedAt?.toISOString() ?? null,
    created_at: one.createdAt.toISOString(),
    updated_at: one.updatedAt.toISOString(),
    next_action: archiveActionOf(one),
  };
}

/** @throws PROJECT_ARCHIVE_NOT_FOUND */
export async function findArchive(rows: Rows, owner: { readonly projectId: string }, id: string): Promise<Archive> {
  const [found] = await rows(findStatement.with({ projectId: owner.projectId, id }));
  if (found === undefined) throw new ServiceError('PROJECT_ARCHIVE_NOT_FOUND', { details: { archive_id: id } });
  return found;
}

const findStatement = statement(
  'archives.find',
  { params: pick(projectArchives, 'projectId', 'id'), row: archiveColumns },
  ({ projectId, id }, row) => sql`select ${row} from ${projectArchives}
    where ${projectArchives.projectId} = ${projectId} and ${projectArchives.id} = ${id}`,
);
