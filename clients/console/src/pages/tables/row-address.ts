import type { TextRow } from './rows-api.ts';

/** Reads the order of rows from the address: `price.desc`. */
export function orderFrom(text: string): { readonly column: string; readonly descending: boolean } | undefined {
  const [, column, direction] = /^(.+)\.(asc|desc)$/s.exec(text) ?? [];
  return column === undefined ? undefined : { column, descending: direction === 'desc' };
}

/** Reads the key of a row from the address. One that does not fit finds no row. */
export function keyFrom(text: string, key: readonly string[]): TextRow {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return Object.fromEntries(key.map((part) => [part, String(value[part])]));
  } catch {
    return Object.fromEntries(key.map((part) => [part, text]));
  }
}
