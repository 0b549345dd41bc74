import { refusal } from '../graph/envelope.ts';
import type { Order } from '../parts/order.ts';
import { type Column, kindOf } from './rows-columns.ts';

/** Where the rows of a project are read and written, and with which key. */
export interface Door {
  readonly path: string;
  readonly apikey: string;
}

/** A row as the database spells its values: no number is rounded, and what is read can be written again. */
export type TextRow = Readonly<Record<string, string | null>>;

export const pageSize = 50;

/** A name as the dialect takes it, whatever is in it. */
const quoted = (name: string) => `"${name.replace(/["\\]/g, '\\$&')}"`;

const addressOf = ({ path }: Door, table: string, search: URLSearchParams) =>
  `${path}/${encodeURIComponent(table)}?${search}`;

/** Which rows of a table are read. */
interface Wanted {
  readonly columns: readonly Column[];
  /** Of the primary key; where values are the same it says which row comes first, so that each is on one page. */
  readonly key: readonly string[];
  readonly order: Order;
  /** From 0 on. */
  readonly page: number;
}

/** The address of one page of rows, and of one row more, which says whether there is another page. */
export function pageAddress(door: Door, table: string, { columns, key, order, page }: Wanted): string {
  const { column, falling } = order;
  const search = new URLSearchParams({
    select: columns.map(({ name }) => `${quoted(name)}::text`).join(','),
    limit: String(pageSize + 1),
    offset: String(page * pageSize),
  });
  const ordered = column === undefined ? [] : [`${quoted(column)}.${falling ? 'desc' : 'asc'}`];
  const ties = key.filter((name) => name !== column).map((name) => `${quoted(name)}.asc`);
  if (column !== undefined) search.set('order', [...ordered, ...ties].join(','));
  return addressOf(door, table, search);
}

/** @throws an envelope */
export const readRows = (address: string, { apikey }: Door, signal: AbortSignal): Promise<readonly TextRow[]> =>
  send(address, { headers: { apikey }, signal });

/** What stands in columns from now on: null, or the text that the database reads. */
export type Values = ReadonlyMap<Column, string | null>;

/** @throws an envelope */
export async function insertRow(door: Door, table: string, values: Values): Promise<void> {
  await write(door, 'POST', table, new URLSearchParams(), values);
}

/** Changes the one row of a key. @throws an envelope, for a row that is gone as well */
export async function updateRow(door: Door, table: string, key: TextRow, values: Values): Promise<void> {
  requireOne(await write(door, 'PATCH', table, filtersOf(key), values));
}

/** @throws an envelope, for a row that is gone as well */
export async function deleteRow(door: Door, table: string, key: TextRow): Promise<void> {
  requireOne(await write(door, 'DELETE', table, filtersOf(key)));
}

/** @returns the keys of the rows that were written */
function write(
  door: Door,
  method: string,
  table: string,
  search: URLSearchParams,
  values?: Values,
): Promise<readonly object[]> {
  return send(addressOf(door, table, search), {
    method,
    headers: { apikey: door.apikey, 'content-type': 'application/json', prefer: 'return=representation' },
    ...(values === undefined ? {} : { body: bodyOf(values) }),
  });
}

/** JSON goes as it was typed, since numbers in it may be longer than a script can count. */
const bodyOf = (values: Values): string =>
  `{${[...values]
    .map(([column, value]) => {
      const spelt = value === null ? 'null' : kindOf(column) === 'json' ? value : JSON.stringify(value);
      return `${JSON.stringify(column.name)}:${spelt}`;
    })
    .join(',')}}`;

/** A key is never null. */
function filtersOf(key: TextRow): URLSearchParams {
  const names = Object.keys(key);
  return new URLSearchParams([
    ...names.map((name) => [quoted(name), `eq.${key[name]}`]),
    ['select', names.map(quoted).join(',')],
  ]);
}

function requireOne(rows: readonly object[]): void {
  if (rows.length === 0) throw { ...refusal('ROW_GONE', 'There is no such row any more.'), retryable: false };
}

/** @throws an envelope */
async function send<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, init).catch(() => undefined);
  if (response === undefined) throw refusal('NO_ANSWER', 'The gateway did not answer.');
  const body = await response.json().catch(() => undefined);
  // Half an answer is none: it was broken off, here or on its way.
  if (response.ok && body === undefined) throw refusal('NO_ANSWER', 'The gateway did not answer to the end.');
  if (response.ok) return body as Answer;
  // The database says what is wrong in up to three sentences.
  const said = [body?.message, body?.details, body?.hint].filter((one) => typeof one === 'string' && one !== '');
  throw {
    ...refusal(String(body?.code ?? response.status), said.join(' — ') || 'That did not succeed.'),
    traceId: response.headers.get('x-svc-trace-id') ?? undefined,
  };
}
