import { invalidField } from '../../../core/errors.ts';
import { bodyColumns } from '../compile/body.ts';
import type { Mutation, OnConflict } from '../compile/mutation.ts';
import { refusals } from '../errors.ts';
import { ofObject } from '../request/payload.ts';
import { conditionsOf } from './filters.ts';
import type { GraphTable } from './graph-model.ts';
import type { MutableNode, PlanState } from './plan-state.ts';
import type { Args } from './selected-field.ts';

export type ChangeKind = 'insert' | 'upsert' | 'update' | 'delete';

/** The changes that a field makes: several, where an upsert names other columns in some rows than in others. */
export function mutationsOf(
  state: PlanState,
  { kind, table, args, root }: { kind: ChangeKind; table: GraphTable; args: Args; root: MutableNode },
): readonly Mutation[] {
  if (kind === 'update' || kind === 'delete') {
    const where = conditionsOf(state, root, table, args.where as Args);
    // Only the project's own service changes every row at once. Contract 01, section 2.2.
    if (where.length === 0 && state.role !== 'service_role')
      throw refusals.noFilter(kind === 'update' ? 'UPDATE' : 'DELETE');
    if (kind === 'delete') return [{ kind, where }];
    const payload = ofObject(byColumn(table, args.set as Args));
    return [{ kind, payload, columns: bodyColumns(table.table, payload.keys), defaults: false, where }];
  }
  const rows = (args.rows as readonly Args[]).map((row) => byColumn(table, row));
  if (kind === 'insert') return [insertOf(table, rows, undefined)];
  const onConflict = conflictOf(table, args);
  if (onConflict.resolution === 'ignore-duplicates') return [insertOf(table, rows, onConflict)];
  // A row that is there keeps what its object does not name.
  const alike = [...Map.groupBy(rows, (row) => JSON.stringify(Object.keys(row).sort())).values()];
  if (alike.length > columnSetsMax)
    throw invalidField('rows', `name at most ${columnSetsMax} different sets of columns`);
  return alike.length === 0
    ? [insertOf(table, rows, onConflict)]
    : alike.map((some) => insertOf(table, some, onConflict));
}

/** Each set of columns that rows of an upsert name is a change of its own. */
const columnSetsMax = 50;

function conflictOf({ table }: GraphTable, { onConflict, ignoreDuplicates }: Args): OnConflict {
  const named = (onConflict ?? []) as readonly string[];
  const columns = named.length > 0 ? named : table.primaryKey;
  if (columns.length === 0) throw invalidField('onConflict', 'is required, since the table has no primary key');
  return { columns, resolution: ignoreDuplicates === true ? 'ignore-duplicates' : 'merge-duplicates' };
}

function insertOf(
  { table }: GraphTable,
  rows: readonly Readonly<Record<string, unknown>>[],
  onConflict: OnConflict | undefined,
): Mutation {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const payload = { bytes: Buffer.from(JSON.stringify(rows)), keys, isObject: false };
  // What one row names and another does not takes its default there.
  const defaults = rows.some((row) => Object.keys(row).length < keys.length);
  return { kind: 'insert', payload, columns: bodyColumns(table, keys), defaults, onConflict, where: [] };
}

const byColumn = ({ columns }: GraphTable, row: Args): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const found = columns.find((one) => one.name === name);
      return found === undefined ? [] : [[found.column.name, value]];
    }),
  );
