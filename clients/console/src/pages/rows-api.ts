import { refusal } from '../graph/envelope.ts';
import type { Order } from '../parts/order.ts';
import { type Column, kindOf } from './rows-columns.ts';

/** The address at which a project's rows are read and written, and the API key for it. */
export interface RowsApi {
  readonly path: string;
  readonly apikey: string;
}

/** A row with its values as PostgreSQL prints them: no number is rounded, and each value can be written again. */
export type TextRow = Readonly<Record<string, string | null>>;

export const pageSize = 50;

/** Quotes a name for the query dialect, whatever characters it contains. */
const quoted = (name: string) => `"${name.replace(/["\\]/g, '\\$&')}"`;

const addressOf = ({ path }: RowsApi, table: string, search: URLSearchParams) =>
  `${path}/${encodeURIComponent(table)}?${search}`;

/** Selects the rows of a table to read. */
interface Wanted {
  readonly columns: readonly Column[];
  /** Columns of the primary key. They break ties in the order, so that each row is on exactly one page. */
  readonly key: readonly string[];
  readonly order: Order;
  /** Starts at 0. */
  readonly page: number;
}

/** The address of one page of rows plus one more row, which shows whether there is a next page. */
export function pageAddress(api: RowsApi, table: string, { columns, key, order, page }: Wanted): string {
  const { column, falling } = order;
  const search = new URLSearchParams({
    select: columns.map(({ name }) => `${quoted(name)}::text`).join(','),
    limit: String(pageSize + 1),
    offset: String(page * pageSize),
  });
  const ordered = column === undefined ? [] : [`${quoted(column)}.${falling ? 'desc' : 'asc'}`];
  const ties = key.filter((name) => name !== column).map((name) => `${quoted(name)}.asc`);
  if (column !== undefined) search.set('order', [...ordered, ...ties].join(','));
  return addressOf(api, table, search);
}

/** @throws Envelope */
export const readRows = (address: string, { apikey }: RowsApi, signal: AbortSignal): Promise<readonly TextRow[]> =>
  send(address, { headers: { apikey }, signal });

/** New values by column: null, or text that PostgreSQL parses. */
export type Values = ReadonlyMap<Column, string | null>;

/** @throws Envelope */
export async function insertRow(api: RowsApi, table: string, values: Values): Promise<void> {
  await write(api, 'POST', table, new URLSearchParams(), values);
}

/** Changes the row with this key. @throws Envelope, also when the row no longer exists */
export async function updateRow(api: RowsApi, table: string, key: TextRow, values: Values): Promise<void> {
  requireOne(await write(api, 'PATCH', table, filtersOf(key), values));
}

/** @throws Envelope, also when the row no longer exists */
export async function deleteRow(api: RowsApi, table: string, key: TextRow): Promise<void> {
  requireOne(await write(api, 'DELETE', table, filtersOf(key)));
}

/** @returns the keys of the written rows */
function write(
  api: RowsApi,
  method: string,
  table: string,
  search: URLSearchParams,
  values?: Values,
): Promise<readonly object[]> {
  return send(addressOf(api, table, search), {
    method,
    headers: { apikey: api.apikey, 'content-type': 'application/json', prefer: 'return=representation' },
    ...(values === undefined ? {} : { body: bodyOf(values) }),
  });
}

/** JSON is sent as typed: its numbers may have more digits than a JavaScript number can hold. */
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

/** @throws Envelope */
async function send<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, init).catch(() => undefined);
  if (response === undefined) throw refusal('NO_ANSWER', 'The gateway did not answer.');
  const body = await response.json().catch(() => undefined);
  // An incomplete body is no answer: the gateway or the network broke it off.
  if (response.ok && body === undefined) throw refusal('NO_ANSWER', 'The gateway did not answer to the end.');
  if (response.ok) return body as Answer;
  // PostgreSQL's error consists of up to three sentences.
  const said = [body?.message, body?.details, body?.hint].filter((one) => typeof one === 'string' && one !== '');
  throw {
    ...refusal(String(body?.code ?? response.status), said.join(' — ') || 'That did not succeed.'),
    traceId: response.headers.get('x-svc-trace-id') ?? undefined,
  };
}
