import type { ReadNode } from '../plan/read-node.ts';
import type { OrderTerm } from '../request/order.ts';
import type { Window } from '../request/query.ts';
import { capped } from '../request/range.ts';
import { isToOne } from '../schema/types.ts';
import { bind, commas, empty, ident, integer, join, type Sql, sql } from '../sql/sql.ts';
import { fieldSql } from './field.ts';
import { embeddedConditions, embeddedFrom, joinSql } from './joins.ts';
import { aliasOf, inSchema, source } from './names.ts';
import { isGrouped, labelOf, type Output, outputsOfChild, ownOutputs } from './outputs.ts';
import { whereClause, whereSql } from './where.ts';

/** Where the rows of the root come from: its table, or what a change or a call returned. */
export type RootFrom = 'table' | 'source';

interface ReadSql {
  readonly select: Sql;
  readonly outputs: readonly Output[];
}

export interface ReadOptions {
  readonly from: RootFrom;
  /** Whether the root's window holds. */
  readonly limited: boolean;
}

/** The rows of a relation with everything embedded in them. */
export function readSql(root: ReadNode, { from, limited }: ReadOptions): Sql {
  const qualifier = rootQualifier(root, from);
  return compile(root, qualifier, rootFrom(root, from), [], limited).select;
}

export const rootQualifier = (root: ReadNode, from: RootFrom): Sql =>
  from === 'table' ? inSchema(root.tableName) : ident(root.tableName);

export const rootFrom = (root: ReadNode, from: RootFrom): Sql =>
  from === 'table' ? inSchema(root.tableName) : sql`${source} as ${ident(root.tableName)}`;

function compile(node: ReadNode, qualifier: Sql, from: Sql, link: readonly Sql[], limited: boolean): ReadSql {
  const children = node.children.map((child) => ({ child, read: compileEmbedded(child, qualifier) }));
  const outputs = [
    ...ownOutputs(node, qualifier),
    ...children.flatMap(({ child, read }) => outputsOfChild(node, child, read.outputs)),
  ];
  const joins = children.map(({ child, read }) => joinSql(child, read.select, read.outputs));
  const where = whereClause([...node.where.map((one) => whereSql(qualifier, one)), ...link]);
  const grouping = isGrouped(node) && node.link?.spread !== true ? groupBy(outputs) : empty;
  const limit = limited ? limitSql(node) : empty;
  const columns = commas(outputs.map(labelled));
  const select = sql`select ${columns} from ${from}${join(joins, empty)}${where}${grouping}${orderSql(node, qualifier, children)}${limit}`;
  return { select, outputs };
}

function compileEmbedded(node: ReadNode, parent: Sql): ReadSql {
  const qualifier = ident(aliasOf(node));
  return compile(node, qualifier, embeddedFrom(node, parent), embeddedConditions(node, qualifier, parent), true);
}

function labelled(output: Output, index: number): Sql {
  const label = labelOf(output, index);
  return label === undefined ? output.sql : sql`${output.sql} as ${ident(label)}`;
}

/** By position: names could mean a column of the table instead. */
function groupBy(outputs: readonly Output[]): Sql {
  const positions = outputs.flatMap(({ aggregated }, index) => (aggregated ? [] : [integer(index + 1)]));
  return positions.length === 0 ? empty : sql` group by ${commas(positions)}`;
}

interface Embedded {
  readonly child: ReadNode;
  readonly read: ReadSql;
}

function orderSql(node: ReadNode, qualifier: Sql, children: readonly Embedded[]): Sql {
  if (node.order.length === 0) return empty;
  return sql` order by ${commas(node.order.map((term) => termSql(node, qualifier, children, term)))}`;
}

function termSql(
  node: ReadNode,
  qualifier: Sql,
  children: readonly Embedded[],
  { relation, field, direction, nulls }: OrderTerm,
): Sql {
  const embedded = children.find(({ child }) => relation !== undefined && child.name === relation);
  const value =
    embedded === undefined
      ? fieldSql(qualifier, field, node.table?.columns.get(field.name))
      : relatedSql(embedded, field, qualifier);
  const way = direction === undefined ? empty : direction === 'asc' ? sql` asc` : sql` desc`;
  const where = nulls === undefined ? empty : nulls === 'first' ? sql` nulls first` : sql` nulls last`;
  return sql`${value}${way}${where}`;
}

/** A column of the one row that is embedded: one that it shows, or else one that its table has. */
function relatedSql({ child, read }: Embedded, field: OrderTerm['field'], parent: Sql): Sql {
  const { link, table, where, children } = child;
  const labels = read.outputs.map(labelOf);
  const column = table?.columns.get(field.name);
  // A condition on relations below has no name outside of its own query.
  if (labels.includes(undefined) || labels.includes(field.name) || column === undefined || children.length > 0)
    return fieldSql(ident(link!.alias), field, undefined);
  const qualifier = ident(aliasOf(child));
  const conditions = [...where.map((one) => whereSql(qualifier, one)), ...embeddedConditions(child, qualifier, parent)];
  return sql`(select ${fieldSql(qualifier, field, column)} from ${embeddedFrom(child, parent)}${whereClause(conditions)} limit 1)`;
}

function limitSql(node: ReadNode): Sql {
  // One row at most is there anyway.
  if (node.link !== undefined && isToOne(node.link.relationship) && node.window === undefined) return empty;
  return windowSql(node.window ?? { limit: undefined, offset: 0 });
}

/** `limit … offset …`, of no more rows than are given at once. */
function windowSql(window: Window): Sql {
  const { limit, offset } = capped(window);
  return sql` limit ${bind(String(limit))} offset ${bind(String(offset))}`;
}
