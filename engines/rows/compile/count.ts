import type { ReadNode } from '../plan/read-node.ts';
import { ident, type Sql, sql } from '../sql/sql.ts';
import { embeddedConditions, embeddedFrom } from './joins.ts';
import { aliasOf } from './names.ts';
import { isGrouped } from './outputs.ts';
import { type RootFrom, readSql, rootFrom, rootQualifier } from './read.ts';
import { type EmbeddedSql, whereClause, whereSql } from './where.ts';

/** A row for each row of the root, whatever window is shown of them. */
export function countedSql(root: ReadNode, from: RootFrom): Sql {
  if (isGrouped(root)) return readSql(root, { from, limited: false });
  return existing(root, rootQualifier(root, from), rootFrom(root, from), []);
}

/** Embedded rows are only looked for, and only where they decide. */
function existing(node: ReadNode, qualifier: Sql, from: Sql, link: readonly Sql[]): Sql {
  const looked: EmbeddedSql = ({ child, present }) =>
    present ? sql`exists (${below(child, qualifier)})` : sql`not exists (${below(child, qualifier)})`;
  const needed = node.children.filter((child) => child.link!.join === 'inner');
  const conditions = [
    ...node.where.map((where) => whereSql(qualifier, where, looked)),
    ...link,
    ...needed.map((child) => sql`exists (${below(child, qualifier)})`),
  ];
  return sql`select 1 from ${from}${whereClause(conditions)}`;
}

function below(node: ReadNode, parent: Sql): Sql {
  const qualifier = ident(aliasOf(node));
  return existing(node, qualifier, embeddedFrom(node, parent), embeddedConditions(node, qualifier, parent));
}
