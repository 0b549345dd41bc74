import { getTableColumns, type Table } from 'drizzle-orm';

/**
 * The select list of a table for a hand-written statement: `o."display_name" as "org.displayName"`. With
 * {@link partOf}, the statement yields rows of the very type that the table declares.
 *
 * @param without a column that is nobody's to see
 */
export function columnsOf(table: Table, alias: string, prefix = '', without?: string): string {
  return Object.entries(getTableColumns(table))
    .filter(([key]) => key !== without)
    .map(([key, column]) => `${alias}."${column.name}" as "${prefix}${key}"`)
    .join(', ');
}

/**
 * Takes the part of a row whose columns of `table` were selected under a prefix; undefined when an outer join found
 * none. The names are put together once, here.
 */
export function partOf<From extends Table>(table: From, prefix: string) {
  const names = Object.keys(getTableColumns(table)).map((key) => [key, prefix + key] as const);
  const id = `${prefix}id`;
  return (row: Readonly<Record<string, unknown>>): From['$inferSelect'] | undefined => {
    if (row[id] == null) return undefined;
    const part: Record<string, unknown> = {};
    for (const [key, name] of names) part[key] = row[name];
    return part as From['$inferSelect'];
  };
}
