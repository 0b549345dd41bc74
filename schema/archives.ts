import type { Diagnostic } from '../engines/archives/portable/diagnostics.ts';
import type { ArchiveSummary } from '../engines/archives/portable/summary.ts';
import type { ArchiveVerification, RequiredSecret } from '../engines/archives/portable/verify.ts';
import { type Archive, archiveActionOf, downloadUrl } from '../resolvers/archives/archive-row.ts';
import { createArchive } from '../resolvers/archives/create-archive.ts';
import { getImport, importArchive } from '../resolvers/archives/import/import-archive.ts';
import { type ArchiveImport, endOfImport, importActionOf } from '../resolvers/archives/import/import-row.ts';
import { inspectArchive, verifyArchive } from '../resolvers/archives/import/look-at-archive.ts';
import {
  type ArchiveUpload,
  commitArchiveUpload,
  planArchiveUpload,
} from '../resolvers/archives/import/upload-archive.ts';
import { type ArchiveBytes, downloadArchive, getArchive, listArchives } from '../resolvers/archives/read-archives.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, windowInputs } from './connection.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const StatusEnum = builder.enumType('ProjectArchiveStatus', {
  description: 'How an archive stands.',
  values: {
    RUNNING: { value: 'running', description: 'It is being made.' },
    READY: { value: 'ready', description: 'It can be downloaded.' },
    FAILED: { value: 'failed', description: 'It could not be made.' },
    EXPIRED: { value: 'expired', description: 'Its time is over: its bytes are gone.' },
  } as const,
});

const AuthExportEnum = builder.enumType('ArchiveAuthExport', {
  description: 'What of users is part of an archive.',
  values: {
    STUBS: { value: 'stubs', description: 'Their ids alone: they cannot sign in where they arrive.' },
    NONE: { value: 'none', description: 'Nothing.' },
  } as const,
});

const ConsistencyEnum = builder.enumType('ArchiveConsistencyMode', {
  description: 'How an archive comes to be of one moment. Both do the same: no writer waits.',
  values: {
    PAUSE_WRITES: { value: 'pause-writes', description: 'One moment of the project.' },
    CLOUD_WRITE_PAUSE_V1: { value: 'cloud_write_pause_v1', description: 'The same, as other platforms call it.' },
  } as const,
});

const ArchiveRef = builder.objectRef<Archive>('ProjectArchive').implement({
  description: 'A file with all of a project that can be carried to another gateway.',
  fields: (t) => ({
    archiveId: t.exposeString('id', { description: 'Native id, `arc_…`.' }),
    operationId: t.exposeString('operationId', { description: 'What makes it, `op_…`.' }),
    status: t.expose('status', { type: StatusEnum, description: 'How it stands.' }),
    authExport: t.expose('authExport', { type: AuthExportEnum, description: 'What of users is part of it.' }),
    consistencyMode: t.expose('consistencyMode', { type: ConsistencyEnum, description: 'How it is of one moment.' }),
    activeReleaseId: t.exposeString('activeReleaseId', {
      nullable: true,
      description: 'The release that was live then.',
    }),
    digest: t.exposeString('digest', {
      nullable: true,
      description: 'What it is: two exports of one state have the same.',
    }),
    sha256: t.exposeString('sha256', { nullable: true, description: 'SHA-256 of the file.' }),
    byteCount: t.float({
      nullable: true,
      description: 'Length of the file.',
      resolve: ({ byteCount }) => (byteCount === null ? null : Number(byteCount)),
    }),
    exportReport: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What is in it, counted.',
      resolve: ({ exportReport }) => (exportReport === null ? null : { ...exportReport }),
    }),
    portabilityReport: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What stays behind, and what has to be known where it is imported.',
      resolve: ({ portabilityReport }) => (portabilityReport === null ? null : { ...portabilityReport }),
    }),
    error: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Why it could not be made: a code and a message.',
      resolve: ({ error }) => (error === null ? null : { ...error }),
    }),
    downloadUrl: t.string({
      nullable: true,
      description: 'Where its bytes are had, with a credential that may export the project.',
      resolve: (archive, _args, ctx) => downloadUrl(ctx, archive),
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it was begun.' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When it was over.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When its bytes are removed.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
    nextAction: t.field({
      type: 'JSONObject',
      description: 'What may be done with it now.',
      resolve: (archive) => archiveActionOf(archive),
    }),
  }),
});

const ArchiveConnection = builder.connectionObject({ type: ArchiveRef, name: 'ProjectArchiveConnection' });
const listed = inputsOf(listArchives, { omit: ['project', ...windowInputs] });

builder.objectField(ProjectRef, 'archives', (t) =>
  t.field({
    type: ArchiveConnection,
    nullable: true,
    ...fieldOf(listArchives),
    args: pageArgs,
    resolve: async ({ id }, args, ctx) =>
      listConnection(await run(listArchives, ctx, { project: id, ...listed.read({}), ...listWindowOf(args) }), args),
  }),
);

const one = inputsOf(getArchive, { omit: ['project'] });

builder.objectField(ProjectRef, 'archive', (t) =>
  t.field({
    type: ArchiveRef,
    nullable: true,
    ...fieldOf(getArchive),
    args: one.args,
    resolve: ({ id }, args, ctx) => run(getArchive, ctx, { project: id, ...one.read(args) }),
  }),
);

const ArchiveFileRef = builder.objectRef<ArchiveBytes>('ProjectArchiveFile').implement({
  description: 'The file of an archive that is ready.',
  fields: (t) => ({
    archive: t.field({ type: ArchiveRef, description: 'The archive.', resolve: ({ archive }) => archive }),
    filename: t.exposeString('filename', { description: 'What it is saved as.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of its bytes.' }),
    sizeBytes: t.exposeFloat('size', { description: 'Its length.' }),
    url: t.string({
      nullable: true,
      description: 'Where its bytes are had, with the same credential.',
      resolve: ({ archive }, _args, ctx) => downloadUrl(ctx, archive),
    }),
  }),
});

readField('projectArchiveFile', downloadArchive, { type: ArchiveFileRef });

changeField('exportProjectArchive', createArchive, {
  type: ArchiveRef,
  input: 'A project to export.',
  argument: 'The project, and what of it.',
  types: { auth: AuthExportEnum, consistency: ConsistencyEnum },
});

const DiagnosticRef = builder.objectRef<Diagnostic>('ArchiveDiagnostic').implement({
  description: 'Something that was found about an archive.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'What it is.' }),
    severity: t.exposeString('severity', { description: '`info`, `warning`, or `blocking`: it cannot be imported.' }),
    resourceType: t.exposeString('resource_type', { description: 'What it concerns.' }),
    resourceId: t.string({
      nullable: true,
      description: 'Which of these.',
      resolve: (found) => found.resource_id ?? null,
    }),
    path: t.string({
      nullable: true,
      description: 'The file of the archive that it concerns.',
      resolve: (found) => found.path ?? null,
    }),
    message: t.exposeString('message', { description: 'The same in words.' }),
    nextAction: t.field({
      type: 'JSONObject',
      description: 'What may be done about it.',
      resolve: (found) => ({ ...found.next_action }),
    }),
  }),
});

const SecretRef = builder.objectRef<RequiredSecret>('ArchiveSecret').implement({
  description: 'A secret that the project of an archive needs. Its value is never part of one.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its key.' }),
    required: t.exposeBoolean('required', { description: 'Whether the project cannot do without.' }),
  }),
});

const ImportRef = builder.objectRef<ArchiveImport>('ArchiveImport').implement({
  description: 'A project that is made of an archive, or what was found out of one.',
  fields: (t) => ({
    importId: t.exposeString('id', {
      nullable: true,
      description: 'Native id, `arci_…`; null where nothing was begun.',
    }),
    status: t.exposeString('status', {
      description: '`running`, `imported` or `failed`; `dry_run` and `blocked` where nothing was begun.',
    }),
    archiveDigest: t.exposeString('archiveDigest', { nullable: true, description: 'What the archive is.' }),
    projectId: t.exposeString('projectId', { nullable: true, description: 'The project that was made of it.' }),
    projectName: t.exposeString('projectName', { description: 'The name of the project.' }),
    releaseId: t.exposeString('releaseId', { nullable: true, description: 'The release that is live there.' }),
    requiredSecrets: t.field({
      type: [SecretRef],
      description: 'Secrets that it needs, and was not given values of.',
      resolve: ({ requiredSecrets }) => [...requiredSecrets],
    }),
    diagnostics: t.field({
      type: [DiagnosticRef],
      description: 'What was found.',
      resolve: ({ diagnostics }) => [...diagnostics],
    }),
    nextAction: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What may be done now.',
      resolve: (found) => importActionOf(found),
    }),
  }),
});

changeField('importProjectArchive', importArchive, {
  type: ImportRef,
  input: 'An archive to make a project of.',
  argument: 'The archive, and how the project is to be called.',
  // It is answered once it is there, or has taken 45 seconds: it goes on by itself.
  result: (begun, ctx) => endOfImport(ctx, begun),
});

readField('archiveImport', getImport, { type: ImportRef });

const UploadPartRef = builder
  .objectRef<NonNullable<ArchiveUpload['missing']>['parts'][number]>('ArchiveUploadPart')
  .implement({
    description: 'Where a part of an archive is sent to, by PUT.',
    fields: (t) => ({
      number: t.exposeInt('number', { description: 'From 1.' }),
      url: t.exposeString('url', { description: 'Good for an hour. Who has it may send this part.' }),
      start: t.exposeFloat('start', { description: 'Its first byte.' }),
      end: t.exposeFloat('end', { description: 'Its last byte, which belongs to it.' }),
      arrived: t.exposeBoolean('arrived', { description: 'Whether it has come already.' }),
    }),
  });

changeField('planArchiveUpload', planArchiveUpload, {
  type: builder.objectRef<ArchiveUpload>('ArchiveUpload').implement({
    description: 'An archive that is about to be sent.',
    fields: (t) => ({
      orgId: t.exposeString('orgId', { description: 'The organization that is going to hold it.' }),
      sha256: t.exposeString('sha256', { description: 'SHA-256 of the file.' }),
      isHeld: t.boolean({
        description: 'Whether it is there already.',
        resolve: ({ missing }) => missing === undefined,
      }),
      parts: t.field({
        type: [UploadPartRef],
        description: 'Where its parts are sent to.',
        resolve: ({ missing }) => [...(missing?.parts ?? [])],
      }),
    }),
  }),
  input: 'An archive that is about to be sent.',
  argument: 'Its digest and length.',
});

changeField('commitArchiveUpload', commitArchiveUpload, {
  type: builder.objectRef<{ readonly sha256: string; readonly size: number }>('CommitArchiveUploadPayload').implement({
    description: 'An archive that an organization holds for a day.',
    fields: (t) => ({
      sha256: t.exposeString('sha256', { description: 'SHA-256 of the file.' }),
      sizeBytes: t.exposeFloat('size', { description: 'Its length.' }),
    }),
  }),
  input: 'An archive that was sent.',
  argument: 'Its digest.',
});

const VerificationRef = builder.objectRef<ArchiveVerification>('ArchiveVerification').implement({
  description: 'What there is to say of an archive.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Whether nothing keeps it from being imported.' }),
    archiveVersion: t.exposeString('archive_version', { nullable: true, description: 'The version of its form.' }),
    archiveDigest: t.exposeString('archive_digest', { nullable: true, description: 'What it is.' }),
    transport: t.exposeString('transport', { nullable: true, description: '`tar` or `directory`.' }),
    fileCount: t.exposeInt('file_count', { description: 'Its files.' }),
    totalBytes: t.exposeFloat('total_bytes', { description: 'Their bytes.' }),
    descriptorCount: t.exposeInt('descriptor_count', { description: 'Files that its index names.' }),
    requiredCapabilities: t.stringList({
      description: 'What has to be known where it is imported.',
      resolve: (found) => [...found.required_capabilities],
    }),
    requiredSecrets: t.field({
      type: [SecretRef],
      description: 'Secrets that its project needs.',
      resolve: (found) => [...found.required_secrets],
    }),
    authSubjectStubCount: t.exposeInt('auth_subject_stub_count', { description: 'Users that arrive by their ids.' }),
    exportReport: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What is in it, as whoever made it says.',
      resolve: (found) => (found.export_report === null ? null : { ...found.export_report }),
    }),
    portabilityReport: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What stayed behind, likewise.',
      resolve: (found) => (found.portability_report === null ? null : { ...found.portability_report }),
    }),
    diagnostics: t.field({
      type: [DiagnosticRef],
      description: 'What was found.',
      resolve: (found) => [...found.diagnostics],
    }),
  }),
});

readField('verifyProjectArchive', verifyArchive, { type: VerificationRef });

const ArchivedTableRef = builder.objectRef<ArchiveSummary['tables'][number]>('ArchivedTable').implement({
  description: 'A table of an archive.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    rowCount: t.exposeFloat('row_count', { description: 'Its rows.' }),
  }),
});

readField('inspectProjectArchive', inspectArchive, {
  type: builder.objectRef<ArchiveSummary>('ArchiveSummary').implement({
    description: 'What an archive holds, in short.',
    fields: (t) => ({
      ok: t.exposeBoolean('ok', { description: 'Whether nothing keeps it from being imported.' }),
      archiveVersion: t.exposeString('archive_version', { nullable: true, description: 'The version of its form.' }),
      archiveDigest: t.exposeString('archive_digest', { nullable: true, description: 'What it is.' }),
      source: t.exposeString('source', { nullable: true, description: 'The platform that it is from.' }),
      totalBytes: t.exposeFloat('total_bytes', { description: 'Its bytes.' }),
      tables: t.field({
        type: [ArchivedTableRef],
        description: 'Its tables.',
        resolve: (found) => [...found.tables],
      }),
      storageObjects: t.exposeInt('storage_objects', { description: 'Its assets.' }),
      functions: t.stringList({ description: 'Its functions.', resolve: (found) => [...found.functions] }),
      siteFiles: t.exposeInt('site_files', { description: 'Files of its site.' }),
      requiredCapabilities: t.stringList({
        description: 'What has to be known where it is imported.',
        resolve: (found) => [...found.required_capabilities],
      }),
      requiredSecrets: t.field({
        type: [SecretRef],
        description: 'Secrets that its project needs.',
        resolve: (found) => [...found.required_secrets],
      }),
      authSubjectStubCount: t.exposeInt('auth_subject_stub_count', { description: 'Users that arrive by their ids.' }),
      diagnostics: t.field({
        type: [DiagnosticRef],
        description: 'What was found.',
        resolve: (found) => [...found.diagnostics],
      }),
    }),
  }),
});
