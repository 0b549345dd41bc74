import type { Envelope } from './failure.ts';

type Value = unknown;

const isObject = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A result for people: lists of things as tables, one thing as names beside values.
 *
 * @param width of the terminal, in characters; what does not fit of a table is left to JSON
 */
export function humanText(result: Value, width: number): string {
  if (typeof result === 'string') return quiet(result);
  if (Array.isArray(result)) return table(result, width);
  if (!isObject(result)) return String(result);
  const lists = Object.entries(result).filter(([, value]) => Array.isArray(value) && value.some(isObject));
  const rest = Object.entries(result).filter(([name]) => !lists.some(([listed]) => listed === name));
  return [
    rest.length === 0 ? '' : pairs(rest),
    ...lists.map(([name, rows]) => `${label(name)}\n${table(rows as Value[], width)}`),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A line of a stream for people. */
export const humanLine = (document: Value): string =>
  isObject(document)
    ? Object.entries(flat(document))
        .map(([name, value]) => `${cell(name)}=${cell(value)}`)
        .join('  ')
    : String(document);

/** A refusal for people: what went wrong, and what can be done. */
export function humanFailure({ code, message, hint, next_actions, trace_id }: Envelope): string {
  const actions = (Array.isArray(next_actions) ? next_actions : []) as {
    command?: string;
    why?: string;
    type?: string;
  }[];
  const text = [
    `svc: ${message} (${code})`,
    ...(typeof hint === 'string' ? [`  ${hint}`] : []),
    ...actions.map(({ command, why, type }) => `  ${command ?? type}${why === undefined ? '' : `: ${why}`}`),
    ...(typeof trace_id === 'string' ? [`  trace ${trace_id}`] : []),
    '',
  ].join('\n');
  // Whoever answers may be another than the gateway.
  return quiet(text);
}

/** Columns of a project’s tables may be called anything. */
const label = (name: string) => name.replaceAll('_', ' ').replace(/\p{Cc}+/gu, ' ');

const pairs = (entries: readonly (readonly [string, Value])[]): string => {
  const widest = Math.max(...entries.map(([name]) => label(name).length));
  return entries
    .map(([name, value]) => {
      const text =
        isObject(value) && Object.keys(value).length > 0
          ? pairs(Object.entries(value)).replaceAll('\n', `\n${' '.repeat(widest + 2)}`)
          : long(value);
      return `${label(name).padEnd(widest)}  ${text}`;
    })
    .join('\n');
};

const cellMax = 48;

/** A moment, of which a table shows the day and the second. */
const isoTime = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

/** What a table has as a heading and in each row. */
interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  readonly width: number;
  /** A member of a member, or an id that all rows have: the first to be left out. */
  readonly isMinor: boolean;
}

/** Rows below each other, as wide as the terminal at most. */
export function table(rows: readonly Value[], width: number): string {
  if (rows.length === 0) return 'none';
  if (!rows.every(isObject)) return rows.map(cell).join('\n');
  const flattened = rows.map(flat);
  const names = [...new Set(flattened.flatMap((row) => Object.keys(row)))];
  const all = names
    .filter((name) => !flattened.every((row) => isEmpty(row[name])))
    .map((name, at): Column => {
      const cells = flattened.map((row) => cell(row[name]));
      const title = label(name);
      const isSame = at > 0 && cells.every((text) => text === cells[0] && text.length >= idLength);
      return {
        title,
        cells,
        width: Math.max(title.length, ...cells.map(({ length }) => length)),
        isMinor: isSame || name.includes('.'),
      };
    });
  const columns = fitting(withoutEchoes(all), width);
  const line = (text: (column: Column) => string) =>
    columns
      .map((column) => text(column).padEnd(column.width))
      .join('  ')
      .trimEnd();
  const left = all.filter((column) => !columns.includes(column)).map(({ title }) => title);
  return [
    line(({ title }) => title),
    line((column) => '-'.repeat(column.width)),
    ...rows.map((_row, at) => line(({ cells }) => cells[at]!)),
    ...(left.length === 0 ? [] : [`(--json has more: ${left.join(', ')})`]),
  ].join('\n');
}

const isEmpty = (value: Value): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Ids are that long at least; what is shorter may be alike by chance. */
const idLength = 26;

/** Columns but for those that say again what one before them says. */
const withoutEchoes = (columns: readonly Column[]): readonly Column[] =>
  columns.filter(
    ({ cells }, at) =>
      !(
        cells.every(({ length }) => length >= idLength) &&
        columns.slice(0, at).some((before) => before.cells.every((text, row) => text === cells[row]))
      ),
  );

/** As many columns as fit, in their order: those of members of members go first, and the last of them before others. */
function fitting(columns: readonly Column[], width: number): readonly Column[] {
  let left = width + 2;
  const kept = new Set<Column>();
  for (const column of columns.toSorted((a, b) => Number(a.isMinor) - Number(b.isMinor))) {
    left -= column.width + 2;
    if (left < 0 && kept.size > 0) break;
    kept.add(column);
  }
  return columns.filter((column) => kept.has(column));
}

/** Members of members one step down, so that a row of a stream or a table shows them. */
const flat = (row: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      isObject(value) && Object.keys(value).length <= 12
        ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[name, value]],
    ),
  );

/** A text without what would tell a terminal to do something; lines and tabs stay. */
export const quiet = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, '');

const long = (value: Value): string =>
  value === null || value === undefined
    ? '-'
    : typeof value === 'string'
      ? quiet(value)
      : isObject(value) || Array.isArray(value)
        ? JSON.stringify(value)
        : String(value);

function cell(value: Value): string {
  // What others wrote may hold anything; a table stays one, and a terminal is told nothing by it.
  const text = long(value)
    .replace(/\p{Cc}+/gu, ' ')
    .replace(isoTime, '$1 $2');
  return text.length > cellMax ? `${text.slice(0, cellMax - 1)}…` : text;
}
