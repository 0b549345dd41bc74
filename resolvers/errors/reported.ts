/** Where occurrences belong. */
export interface ReportedProject {
  readonly orgId: string;
  readonly projectId: string;
}

/** A row of the project’s failures. */
export interface FingerprintKey {
  readonly fingerprintId: string;
  readonly function: string;
}
