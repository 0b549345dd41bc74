import { isObject, label, quiet, shownScalar, shownTime, usd } from './human-values.ts';

export interface TableOptions {
  /** Of the terminal, in characters. */
  readonly width: number;
  /** Whether the rows are a project's own data: no column is left out, and each keeps its name. @default false */
  readonly isData?: boolean;
  /** Columns in order; others appear only in JSON. @default in the order of the rows */
  readonly names?: readonly string[] | undefined;
}

/** A column: its heading and its cells. */
interface Column {
  readonly title: string;
  /** The lines of each cell. */
  readonly cells: readonly (readonly string[])[];
  readonly width: number;
  /** A nested member, or an id that is the same in all rows: left out first. */
  readonly isMinor: boolean;
}

/** Maximum widths of a text, in characters. A table that is too wide uses the next smaller one. */
const cellWidths = [48, 32, 24];

/** Maximum number of lines of a cell. A longer text appears in JSON, or below its name. */
const cellLinesMax = 6;

/** Minimum length of an id. Shorter values may be equal by chance. */
const idLength = 26;

/** Formats rows as a table that is at most as wide as the terminal. */
export function table(rows: readonly unknown[], { width, isData = false, names }: TableOptions): string {
  if (!rows.every(isObject)) return rows.map((row) => oneLine(shownScalar(row))).join('\n');
  const told = isData ? rows : rows.map(flat);
  const every = [...new Set([...(names ?? []), ...told.flatMap((row) => Object.keys(row))])];
  const all = every.filter((name) => isData || !told.every((row) => isEmpty(row[name])));
  const shown = names === undefined ? all : all.filter((name) => names.includes(name));
  const unchosen = all.filter((name) => !shown.includes(name));
  const isNested = (name: string) => !isData && told.some((row) => !isSimple(row[name]));
  const texts = shown.filter((name) => !isNested(name)).map((name) => textsOf(name, told, isData));
  const isLong = ({ cells }: Texts) => cells.some((text) => text.length > cellWidths[0]! * cellLinesMax);
  for (const widest of cellWidths) {
    const columns = texts.map((one) => columnOf(one, widest));
    const kept = isData ? columns : withoutEchoes(columns);
    if (fits(kept, width) && !(isData && texts.some(isLong)))
      return drawn(kept, width, left([...unchosen, ...shown.filter(isNested)], texts.filter(isLong)));
  }
  if (isData) return records(texts);
  const columns = withoutEchoes(texts.map((one) => columnOf(one, cellWidths.at(-1)!)));
  const kept = fitting(columns, width);
  const gone = columns.filter((column) => !kept.includes(column)).map(({ title }) => title);
  return drawn(kept, width, [...gone, ...left([...unchosen, ...shown.filter(isNested)], texts.filter(isLong))]);
}

const left = (nested: readonly string[], cut: readonly Texts[]): readonly string[] => [
  ...nested.map(label),
  ...cut.map(({ title }) => title),
];

interface Texts {
  readonly title: string;
  readonly cells: readonly string[];
  readonly isMinor: boolean;
}

function textsOf(name: string, rows: readonly Readonly<Record<string, unknown>>[], isData: boolean): Texts {
  const found = isData ? undefined : rows.map((row) => usd(name, row[name])).find((one) => one !== undefined);
  if (found !== undefined)
    return { title: found[0], cells: rows.map((row) => usd(name, row[name])?.[1] ?? '-'), isMinor: false };
  const cells = rows.map((row) => cellText(row[name], isData));
  const isSame = cells.length > 1 && cells.every((text) => text === cells[0] && text.length >= idLength);
  return { title: isData ? oneLine(name) : label(name), cells, isMinor: isSame || name.includes('.') };
}

const cellText = (value: unknown, isData: boolean): string => {
  const text = Array.isArray(value) && !isData ? value.map(shownScalar).join(', ') || '-' : shownScalar(value);
  return shownTime(oneLine(text));
};

/** Text of others may contain control characters. They must neither break the table nor control the terminal. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

const isSimple = (value: unknown): boolean =>
  Array.isArray(value)
    ? !value.some((one) => typeof one === 'object')
    : !isObject(value) || Object.keys(value).length === 0;

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

function columnOf({ title, cells, isMinor }: Texts, widest: number): Column {
  const lines = cells.map((text) => wrapped(text, widest));
  return {
    title,
    cells: lines,
    width: Math.max(title.length, ...lines.flat().map(({ length }) => length)),
    isMinor,
  };
}

/** Wraps a text at blanks. Ids and addresses are copied, so they are broken only beyond the maximum word length. */
export function wrapped(text: string, widest: number, linesMax = cellLinesMax): readonly string[] {
  if (text.length <= widest) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap(pieces)) {
    if (line !== '' && line.length + 1 + word.length > widest) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.length <= linesMax ? lines : [...lines.slice(0, linesMax - 1), `${lines[linesMax - 1]}…`];
}

/** Longest word that is not broken, in characters. */
const wordMax = 72;

const pieces = (word: string): readonly string[] =>
  word.length <= wordMax ? [word] : (word.match(/.{1,48}/gu) ?? [word]);

/** Removes columns that repeat an earlier one. */
const withoutEchoes = (columns: readonly Column[]): readonly Column[] =>
  columns.filter(
    ({ cells }, at) =>
      !(
        cells.every(([text = '']) => text.length >= idLength) &&
        columns.slice(0, at).some((before) => before.cells.every(([text], row) => text === cells[row]![0]))
      ),
  );

const widthOf = (columns: readonly Column[]): number => columns.reduce((sum, column) => sum + column.width + 2, -2);

const fits = (columns: readonly Column[], width: number): boolean => widthOf(columns) <= width;

/** As many columns as fit, in order. Nested ones are left out first, the last of them before others. */
function fitting(columns: readonly Column[], width: number): readonly Column[] {
  const kept: Column[] = [];
  for (const column of columns.toSorted((a, b) => Number(a.isMinor) - Number(b.isMinor))) {
    if (kept.length > 0 && !fits([...kept, column], width)) break;
    kept.push(column);
  }
  return columns.filter((column) => kept.includes(column));
}

function drawn(columns: readonly Column[], width: number, leftOut: readonly string[]): string {
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => text.padEnd(columns[at]!.width))
      .join('  ')
      .trimEnd();
  const height = columns[0]?.cells.length ?? 0;
  const rowLines = (row: number) => {
    const tall = Math.max(...columns.map(({ cells }) => cells[row]!.length));
    return Array.from({ length: tall }, (_, at) => line(columns.map(({ cells }) => cells[row]![at] ?? '')));
  };
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map((column) => '-'.repeat(column.width))),
    ...Array.from({ length: height }, (_, row) => rowLines(row)).flat(),
    ...(leftOut.length === 0 ? [] : [leftOutLine(leftOut, width)]),
  ].join('\n');
}

function leftOutLine(titles: readonly string[], width: number): string {
  const line = `(--json has more: ${titles.join(', ')})`;
  return line.length <= width ? line : `${line.slice(0, width - 2).replace(/,[^,]*$/, '')}, …)`;
}

/** Rows that fit no table, each as names beside values. */
function records(columns: readonly Texts[]): string {
  const widest = Math.max(...columns.map(({ title }) => title.length));
  const count = columns[0]?.cells.length ?? 0;
  return Array.from({ length: count }, (_, row) =>
    [`row ${row + 1}`, ...columns.map(({ title, cells }) => `  ${title.padEnd(widest)}  ${quiet(cells[row]!)}`)].join(
      '\n',
    ),
  ).join('\n\n');
}

/** Maximum number of members of a nested object that is flattened into its row. */
const flatMax = 12;

/** Flattens nested objects by one level, so that a table can show their members. */
const flat = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      isObject(value) && Object.keys(value).length <= flatMax
        ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[name, value]],
    ),
  );
