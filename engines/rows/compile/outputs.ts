import type { ReadNode } from '../plan/read-node.ts';
import { everything } from '../request/names.ts';
import type { Aggregate, SelectField } from '../request/select.ts';
import { isToOne } from '../schema/types.ts';
import { ident, integer, type Sql, sql } from '../sql/sql.ts';
import { castSql, fieldSql, nameOf } from './field.ts';
import { columnOf } from './names.ts';

/** One column of a relation's rows. */
export interface Output {
  readonly sql: Sql;
  /** The name a client sees; undefined for all columns at once. */
  readonly shown: string | undefined;
  /** Its type, where that is known. */
  readonly type?: string | undefined;
  /** It is made of many rows already. */
  readonly aggregated: boolean;
  /** What is still to be made of it, further up: what is spread is counted and summed where it ends up. */
  readonly pending: Aggregate | undefined;
}

const aggregates: Readonly<Record<Aggregate['name'], Sql>> = {
  sum: sql`sum`,
  avg: sql`avg`,
  count: sql`count`,
  max: sql`max`,
  min: sql`min`,
};

const isSpread = (node: ReadNode) => node.link?.spread === true;

/** Whether rows are grouped in a relation, so that fewer come out of it than it has. */
export const isGrouped = (node: ReadNode): boolean =>
  node.fields.some(({ aggregate }) => aggregate !== undefined) ||
  node.children.some((child) => isSpread(child) && isToOne(child.link!.relationship) && isGrouped(child));

/** Whether any column of it is asked for, however deep; otherwise it only joins. */
export const isShown = (node: ReadNode): boolean => node.fields.length > 0 || node.children.some(isShown);

/** The name of an output inside the statement. What is pending must not meet a column that is called the same. */
export const labelOf = ({ shown, pending }: Output, index: number): string | undefined =>
  pending === undefined ? shown : `svc_part_${index}`;

/** What a relation shows of its own. */
export function ownOutputs(node: ReadNode, qualifier: Sql): Output[] {
  // Nothing at all asked of it: everything is read, and nothing shown where it ends up.
  if (node.fields.length === 0 && node.children.length === 0)
    return [output(columnOf(qualifier, everything), undefined)];
  return node.fields.flatMap((field): Output[] => {
    if (field.field.name === everything && field.aggregate === undefined) return allColumns(node, qualifier);
    const own = fieldOutput(node, qualifier, field);
    return [isSpread(node) ? own : finished(own)];
  });
}

const output = (value: Sql, shown: string | undefined): Output => ({
  sql: value,
  shown,
  aggregated: false,
  pending: undefined,
});

/** Each by its name where they are grouped by or spread. */
function allColumns(node: ReadNode, qualifier: Sql): Output[] {
  const apart = isSpread(node) || isGrouped(node);
  if (!apart || node.table === undefined) return [output(columnOf(qualifier, everything), undefined)];
  return [...node.table.columns.values()].map(({ name, type }) => ({
    ...output(columnOf(qualifier, name), name),
    type,
  }));
}

function fieldOutput(node: ReadNode, qualifier: Sql, { field, alias, cast, aggregate }: SelectField): Output {
  const shown = alias ?? aggregate?.name ?? nameOf(field);
  // Spread, a row that is not there must not count.
  const counted = isSpread(node) ? integer(1) : sql`*`;
  const value =
    field.name === everything
      ? counted
      : castSql(fieldSql(qualifier, field, node.table?.columns.get(field.name)), cast);
  const column = field.path.length === 0 && cast === undefined ? node.table?.columns.get(field.name) : undefined;
  return { ...output(value, shown), type: column?.type, pending: aggregate };
}

/** Applies what is pending. */
function finished(one: Output): Output {
  if (one.pending === undefined) return one;
  const value = castSql(sql`${aggregates[one.pending.name]}(${one.sql})`, one.pending.cast);
  return { ...one, sql: value, type: undefined, aggregated: true, pending: undefined };
}

/** What a relation shows of one that is embedded in it. */
export function outputsOfChild(node: ReadNode, child: ReadNode, below: readonly Output[]): Output[] {
  if (!isShown(child)) return [];
  const { alias, spread, relationship } = child.link!;
  const rows = ident(alias);
  if (spread)
    return below.map((one, index): Output => {
      const label = labelOf(one, index);
      const value = label === undefined ? columnOf(rows, everything) : columnOf(rows, label);
      const carried = { ...output(value, one.shown), pending: one.pending };
      return isSpread(node) ? carried : finished(carried);
    });
  const value = isToOne(relationship) ? sql`row_to_json(${rows}.*)` : sql`coalesce(${rows}."svc rows", '[]')`;
  // JSON as it is cannot be compared, so it cannot be grouped by.
  if (isGrouped(node)) return [output(sql`${value}::jsonb`, child.name)];
  return [{ ...output(value, child.name), type: 'json' }];
}
