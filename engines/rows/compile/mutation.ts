import type { ReadNode, Where } from '../plan/read-node.ts';
import { everything } from '../request/names.ts';
import type { Payload } from '../request/payload.ts';
import type { Table } from '../schema/types.ts';
import { commas, empty, ident, type Sql, sql } from '../sql/sql.ts';
import { type BodyColumn, body, bodyFrom } from './body.ts';
import { columnOf, inSchema } from './names.ts';
import { whereClause, whereSql } from './where.ts';

/** A row that is there already. */
export interface OnConflict {
  readonly columns: readonly string[];
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates';
}

export type Mutation =
  | {
      readonly kind: 'insert';
      readonly payload: Payload;
      readonly columns: readonly BodyColumn[];
      readonly defaults: boolean;
      readonly onConflict: OnConflict | undefined;
      /** For PUT: what the row must be. */
      readonly where: readonly Where[];
    }
  | {
      readonly kind: 'update';
      readonly payload: Payload;
      readonly columns: readonly BodyColumn[];
      readonly defaults: boolean;
      readonly where: readonly Where[];
    }
  | { readonly kind: 'delete'; readonly where: readonly Where[] };

/** The change itself, returning the given columns. */
export function mutationSql(table: Table, mutation: Mutation, returning: readonly string[]): Sql {
  const target = inSchema(table.name);
  const returned = returning.length === 0 ? sql`1` : commas(returning.map((name) => columnOf(target, name)));
  const conditions = whereClause(
    mutation.where.map((where) => whereSql(mutation.kind === 'insert' ? body : target, where)),
  );
  switch (mutation.kind) {
    case 'delete':
      return sql`delete from ${target}${conditions} returning ${returned}`;
    case 'update':
      return updateSql(target, mutation, conditions, returning, returned);
    case 'insert':
      return insertSql(target, mutation, conditions, sql` returning ${returned}`);
  }
}

function updateSql(
  target: Sql,
  { payload, columns, defaults }: Extract<Mutation, { kind: 'update' }>,
  conditions: Sql,
  returning: readonly string[],
  returned: Sql,
): Sql {
  // Nothing to set is no update, but its answer has the same columns.
  if (columns.length === 0) return sql`select ${returning.length === 0 ? sql`1` : returned} from ${target} where false`;
  const from = bodyFrom(payload, { columns, defaults, firstOnly: true });
  const set = commas(columns.map(({ name }) => sql`${ident(name)} = ${columnOf(body, name)}`));
  return sql`update ${target} set ${set} from ${from}${conditions} returning ${returned}`;
}

/** Many new rows that the answer does not show, not even their number: none of them is kept for the answer. */
export const silentInsertSql = (table: Table, mutation: Extract<Mutation, { kind: 'insert' }>): Sql =>
  insertSql(inSchema(table.name), mutation, empty, empty);

/** Counts rows that were there already, so that an answer can tell a new row from a changed one. */
const countUpdated = sql`set_config('svc.updated', (coalesce(nullif(current_setting('svc.updated', true), ''), '0')::int + 1)::text, true) is not null`;

function insertSql(
  target: Sql,
  { payload, columns, defaults, onConflict }: Extract<Mutation, { kind: 'insert' }>,
  conditions: Sql,
  returning: Sql,
): Sql {
  const from = bodyFrom(payload, { columns, defaults, firstOnly: false });
  const names = columns.length === 0 ? empty : sql` (${commas(columns.map(({ name }) => ident(name)))})`;
  const values = commas(columns.map(({ name }) => columnOf(body, name)));
  return sql`insert into ${target}${names} select ${values} from ${from}${conditions}${conflictSql(columns, onConflict)}${returning}`;
}

function conflictSql(columns: readonly BodyColumn[], onConflict: OnConflict | undefined): Sql {
  if (onConflict === undefined || onConflict.columns.length === 0) return empty;
  const target = commas(onConflict.columns.map(ident));
  if (onConflict.resolution === 'ignore-duplicates' || columns.length === 0)
    return sql` on conflict (${target}) do nothing`;
  const set = commas(columns.map(({ name }) => sql`${ident(name)} = excluded.${ident(name)}`));
  return sql` on conflict (${target}) do update set ${set} where ${countUpdated}`;
}

/** The columns that a change has to return for its answer to be read from them. */
export function neededColumns(root: ReadNode, table: Table): string[] {
  const shown = root.fields.map(({ field }) => field.name);
  const links = root.children.flatMap((child) => {
    const { relationship } = child.link!;
    if (relationship.kind === 'computed') return [everything];
    const pairs = relationship.kind === 'many-to-many' ? relationship.junction.from : relationship.pairs;
    return pairs.map(([from, to]) => (relationship.kind === 'many-to-many' ? to : from));
  });
  const ordered = root.order.flatMap(({ relation, field }) => (relation === undefined ? [field.name] : []));
  const all = [...new Set([...shown, ...links, ...ordered])];
  if (!all.includes(everything)) return all;
  return [everything, ...all.filter((name) => name !== everything && !table.columns.has(name))];
}
