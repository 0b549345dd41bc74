import { z } from 'zod';
import { type ArchiveSummary, summaryOf } from '../../../engines/archives/portable/summary.ts';
import type { ArchiveVerification } from '../../../engines/archives/portable/verify.ts';
import { orgId } from '../../../kernel/input/fields.ts';
import { query } from '../../../kernel/run/operation.ts';
import { onImportingOrg } from './import-archive.ts';
import { DiagnosticWire, requiredSecretWire } from './import-row.ts';
import { archivePlace, locate } from './locate.ts';

const input = z.object({
  org_id: orgId.optional().describe('Organization that holds it; the wallet’s own when absent.'),
  ...archivePlace,
});

const secrets = z.array(requiredSecretWire);
const report = z.looseObject({}).nullable();

const secretsToWire = (all: ArchiveVerification['required_secrets']) =>
  all.map(({ targets, ...one }) => ({ ...one, ...(targets === undefined ? {} : { targets: [...targets] }) }));

const diagnosticsToWire = (all: ArchiveVerification['diagnostics']) =>
  all.map((one) => ({ ...one, next_action: { ...one.next_action } }));

/** `GET /archives/v1/verify`: what the SDK and `svc archives verify` do with a file, for one that a server has. */
export const verifyArchive = query({
  name: 'archives.verify',
  tool: 'verify_project_archive',
  command: 'archives verify',
  summary: 'Check an archive against its own digests and the rules of its form. Nothing is made of it.',
  path: 'GET /archives/v1/verify',
  access: onImportingOrg,
  input,
  handler: async (ctx, { org_id: _named, ...place }): Promise<ArchiveVerification> =>
    (await locate(ctx, ctx.org?.id, place, false)).read.verification,
  wire: z
    .object({
      ok: z.boolean().describe('Whether nothing keeps it from being imported.'),
      archive_version: z.string().nullable(),
      archive_digest: z.string().nullable().describe('What it is, whatever carries it.'),
      transport: z.enum(['directory', 'tar']).nullable(),
      file_count: z.int(),
      total_bytes: z.int(),
      descriptor_count: z.int(),
      required_capabilities: z.array(z.string()),
      required_secrets: secrets,
      auth_subject_stub_count: z.int(),
      export_report: report,
      portability_report: report,
      diagnostics: z.array(DiagnosticWire),
    })
    .meta({ id: 'ArchiveVerification' }),
  toWire: (found) => ({
    ...found,
    required_capabilities: [...found.required_capabilities],
    required_secrets: secretsToWire(found.required_secrets),
    export_report: found.export_report === null ? null : { ...found.export_report },
    portability_report: found.portability_report === null ? null : { ...found.portability_report },
    diagnostics: diagnosticsToWire(found.diagnostics),
  }),
});

/** `GET /archives/v1/inspect`: likewise. */
export const inspectArchive = query({
  name: 'archives.inspect',
  tool: 'inspect_project_archive',
  command: 'archives inspect',
  summary: 'What an archive holds: its tables, files and functions, and what it needs where it is imported.',
  path: 'GET /archives/v1/inspect',
  access: onImportingOrg,
  input,
  handler: async (ctx, { org_id: _named, ...place }): Promise<ArchiveSummary> =>
    summaryOf((await locate(ctx, ctx.org?.id, place, false)).read),
  wire: z
    .object({
      ok: z.boolean(),
      archive_version: z.string().nullable(),
      archive_digest: z.string().nullable(),
      source: z.string().nullable(),
      total_bytes: z.int(),
      tables: z.array(z.object({ name: z.string(), row_count: z.int() })),
      storage_objects: z.int(),
      functions: z.array(z.string()),
      site_files: z.int(),
      required_capabilities: z.array(z.string()),
      required_secrets: secrets,
      auth_subject_stub_count: z.int(),
      diagnostics: z.array(DiagnosticWire),
    })
    .meta({ id: 'ArchiveSummary' }),
  toWire: (found) => ({
    ...found,
    tables: found.tables.map((one) => ({ ...one })),
    functions: [...found.functions],
    required_capabilities: [...found.required_capabilities],
    required_secrets: secretsToWire(found.required_secrets),
    diagnostics: diagnosticsToWire(found.diagnostics),
  }),
});
