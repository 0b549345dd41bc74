import { getTableColumns, type Table } from 'drizzle-orm';

/**
 * The select list of a table for a hand-written statement: `o."display_name" as "org.displayName"`. With
 * {@link nested}, the statement yields rows of the very type that the table declares.
 */
export function columnsOf(table: Table, alias: string, prefix = ''): string {
  return Object.entries(getTableColumns(table))
    .map(([key, column]) => `${alias}."${column.name}" as "${prefix}${key}"`)
    .join(', ');
}

/** The part of a row whose columns were selected under a prefix; undefined when an outer join found none. */
export function nested<Row>(row: Record<string, unknown>, prefix: string, required = 'id'): Row | undefined {
  if (row[prefix + required] == null) return undefined;
  const part: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(row)) if (key.startsWith(prefix)) part[key.slice(prefix.length)] = value;
  return part as Row;
}
