/** The place of a mistake in SQL. */
export interface SqlPosition {
  /** Both start at 1. */
  readonly line: number;
  readonly column: number;
  /** Index in the text in UTF-16 units, from 0. */
  readonly offset: number;
}

/** @param position PostgreSQL's position: in characters from 1, some of which are two UTF-16 units */
export function sqlPosition(sql: string, position: unknown): SqlPosition | undefined {
  if (typeof position !== 'number' || position < 1) return undefined;
  const before = Array.from(sql)
    .slice(0, position - 1)
    .join('');
  const line = before.split('\n').length;
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1;
  return { line, column, offset: before.length };
}
