import { typed } from '../../db/sql.ts';

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

/** The parameters of a statement about some rows of the project's failures. */
export const keyArrays = {
  fingerprintIds: typed<readonly string[]>('text[]'),
  functions: typed<readonly string[]>('text[]'),
};

/** Some rows as the values of {@link keyArrays}. */
export const keysOf = (rows: readonly FingerprintKey[]) => ({
  fingerprintIds: rows.map(({ fingerprintId }) => fingerprintId),
  functions: rows.map((row) => row.function),
});
