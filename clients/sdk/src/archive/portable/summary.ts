// Printed by npm run generate from engines/archives/portable.
import type { Diagnostic } from './diagnostics.ts';
import { documents } from './format.ts';
import type { Json } from './shapes.ts';
import type { ReadArchive, RequiredSecret } from './verify.ts';

/** What an archive holds, in short. */
export interface ArchiveSummary {
  /** Whether nothing keeps it from being imported. */
  readonly ok: boolean;
  readonly archive_version: string | null;
  readonly archive_digest: string | null;
  /** The platform that it was exported from. */
  readonly source: string | null;
  readonly total_bytes: number;
  readonly tables: readonly { readonly name: string; readonly row_count: number }[];
  readonly storage_objects: number;
  readonly functions: readonly string[];
  readonly site_files: number;
  readonly required_capabilities: readonly string[];
  readonly required_secrets: readonly RequiredSecret[];
  readonly auth_subject_stub_count: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** Says what an archive that was read holds. Nothing is told of what could not be read. */
export function summaryOf({ verification, index, json }: ReadArchive): ArchiveSummary {
  const { ok, archive_version, archive_digest, total_bytes, required_capabilities, required_secrets, diagnostics } =
    verification;
  const listed = (name: keyof typeof documents, member: string): readonly Json[] => {
    const found = (json.get(documents[name].path) as Json | undefined)?.[member];
    return Array.isArray(found) ? found.filter((one) => typeof one === 'object' && one !== null) : [];
  };
  const release = json.get(documents.release_spec.path) as
    | { readonly site?: { readonly replace?: object } }
    | undefined;
  return {
    ok,
    archive_version,
    archive_digest,
    source: index?.source.platform ?? null,
    total_bytes,
    tables: listed('database.tables', 'tables').map((one) => ({
      name: String(one.name),
      row_count: Number.isSafeInteger(one.row_count) ? (one.row_count as number) : 0,
    })),
    storage_objects: listed('storage.index', 'objects').length,
    functions: listed('runtime.index', 'functions').map((one) => String(one.name)),
    site_files: Object.keys(release?.site?.replace ?? {}).length,
    required_capabilities,
    required_secrets,
    auth_subject_stub_count: verification.auth_subject_stub_count,
    diagnostics,
  };
}
