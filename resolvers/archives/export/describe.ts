import type { AuthExport } from '../../../db/schema/archives.ts';
import { type Diagnostic, diagnostic } from '../../../engines/archives/portable/diagnostics.ts';
import { capabilities } from '../../../engines/archives/portable/format.ts';
import type { PortableDatabase } from '../../../engines/archives/save-portable.ts';
import { jsonMember, type Member } from '../../../engines/archives/write-archive.ts';
import { portableScope } from '../archive-row.ts';
import type { Collected } from './collect.ts';

/** What was exported, for the reports. */
interface Exported {
  readonly collected: Collected;
  readonly database: PortableDatabase;
  readonly authExport: AuthExport;
  readonly members: readonly Member[];
}

/** What stays behind, and what whoever imports the archive has to know. */
export function portabilityOf({ collected, database, authExport }: Exported): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (database.users > 0 || (authExport === 'none' && database.tables > 0))
    found.push(
      diagnostic(
        'AUTH_CREDENTIALS_NOT_EXPORTED',
        'info',
        authExport === 'stubs'
          ? `${database.users} users arrive by their ids alone: they have no address, password or passkey there, and cannot sign in.`
          : 'Users stay behind.',
        { resource_type: 'auth' },
      ),
    );
  for (const name of database.withoutKey)
    found.push(
      diagnostic(
        'NON_DETERMINISTIC_TABLE_ORDER',
        'warning',
        `The table ${name} has no key: its rows come as they lie there, so that another export may differ.`,
        {
          resource_type: 'table',
          resource_id: name,
          next_action: { type: 'remove_unsupported_feature', message: 'Give the table a primary key.' },
        },
      ),
    );
  for (const name of database.extensions)
    found.push(
      diagnostic('DATABASE_EXTENSION_UNSUPPORTED', 'blocking', `The extension ${name} is not part of an archive.`, {
        resource_type: 'database',
        resource_id: name,
        next_action: { type: 'remove_unsupported_feature', message: 'Drop the extension, and export again.' },
      }),
    );
  for (const what of [...collected.left, ...database.leftOut])
    found.push(
      diagnostic('CLOUD_ONLY_FEATURE_EXCLUDED', 'warning', `It stays behind: ${what.replace(/\.$/, '')}.`, {
        resource_type: 'project',
      }),
    );
  return found;
}

/** What whoever imports the archive has to know how to do. */
export function capabilitiesOf({ collected, authExport }: Pick<Exported, 'collected' | 'authExport'>): string[] {
  const functions = [...(collected.state?.functions.values() ?? [])];
  return [
    capabilities.database,
    ...(collected.state === null ? [] : [capabilities.releaseState]),
    ...(collected.assets.length > 0 || (collected.state?.site.size ?? 0) > 0 ? [capabilities.storage] : []),
    ...(functions.length > 0 ? [capabilities.functions] : []),
    ...(functions.some((one) => one.class === 'ssr') ? [capabilities.ssr] : []),
    ...(authExport === 'stubs' ? [capabilities.authStubs] : []),
    ...((collected.state?.secretKeys.length ?? 0) > 0 ? [capabilities.secrets] : []),
  ];
}

/**
 * Of one moment, which nothing was stopped for. It says nothing of when and where: it is part of what an archive is.
 */
export const consistencyOf = ({ builds }: Collected) => ({
  mode: 'cloud_write_pause_v1',
  pinned_release_id: null,
  database: { postgres_version: 'any', snapshot: null, wal_lsn: null },
  storage: { mutation_pause: 'not_applicable' },
  runtime: { artifact_capture: builds.size === 0 ? 'not_applicable' : 'captured' },
});

/** The two reports of an archive. */
export function reportsOf(exported: Exported) {
  const { collected, database, authExport, members } = exported;
  const diagnostics = portabilityOf(exported);
  const bytesOf = (prefix: string) =>
    members.filter(({ name }) => name.startsWith(prefix)).reduce((sum, { bytes }) => sum + bytes.size, 0);
  const exportReport = {
    schema_version: 'svc.project_archive.export_report.v1',
    export_scope: portableScope,
    auth_export: authExport,
    consistency: consistencyOf(collected).mode,
    unsupported_resource_count: diagnostics.filter(({ severity }) => severity !== 'info').length,
    counts: {
      tables: database.tables,
      rows: database.rows,
      auth_subjects: database.users,
      storage_objects: collected.assets.length,
      site_files: collected.state?.site.size ?? 0,
      functions: collected.builds.size,
      secrets_required: collected.state?.secretKeys.length ?? 0,
    },
    bytes: { database: bytesOf('database.'), blobs: bytesOf('blob.') },
  };
  const portabilityReport = { schema_version: 'svc.project_archive.portability_report.v1', entries: diagnostics };
  return {
    exportReport,
    portabilityReport,
    members: [jsonMember('export_report', exportReport), jsonMember('portability_report', portabilityReport)],
  };
}
