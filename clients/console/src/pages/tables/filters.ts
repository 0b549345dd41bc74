import { type Column, canCompare, kindOf } from './columns.ts';
import { quoted } from './names.ts';

/** A condition that rows have to meet. */
export interface Filter {
  readonly column: string;
  readonly operator: string;
  readonly value: string;
}

interface Operator {
  readonly name: string;
  /** Whether it takes a value. @default true */
  readonly takes?: boolean;
  readonly fits: (column: Column) => boolean;
  /** In the query dialect of rows. */
  readonly term: (value: string) => string;
}

const anyText = (value: string) => `%${value.replace(/[%_\\]/g, '\\$&')}%`;
const isText = (column: Column) => kindOf(column) === 'text';

/** Operators by id, as the address names them. */
export const operators: Readonly<Record<string, Operator>> = {
  eq: { name: 'is', fits: canCompare, term: (value) => `eq.${value}` },
  neq: { name: 'is not', fits: canCompare, term: (value) => `neq.${value}` },
  contains: { name: 'contains', fits: isText, term: (value) => `ilike.${anyText(value)}` },
  like: { name: 'is like', fits: isText, term: (value) => `like.${value}` },
  gt: { name: '>', fits: canCompare, term: (value) => `gt.${value}` },
  gte: { name: '≥', fits: canCompare, term: (value) => `gte.${value}` },
  lt: { name: '<', fits: canCompare, term: (value) => `lt.${value}` },
  lte: { name: '≤', fits: canCompare, term: (value) => `lte.${value}` },
  in: {
    name: 'is one of',
    fits: canCompare,
    term: (value) =>
      `in.(${value
        .split(',')
        .map((one) => quoted(one.trim()))
        .join(',')})`,
  },
  null: { name: 'is NULL', takes: false, fits: () => true, term: () => 'is.null' },
  notnull: { name: 'is not NULL', takes: false, fits: () => true, term: () => 'not.is.null' },
};

/** Reads filters from the address. One that does not fit the table is left out. */
export function filtersFrom(text: string, columns: readonly Column[]): readonly Filter[] {
  const listed = parsed(text);
  return listed.flatMap((one) => {
    if (!Array.isArray(one) || one.length !== 3 || !one.every((part) => typeof part === 'string')) return [];
    const [name, operator, value] = one as [string, string, string];
    const column = columns.find((each) => each.name === name);
    return column !== undefined && operators[operator]?.fits(column) === true
      ? [{ column: name, operator, value }]
      : [];
  });
}

/** Writes filters for the address; the empty text for none. */
export const filtersText = (filters: readonly Filter[]): string =>
  filters.length === 0 ? '' : JSON.stringify(filters.map(({ column, operator, value }) => [column, operator, value]));

/** Filters as parameters of a request for rows. */
export const filterParams = (filters: readonly Filter[]): readonly (readonly [string, string])[] =>
  filters.map(({ column, operator, value }) => [quoted(column), operators[operator]!.term(value)]);

/** Names in the address, such as those of hidden columns. */
export const namesFrom = (text: string): readonly string[] =>
  parsed(text).filter((one): one is string => typeof one === 'string');

export const namesText = (names: readonly string[]): string => (names.length === 0 ? '' : JSON.stringify(names));

/** The address can be typed by hand. */
function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
