import { invalidField, ServiceError } from '../../../core/errors.ts';
import type { PlaceTerm, Where } from '../plan/read-node.ts';
import type { OrderTerm } from '../request/order.ts';
import type { Window } from '../request/query.ts';
import type { GraphColumn, GraphTable } from './graph-model.ts';
import { isOrdered } from './model.ts';
import type { Cursors } from './plan-state.ts';
import type { Args, JsonRow } from './selected-field.ts';

/** Rows of a page when nothing is said, and at most: what the cost of a document counts with. */
const defaultPage = 50;
const pageMax = 200;

export const orders = {
  ASC: { descending: false, nullsFirst: false },
  ASC_NULLS_FIRST: { descending: false, nullsFirst: true },
  ASC_NULLS_LAST: { descending: false, nullsFirst: false },
  DESC: { descending: true, nullsFirst: true },
  DESC_NULLS_FIRST: { descending: true, nullsFirst: true },
  DESC_NULLS_LAST: { descending: true, nullsFirst: false },
} as const;

interface Way {
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

interface Term extends Way {
  readonly column: GraphColumn;
}

/** Which rows of a list are shown, and how a place among them is told. */
export interface Page {
  readonly order: readonly OrderTerm[];
  /** Cuts off what lies before or behind a cursor. */
  readonly where: readonly Where[];
  readonly window: Window;
  /** Columns whose values are a row's place; undefined: it is its number. */
  readonly place: readonly GraphColumn[] | undefined;
  /** Puts what was read in the order of the list, and says what lies around it. */
  readonly cut: (rows: readonly JsonRow[]) => Cut;
  /** The cursor of a row. @param place its values of {@link place}, as texts */
  readonly cursorOf: (place: readonly (string | null)[], index: number) => string;
}

export interface Cut {
  /** Those of the page, in the order of the list. */
  readonly rows: readonly JsonRow[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

/**
 * Reads the arguments of a connection.
 *
 * @param keyed whether rows of the list are each there once, so that the table's key tells them apart
 * @throws VALIDATION_FAILED, INVALID_CURSOR
 */
export function pageOf(table: GraphTable, args: Args, cursors: Cursors, keyed: boolean): Page {
  const first = countOf(args, 'first');
  const last = countOf(args, 'last');
  if (first !== undefined && last !== undefined) throw invalidField('last', 'goes without first');
  const key = keyed ? table.key : undefined;
  const terms = termsOf(table, args.orderBy, key);
  const view = viewOf(table, terms, key === undefined);
  const open = (name: 'after' | 'before') => {
    const cursor = args[name];
    if (cursor === null || cursor === undefined) return undefined;
    const position = cursors.open(view, cursor as string);
    if (position === undefined) throw new ServiceError('INVALID_CURSOR', { details: { field: name } });
    return JSON.parse(position) as unknown;
  };
  const asked = {
    count: first ?? last ?? defaultPage,
    backward: last !== undefined,
    after: open('after'),
    before: open('before'),
  };
  const seal = (position: unknown) => cursors.seal(view, JSON.stringify(position));
  return key === undefined ? numbered(terms, asked, seal) : keyedPage(terms, asked, seal);
}

interface PageArguments {
  readonly count: number;
  readonly backward: boolean;
  readonly after: unknown;
  readonly before: unknown;
}

type Seal = (position: unknown) => string;

function keyedPage(terms: readonly Term[], { count, backward, after, before }: PageArguments, seal: Seal): Page {
  const ways = backward ? terms.map(reversed) : terms;
  return {
    order: ways.map(orderTerm),
    where: [
      ...(after === undefined ? [] : [afterPlace(terms, after)]),
      ...(before === undefined ? [] : [afterPlace(terms.map(reversed), before)]),
    ],
    window: { limit: count + 1, offset: 0 },
    place: terms.map(({ column }) => column),
    cut(rows) {
      const shown = rows.slice(0, count);
      const more = rows.length > count;
      return {
        rows: backward ? shown.reverse() : shown,
        hasNext: backward ? before !== undefined : more,
        hasPrevious: backward ? more : after !== undefined,
      };
    },
    cursorOf: (place) => seal(place),
  };
}

/** Rows that nothing tells apart go by their number. */
function numbered(terms: readonly Term[], { count, backward, after, before }: PageArguments, seal: Seal): Page {
  const from = after === undefined ? 0 : numberOf(after) + 1;
  const to = before === undefined ? undefined : numberOf(before);
  if (backward && to === undefined)
    throw invalidField('last', 'needs before, since the rows of this list are told apart by their number alone');
  const start = backward ? Math.max(from, to! - count) : from;
  const end = Math.min(start + count, to ?? Number.POSITIVE_INFINITY);
  const shown = Math.max(0, end - start);
  return {
    order: terms.map(orderTerm),
    where: [],
    window: { limit: shown + 1, offset: start },
    place: undefined,
    cut: (rows) => ({ rows: rows.slice(0, shown), hasNext: rows.length > shown, hasPrevious: start > 0 }),
    cursorOf: (_place, index) => seal(start + index),
  };
}

const numberOf = (position: unknown): number => position as number;

function countOf(args: Args, name: 'first' | 'last'): number | undefined {
  const count = args[name];
  if (count === null || count === undefined) return undefined;
  if ((count as number) < 1) throw invalidField(name, 'must be at least 1');
  return Math.min(count as number, pageMax);
}

const reversed = ({ column, descending, nullsFirst }: Term): Term => ({
  column,
  descending: !descending,
  nullsFirst: !nullsFirst,
});

const orderTerm = ({ column, descending, nullsFirst }: Term): OrderTerm => ({
  relation: undefined,
  field: { name: column.column.name, path: [] },
  direction: descending ? 'desc' : 'asc',
  // As PostgreSQL takes it by itself, so that an index serves it; where there are no nulls it does not matter.
  nulls: !column.column.nullable || nullsFirst === descending ? undefined : nullsFirst ? 'first' : 'last',
});

/** The order that is asked for, and behind it what makes it one: the key, or else every column that has an order. */
function termsOf(table: GraphTable, asked: unknown, key: readonly GraphColumn[] | undefined): Term[] {
  const terms: Term[] = [];
  const add = (column: GraphColumn, way: Way) => {
    if (!terms.some((term) => term.column === column)) terms.push({ column, ...way });
  };
  for (const one of (asked ?? []) as readonly Args[]) {
    const [name, way] = Object.entries(one)[0]!;
    const column = table.readable.find((other) => other.name === name)!;
    add(column, orders[way as keyof typeof orders]);
  }
  const last = terms.at(-1)?.descending ?? false;
  const rest = key ?? table.readable.filter(isOrdered);
  for (const column of rest) add(column, key === undefined ? orders.ASC : last ? orders.DESC : orders.ASC);
  return terms;
}

/** A cursor is good for the order that it was given out for, whatever the filter is by then. */
const viewOf = ({ table }: GraphTable, terms: readonly Term[], isNumbered: boolean): string =>
  JSON.stringify([table.name, isNumbered, terms.map(({ column, ...way }) => [column.column.name, way])]);

const afterPlace = (terms: readonly Term[], position: unknown): Where => ({
  kind: 'after',
  place: terms.map(
    ({ column, descending, nullsFirst }, index): PlaceTerm => ({
      field: { name: column.column.name, path: [] },
      column: column.column,
      descending,
      nullsFirst,
      value: (position as readonly (string | null)[])[index] ?? null,
    }),
  ),
});
