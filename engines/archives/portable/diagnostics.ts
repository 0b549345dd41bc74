/** What is wrong with the structure of an archive, by code. */
export const structureCodes = [
  'ARCHIVE_DIGEST_MISMATCH',
  'ARCHIVE_SIZE_MISMATCH',
  'ARCHIVE_UNSUPPORTED_VERSION',
  'ARCHIVE_UNSUPPORTED_REQUIRED_CAPABILITY',
  'ARCHIVE_MEDIA_TYPE_UNSUPPORTED',
  'ARCHIVE_PATH_UNSAFE',
  'ARCHIVE_SIZE_LIMIT_EXCEEDED',
  'ARCHIVE_FILE_COUNT_LIMIT_EXCEEDED',
  'ARCHIVE_DESCRIPTOR_TOO_DEEP',
  'ARCHIVE_DESCRIPTOR_MISSING',
  'ARCHIVE_BLOB_MISSING',
  'ARCHIVE_DUPLICATE_PATH',
  'ARCHIVE_DUPLICATE_JSON_KEY',
  'ARCHIVE_MALFORMED_JSON',
  'ARCHIVE_MALFORMED_TAR',
  'ARCHIVE_ENTRY_TYPE_UNSUPPORTED',
] as const;

export type StructureCode = (typeof structureCodes)[number];

/** What an export or an import says of the content of an archive. */
export type ContentCode =
  | 'EXPORT_CONSISTENCY_UNAVAILABLE'
  | 'EXPORT_SCOPE_UNSUPPORTED'
  | 'ARCHIVE_EXPIRED'
  | 'STORAGE_OBJECT_CHANGED_DURING_EXPORT'
  | 'STORAGE_OBJECT_DIGEST_MISMATCH'
  | 'NON_DETERMINISTIC_TABLE_ORDER'
  | 'CLOUD_ONLY_FEATURE_EXCLUDED'
  | 'AUTH_CREDENTIALS_NOT_EXPORTED'
  | 'DATABASE_EXTENSION_UNSUPPORTED'
  | 'DATABASE_RLS_IMPORT_UNSUPPORTED'
  | 'DATABASE_SCHEMA_UNSAFE'
  | 'DATABASE_SEQUENCE_RESTORE_FAILED'
  | 'AUTH_SUBJECT_STUBS_IMPORTED'
  | 'SECRET_VALUES_REQUIRED'
  | 'PROJECT_ALREADY_EXISTS'
  | 'IMPORT_VERIFY_FAILED'
  | 'IMPORT_CONFORMANCE_FAILED';

/** What may be done about a diagnostic. */
export interface DiagnosticAction {
  readonly type:
    | 'run_command'
    | 'set_secret'
    | 'change_export_scope'
    | 'remove_unsupported_feature'
    | 'retry_later'
    | 'contact_support'
    | 'read_docs'
    | 'none';
  readonly command?: string;
  readonly env_var?: string;
  readonly docs_url?: string;
  readonly message?: string;
}

/** One finding about an archive. A blocking one keeps it from being imported. */
export interface Diagnostic {
  readonly code: StructureCode | ContentCode;
  readonly severity: 'info' | 'warning' | 'blocking';
  readonly resource_type: string;
  readonly resource_id?: string;
  readonly path?: string;
  readonly message: string;
  readonly next_action: DiagnosticAction;
  readonly retryable: boolean;
}

export type DiagnosticFacts = Partial<Omit<Diagnostic, 'code' | 'severity' | 'message'>>;

const noAction: DiagnosticAction = { type: 'none' };

/** A finding; of an archive, and with nothing to do about it, unless told. */
export const diagnostic = (
  code: Diagnostic['code'],
  severity: Diagnostic['severity'],
  message: string,
  facts: DiagnosticFacts = {},
): Diagnostic => ({
  code,
  severity,
  resource_type: 'archive',
  message,
  next_action: noAction,
  retryable: false,
  ...facts,
});

/** A finding about the structure of an archive: each of them blocks. */
export const structureFault = (code: StructureCode, message: string, path?: string): Diagnostic =>
  diagnostic(code, 'blocking', message, path === undefined ? {} : { path: shown(path) });

/** The archive cannot be read any further. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
  readonly found: Diagnostic;

  constructor(code: StructureCode, message: string, path?: string) {
    super(message);
    this.found = structureFault(code, message, path);
  }
}

/** Names in an archive are whatever its maker chose: they are shown cut, and without control characters. */
export const shown = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is left out.
  name.slice(0, 300).replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');
