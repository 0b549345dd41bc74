import type { Envelope } from './failure.ts';

type Value = unknown;

const isObject = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A result for people: lists of things as tables, one thing as names beside values. */
export function humanText(result: Value): string {
  if (typeof result === 'string') return result;
  if (Array.isArray(result)) return table(result);
  if (!isObject(result)) return String(result);
  const lists = Object.entries(result).filter(([, value]) => Array.isArray(value) && value.some(isObject));
  const rest = Object.entries(result).filter(([name]) => !lists.some(([listed]) => listed === name));
  return [
    rest.length === 0 ? '' : pairs(rest),
    ...lists.map(([name, rows]) => `${label(name)}\n${table(rows as Value[])}`),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A line of a stream for people. */
export const humanLine = (document: Value): string =>
  isObject(document)
    ? Object.entries(flat(document))
        .map(([name, value]) => `${name}=${cell(value)}`)
        .join('  ')
    : String(document);

/** A refusal for people: what went wrong, and what can be done. */
export function humanFailure({ code, message, hint, next_actions, trace_id }: Envelope): string {
  const actions = (Array.isArray(next_actions) ? next_actions : []) as {
    command?: string;
    why?: string;
    type?: string;
  }[];
  return [
    `svc: ${quiet(message)} (${code})`,
    ...(typeof hint === 'string' ? [`  ${hint}`] : []),
    ...actions.map(({ command, why, type }) => `  ${command ?? type}${why === undefined ? '' : `: ${why}`}`),
    ...(typeof trace_id === 'string' ? [`  trace ${trace_id}`] : []),
    '',
  ].join('\n');
}

const label = (name: string) => name.replaceAll('_', ' ');

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

function table(rows: readonly Value[]): string {
  if (rows.length === 0) return 'none';
  if (!rows.every(isObject)) return rows.map(cell).join('\n');
  const flattened = rows.map(flat);
  const names = [...new Set(flattened.flatMap((row) => Object.keys(row)))];
  const shown = flattened.map((row) => names.map((name) => cell(row[name])));
  const widths = names.map((name, at) => Math.max(label(name).length, ...shown.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((text, at) => text.padEnd(widths[at]!))
      .join('  ')
      .trimEnd();
  return [line(names.map(label)), line(widths.map((width) => '-'.repeat(width))), ...shown.map(line)].join('\n');
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
const quiet = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, '');

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
  const text = long(value).replace(/\p{Cc}+/gu, ' ');
  return text.length > cellMax ? `${text.slice(0, cellMax - 1)}…` : text;
}
