import type { ReadNode } from '../plan/read-node.ts';
import { servedSchema } from '../schema/types.ts';
import { dotted, ident, type Sql, sql } from '../sql/sql.ts';

/** Longest name that PostgreSQL keeps apart from others, in bytes. */
const nameBytesMax = 63;

/** What a change or a call returned, before it is read. */
export const source: Sql = ident('svc_source');

export const inSchema = (name: string): Sql => dotted(servedSchema, name);

/** The name of an embedded relation inside a statement; shown in errors, so it tells the table. */
export function aliasOf({ tableName, depth, link }: ReadNode): string {
  const alias = `${tableName}_${depth}`;
  return Buffer.byteLength(alias) <= nameBytesMax ? alias : `${link!.alias}_from`;
}

/** A column of a relation; `*` for all. */
export const columnOf = (qualifier: Sql, name: string): Sql =>
  name === '*' ? sql`${qualifier}.*` : sql`${qualifier}.${ident(name)}`;
