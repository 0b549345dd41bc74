import { changePreference } from '../../../../sdk/src/row-dialect.ts';
import { type Envelope, refusal } from '../../graph/envelope.ts';
import { type Column, canCompare, kindOf } from './columns.ts';
import { quoted } from './names.ts';

/** The address at which a project's rows are read and written, and the API key for it. */
export interface RowsApi {
  readonly path: string;
  readonly apikey: string;
}

/** A row with its values as PostgreSQL prints them: no number is rounded, and each value can be written again. */
export type TextRow = Readonly<Record<string, string | null>>;

/** New values by column: null, or text that PostgreSQL parses. */
export type Values = ReadonlyMap<Column, string | null>;

/** The address of a table's rows. */
export const addressOf = ({ path }: RowsApi, table: string, search: URLSearchParams): string =>
  `${path}/${encodeURIComponent(table)}?${search}`;

/** @throws Envelope */
export const readRows = async (
  address: string,
  { apikey }: RowsApi,
  signal: AbortSignal,
): Promise<readonly TextRow[]> => (await send<readonly TextRow[]>(address, { headers: { apikey }, signal })).body;

/**
 * Reads a page of rows, and asks how many there are. The planner estimates that: to count ten million rows would take
 * seconds.
 *
 * @throws Envelope
 */
export async function readFirstRows(address: string, { apikey }: RowsApi, signal: AbortSignal) {
  const { body, range } = await send<readonly TextRow[]>(address, {
    headers: { apikey, prefer: 'count=planned' },
    signal,
  });
  const total = Number(/\/(\d+)$/.exec(range ?? '')?.[1] ?? Number.NaN);
  return { rows: body, estimate: Number.isNaN(total) ? undefined : total };
}

/** Every value of one row, whole. @returns undefined when the row no longer exists @throws Envelope */
export async function wholeRow(
  api: RowsApi,
  table: string,
  key: TextRow,
  columns: readonly Column[],
): Promise<TextRow | undefined> {
  const search = new URLSearchParams(filtersOf(key));
  search.set('select', columns.map(({ name }) => `${quoted(name)}::text`).join(','));
  search.set('limit', '1');
  return (await send<readonly TextRow[]>(addressOf(api, table, search), { headers: { apikey: api.apikey } })).body[0];
}

/** @throws Envelope */
export async function insertRow(api: RowsApi, table: string, values: Values): Promise<void> {
  await write(api, 'POST', table, new URLSearchParams(), { values });
}

/** What a change found when the row was no longer as it was seen. */
export interface Conflict {
  /** The row as it is now; undefined when it no longer exists. */
  readonly now: TextRow | undefined;
}

/**
 * Changes the row with this key, as long as the changed columns still have the values that were seen. A change that is
 * sent again after a lost answer therefore takes effect once.
 *
 * @param seen values of the row before the change, whole
 * @returns a conflict when the row has changed meanwhile
 * @throws Envelope
 */
export async function updateRow(
  api: RowsApi,
  table: string,
  key: TextRow,
  seen: TextRow,
  values: Values,
): Promise<Conflict | undefined> {
  const columns = [...values.keys()].filter(({ name }) => !(name in key));
  const inAddress = (column: Column, value: string | null | undefined) =>
    canCompare(column) && (value?.length ?? 0) <= addressedMost;
  const compared = columns.filter((column) => inAddress(column, seen[column.name]));
  const isOurs = async () => {
    const isAddressed = [...values].every(([column, value]) => inAddress(column, value));
    return isAddressed && (await hasValues(api, table, key, values));
  };
  // A value that no address can hold is compared here, a moment before.
  if (compared.length < columns.length) {
    const now = await wholeRow(api, table, key, columns);
    if (now === undefined) return { now };
    if ([...values].every(([{ name }, value]) => now[name] === value)) return undefined;
    if (columns.some(({ name }) => now[name] !== (seen[name] ?? null))) return (await isOurs()) ? undefined : { now };
  }
  const search = new URLSearchParams([...filtersOf(key), ...compared.map(({ name }) => condition(name, seen[name]))]);
  search.set('select', Object.keys(key).map(quoted).join(','));
  if ((await write(api, 'PATCH', table, search, { values, most: 1 })).length > 0 || (await isOurs())) return undefined;
  return { now: await wholeRow(api, table, key, columns) };
}

/** The longest value that a request names in its address, in UTF-16 units. */
const addressedMost = 1_000;

const condition = (name: string, value: string | null | undefined): [string, string] => [
  quoted(name),
  value == null ? 'is.null' : `eq.${value}`,
];

/** Whether a row has these values, however PostgreSQL spells them. */
async function hasValues(api: RowsApi, table: string, key: TextRow, values: Values): Promise<boolean> {
  const search = new URLSearchParams([
    ...filtersOf(key),
    ...[...values].map(([{ name }, value]) => condition(name, value)),
  ]);
  search.set('select', Object.keys(key).map(quoted).join(','));
  search.set('limit', '1');
  const found = await send<readonly object[]>(addressOf(api, table, search), { headers: { apikey: api.apikey } });
  return found.body.length > 0;
}

/** Deletes rows by their keys. @returns how many there still were @throws Envelope */
export async function deleteRows(api: RowsApi, table: string, keys: readonly TextRow[]): Promise<number> {
  let gone = 0;
  for (let from = 0; from < keys.length; from += deletedAtOnce) {
    const search = new URLSearchParams();
    const some = keys.slice(from, from + deletedAtOnce);
    const alternatives = some.map(
      (key) =>
        `and(${Object.entries(key)
          .map(([name, value]) => `${quoted(name)}.eq.${quoted(value!)}`)
          .join(',')})`,
    );
    search.set('or', `(${alternatives.join(',')})`);
    search.set('select', Object.keys(keys[0]!).map(quoted).join(','));
    gone += (await write(api, 'DELETE', table, search, { most: some.length })).length;
  }
  return gone;
}

/** Rows that one request deletes: more would make its address too long. */
const deletedAtOnce = 25;

/**
 * @param options `most` rows are changed; a change of more is undone. It stands in place of the project's own bound.
 * @returns the keys of the written rows
 */
async function write(
  api: RowsApi,
  method: string,
  table: string,
  search: URLSearchParams,
  { values, most }: { readonly values?: Values; readonly most?: number },
): Promise<readonly object[]> {
  const { body } = await send<readonly object[]>(addressOf(api, table, search), {
    method,
    headers: { apikey: api.apikey, 'content-type': 'application/json', prefer: changePreference(most) },
    ...(values === undefined ? {} : { body: bodyOf(values) }),
  });
  return body;
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
const filtersOf = (key: TextRow): [string, string][] =>
  Object.keys(key).map((name) => [quoted(name), `eq.${key[name]}`]);

/** @throws Envelope */
async function send<Answer>(
  address: string,
  init: RequestInit,
): Promise<{ readonly body: Answer; readonly range: string | null }> {
  const response = await fetch(address, init).catch(() => undefined);
  if (response === undefined) throw refusal('NO_ANSWER', 'The gateway did not answer.');
  const body = await response.json().catch(() => undefined);
  // An incomplete body is no answer: the gateway or the network broke it off.
  if (response.ok && body === undefined) throw refusal('NO_ANSWER', 'The gateway did not answer to the end.');
  if (response.ok) return { body: body as Answer, range: response.headers.get('content-range') };
  // A proxy in front of a gateway that is away answers for it.
  if (body === undefined && response.status >= 502) throw refusal('NO_ANSWER', 'The gateway did not answer.');
  // PostgreSQL's error consists of up to three sentences.
  const said = [body?.message, body?.details, body?.hint].filter((one) => typeof one === 'string' && one !== '');
  const refused: Envelope = {
    ...refusal(String(body?.code ?? response.status), said.join(' — ') || 'That did not succeed.'),
    traceId: response.headers.get('x-svc-trace-id') ?? undefined,
  };
  throw refused;
}
