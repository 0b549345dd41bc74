import { type Column, mayBeLong } from './columns.ts';
import { type Filter, filterParams } from './filters.ts';
import { bytesOf, nameBytes, quoted } from './names.ts';
import { addressOf, type RowsApi, type TextRow } from './rows-api.ts';

/** Rows that one request asks for. */
export const pageSize = 100;

/** Which rows of a table are wanted, in which order. */
export interface Wanted {
  readonly columns: readonly Column[];
  /** Columns of the primary key. They break ties in the order, so that each row is on exactly one page. */
  readonly key: readonly string[];
  /** Undefined: in the order of the key. */
  readonly order: { readonly column: string; readonly descending: boolean } | undefined;
  readonly filters: readonly Filter[];
}

interface Step {
  readonly name: string;
  readonly descending: boolean;
  readonly nullable: boolean;
}

function stepsOf({ columns, key, order }: Wanted): readonly Step[] {
  const named = [...(order === undefined ? [] : [order.column]), ...key.filter((name) => name !== order?.column)];
  return named.map((name) => ({
    name,
    descending: name === order?.column && order.descending,
    nullable: columns.find((column) => column.name === name)?.nullable ?? true,
  }));
}

/**
 * Whether a value in a page of rows may be the beginning of a longer one. Values are read as type `name`. A character of
 * UTF-8 has up to four bytes, and none is cut in two.
 */
export const isBeginning = (value: string | null | undefined, column: Column): boolean =>
  value != null && mayBeLong(column) && bytesOf(value) > nameBytes - 4;

/**
 * The address of a page of rows. Long values are cut: a row may hold megabytes.
 *
 * @param last the row before the page; undefined for the first page. By its values the database finds the page at once,
 *   wherever it is; only a table without a key is counted through.
 * @param options `skip` counts the rows before the page, for a table without a key. `whole` cuts no value.
 */
export function pageAddress(
  api: RowsApi,
  table: string,
  wanted: Wanted,
  last: TextRow | undefined,
  options: { readonly skip?: number; readonly limit?: number; readonly whole?: boolean } = {},
): string {
  const { skip = 0, limit = pageSize, whole = false } = options;
  const steps = stepsOf(wanted);
  const ordering = new Set(steps.map(({ name }) => name));
  const search = new URLSearchParams({
    select: wanted.columns
      .map(
        (column) =>
          `${quoted(column.name)}::${whole || ordering.has(column.name) || !mayBeLong(column) ? 'text' : 'name'}`,
      )
      .join(','),
    limit: String(limit),
  });
  if (steps.length > 0)
    search.set(
      'order',
      steps.map(({ name, descending }) => `${quoted(name)}.${descending ? 'desc' : 'asc'}`).join(','),
    );
  for (const [name, term] of filterParams(wanted.filters)) search.append(name, term);
  if (wanted.key.length === 0) {
    if (skip > 0) search.set('offset', String(skip));
  } else if (last !== undefined) search.set('or', `(${afterRow(steps, last).join(',')})`);
  return addressOf(api, table, search);
}

/** Conditions of which the rows behind a row meet one. NULL is last, and first where the order descends. */
function afterRow(steps: readonly Step[], last: TextRow): readonly string[] {
  return steps.flatMap((step, at) => {
    const before = steps.slice(0, at).map(({ name }) => equals(name, last[name] ?? null));
    return beyond(step, last[step.name] ?? null).map((term) => `and(${[...before, term].join(',')})`);
  });
}

const equals = (name: string, value: string | null) =>
  value === null ? `${quoted(name)}.is.null` : `${quoted(name)}.eq.${quoted(value)}`;

function beyond({ name, descending, nullable }: Step, value: string | null): readonly string[] {
  if (value === null) return descending ? [`${quoted(name)}.not.is.null`] : [];
  const further = `${quoted(name)}.${descending ? 'lt' : 'gt'}.${quoted(value)}`;
  return nullable && !descending ? [further, `${quoted(name)}.is.null`] : [further];
}
