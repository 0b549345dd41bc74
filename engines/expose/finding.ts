/** What a manifest can be found to be wrong about. Contract 01, section 2.12. */
export const findingTypes = [
  'schema-shape',
  'missing-table',
  'missing-column',
  'missing-view-base',
  'missing-rpc',
  'ambiguous-rpc',
  'unrestricted-ack-required',
  'grant-to-role-unknown',
  'force-owner-without-owner-column',
  'sensitive-column-public-write',
  'owner-column-not-uuid',
  'validation-inconclusive',
] as const;

export type FindingType = (typeof findingTypes)[number];

export interface Finding {
  readonly type: FindingType;
  readonly severity: 'error' | 'warning';
  /** Where in the manifest, for example `manifest.tables[2].owner_column`. */
  readonly path: string;
  /** In words; begins with the path. */
  readonly detail: string;
  readonly fix?: string;
}

const finding =
  (severity: Finding['severity']) =>
  (type: FindingType, path: string, words: string, fix?: string): Finding => ({
    type,
    severity,
    path,
    detail: `${path}: ${words}`,
    ...(fix === undefined ? {} : { fix }),
  });

export const errorAt = finding('error');
export const warningAt = finding('warning');

/** `manifest.tables[2].owner_column` of `['tables', 2, 'owner_column']`. */
export const pathOf = (steps: readonly PropertyKey[]): string =>
  steps.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : `${path}.${String(step)}`),
    'manifest',
  );
