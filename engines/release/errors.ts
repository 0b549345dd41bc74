/** Codes of what a release specification is refused with. Contract 03, section 2.17. */
export type SpecErrorCode =
  | 'INVALID_SPEC'
  | 'INVALID_WIRE_SCHEMA'
  | 'MANIFEST_EMPTY'
  | 'SVC_LOCALE_NOT_CANONICAL'
  | 'ASSET_DUPLICATE_KEY_IN_PUT'
  | 'ASSET_KEY_IN_PUT_AND_DELETE'
  | 'INVALID_ASSET_METADATA'
  | 'INVALID_EXIF_POLICY'
  | 'SUBDOMAIN_MULTI_NOT_SUPPORTED'
  | 'MIGRATION_CHECKSUM_MISMATCH'
  | 'STATIC_IMMUTABLE_PATH_CHANGED'
  | 'FUNCTION_CONFIG_INVALID'
  | 'TIER_LIMIT_EXCEEDED'
  | 'FUNCTION_TIMEOUT_EXCEEDS_TIER'
  | 'FUNCTION_MEMORY_EXCEEDS_TIER'
  | 'FUNCTION_SCHEDULE_INTERVAL_TOO_SHORT'
  | 'FUNCTION_SCHEDULE_LIMIT_EXCEEDED';

export interface SpecErrorOptions {
  /** Dotted path of the member that is to blame, for example `functions.replace.api.config.timeout_seconds`. */
  readonly resource?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What would mend it. */
  readonly fix?: Readonly<Record<string, unknown>>;
}

/** Longest text of a client's own that an error repeats, in UTF-16 units. */
const shownMax = 2_048;

/** A text of a client's own as an error may show and a table may keep it. */
const shown = (text: string): string =>
  (text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`).replaceAll('\0', '\ufffd').toWellFormed();

/** A specification that cannot be planned. */
export class SpecError extends Error {
  override readonly name = 'SpecError';
  readonly code: SpecErrorCode;
  readonly resource: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly fix: Readonly<Record<string, unknown>> | undefined;

  constructor(code: SpecErrorCode, message: string, { resource, details = {}, fix }: SpecErrorOptions = {}) {
    super(shown(message));
    this.code = code;
    this.resource = resource === undefined ? undefined : shown(resource);
    this.details = details;
    this.fix = fix;
  }
}

/** The usual refusal: a member is not what it has to be. */
export const invalid = (resource: string, problem: string, details?: SpecErrorOptions['details']): SpecError =>
  new SpecError('INVALID_SPEC', `${resource || 'The specification'} ${problem}.`, {
    resource,
    ...(details === undefined ? {} : { details }),
  });
