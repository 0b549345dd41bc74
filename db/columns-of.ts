import { getTableColumns, type Table } from 'drizzle-orm';

/**
 * The select list of a table for a hand-written statement: `o."display_name" as "org.displayName"`. With
 * {@link partOf}, the statement yields rows of the very type that the table declares.
 *
 * @param without columns that no reader may see, or that readers of rows do not need
 */
export function columnsOf(table: Table, alias: string, prefix = '', without: readonly string[] = []): string {
  return Object.entries(getTableColumns(table))
    .filter(([key]) => !without.includes(key))
    .map(([key, column]) => `${alias}."${column.name}" as "${prefix}${key}"`)
    .join(', ');
}

/**
 * Takes the part of a row whose columns of `table` were selected under a prefix; undefined when an outer join found
 * none. The names are put together once, here.
 *
 * @param without columns that were not selected
 */
export function partOf<From extends Table, Without extends string = never>(
  table: From,
  prefix: string,
  without: readonly Without[] = [],
) {
  const names = Object.keys(getTableColumns(table))
    .filter((key) => !(without as readonly string[]).includes(key))
    .map((key) => [key, prefix + key] as const);
  const id = `${prefix}id`;
  return (row: Readonly<Record<string, unknown>>): Omit<From['$inferSelect'], Without> | undefined => {
    if (row[id] == null) return undefined;
    const part: Record<string, unknown> = {};
    for (const [key, name] of names) part[key] = row[name];
    return part as Omit<From['$inferSelect'], Without>;
  };
}
