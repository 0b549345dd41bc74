import { databaseError } from '../answer/database-error.ts';
import { RowError } from '../errors.ts';
import type { RowRole } from '../request/row-request.ts';
import type { Routine, SchemaCache, Table, TableKind } from '../schema/types.ts';

/** What a role without any right to a table is told, in PostgreSQL's own words. */
export const noRightState = '42501';

/** A role has no right to what it names, as far as the schema is known. */
export class MissingRightError extends RowError {
  readonly kind: 'table' | 'function';
  readonly oids: readonly number[];

  constructor(what: string, kind: MissingRightError['kind'], oids: readonly number[], role: RowRole) {
    // As PostgreSQL says it.
    const { status, code, message, headers } = databaseError(
      { code: noRightState, message: `permission denied for ${what}` },
      role === 'anon',
    );
    super(status, code, message, { headers });
    this.kind = kind;
    this.oids = oids;
  }
}

const words: Readonly<Record<TableKind, string>> = {
  table: 'table',
  partitioned: 'table',
  view: 'view',
  materialized: 'materialized view',
  foreign: 'foreign table',
};

/**
 * Refuses what a role has no right to before anything is said of it: PostgreSQL looks at names and types first, and
 * would tell which columns a table has that is dark.
 *
 * @throws MissingRightError
 */
export function requireRight(cache: SchemaCache, name: string, role: RowRole): void {
  const table = cache.tables.get(name);
  if (table === undefined || hasAnyRight(table, role)) return;
  throw new MissingRightError(`${words[table.kind]} ${name}`, 'table', [table.oid], role);
}

/** Whether a role may do anything at all with a table. */
export const hasAnyRight = ({ rights }: Table, role: RowRole): boolean =>
  role === 'service_role' || (rights.byRole[role] ?? '') !== '';

/** The functions of a name that a role may call. @throws MissingRightError when there are, but not for this role */
export function callable(cache: SchemaCache, name: string, role: RowRole): readonly Routine[] {
  const all = cache.routines.get(name) ?? [];
  if (role === 'service_role') return all;
  const open = all.filter(({ callers }) => callers.includes(role));
  if (open.length > 0 || all.length === 0) return open;
  throw new MissingRightError(
    `function ${name}`,
    'function',
    all.map(({ oid }) => oid),
    role,
  );
}
