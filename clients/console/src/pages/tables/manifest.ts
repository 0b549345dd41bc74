import type { ProjectKeysQuery } from '../project/project.graphql.ts';
import type { ProjectTablesQuery } from './tables.graphql.ts';

export type Project = NonNullable<ProjectTablesQuery['project']>;
export type Keys = NonNullable<NonNullable<ProjectKeysQuery['project']>['keys']>;

/** What the manifest says of a table. */
export interface ManifestTable {
  readonly name: string;
  readonly expose?: boolean;
  readonly policy?: string;
  readonly owner_column?: string;
  readonly live?: boolean;
}

/** The tables of the manifest, by name. */
export function manifestTables({ expose }: Project): ReadonlyMap<string, ManifestTable> {
  const listed = expose?.manifest.tables;
  return new Map((Array.isArray(listed) ? (listed as ManifestTable[]) : []).map((one) => [one.name, one]));
}

/** Names that a manifest can hold. */
export const canExpose = (name: string): boolean => /^[a-z_][a-z0-9_]{0,62}$/.test(name);

/** The manifest with another entry for a table; everything else in it stays. */
export function manifestWith({ expose }: Project, entry: ManifestTable): Record<string, unknown> {
  const manifest: Record<string, unknown> = { version: 1, ...expose?.manifest };
  const listed = (Array.isArray(manifest.tables) ? manifest.tables : []) as ManifestTable[];
  return { ...manifest, tables: [...listed.filter(({ name }) => name !== entry.name), entry] };
}

/** The policies that a table can have, in plain words. */
export const policies = [
  { id: 'user_owns_rows', name: 'Each user has their own rows' },
  { id: 'public_read_authenticated_write', name: 'All may read, users may write' },
  { id: 'public_read_append_only', name: 'All may read and insert' },
  { id: 'public_read_write_UNRESTRICTED', name: 'All may do everything' },
] as const;

export type Policy = (typeof policies)[number]['id'];
