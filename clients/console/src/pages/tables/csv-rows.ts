import { loadCode } from '../../load-code.ts';
import { type Column, kindOf } from './columns.ts';

/** A row of a file: the line that it begins at, from 1, and its cells. */
export interface FileRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface FileTable {
  readonly names: readonly string[];
  readonly rows: readonly FileRow[];
}

/** A file that has no header, or a row of another length. */
export class CsvFault extends Error {}

/** The text of a file in UTF-8, without its mark of the byte order. @throws CsvFault */
export function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CsvFault('The file is not in UTF-8. Save it as “CSV UTF-8”, and choose it again.');
  }
}

/** Reads CSV with a header. Cells keep their text: `007` stays as it is. @throws CsvFault */
export async function readCsv(file: string): Promise<FileTable> {
  // A mark of the byte order is no part of the first name.
  const text = file.replace(/^\ufeff/, '');
  const { default: papa } = await loadCode(() => import('papaparse'));
  const records: FileRow[] = [];
  let offset = 0;
  let line = 1;
  let broken: number | undefined;
  papa.parse<string[]>(text, {
    skipEmptyLines: false,
    step: ({ data, meta, errors }) => {
      const from = line;
      // A quote that is not closed takes all lines behind it into one cell.
      if (broken === undefined && errors.some(({ type }) => type === 'Quotes')) broken = from;
      // A quoted cell may hold line breaks: lines are counted in the text that the row was read from.
      for (const character of text.slice(offset, meta.cursor)) if (character === '\n') line += 1;
      offset = meta.cursor;
      if (data.length > 1 || data[0] !== '') records.push({ line: from, cells: data });
    },
  });
  if (broken !== undefined)
    throw new CsvFault(`The row at line ${broken} has a quote that is not closed, or text behind a closing quote.`);
  const [head, ...rows] = records;
  if (head === undefined) throw new CsvFault('The file is empty.');
  const names = head.cells;
  const odd = rows.find(({ cells }) => cells.length !== names.length);
  if (odd !== undefined)
    throw new CsvFault(`Line ${odd.line} has ${odd.cells.length} cells, and the header has ${names.length}.`);
  return { names, rows };
}

/** Which column of the table each column of the file goes to; null: to none. */
export type Mapping = readonly (string | null)[];

/** Columns of the same name, whatever the case. */
export const mappingOf = (names: readonly string[], columns: readonly Column[]): Mapping =>
  names.map((name) => columns.find((column) => column.name.toLowerCase() === name.trim().toLowerCase())?.name ?? null);

const shapes: Readonly<Record<string, RegExp>> = {
  number: /^\s*[-+]?(\d[\d_]*\.?\d*|\.\d+)(e[-+]?\d+)?\s*$|^(nan|[-+]?infinity)$/i,
  boolean: /^\s*(t|true|y|yes|on|1|f|false|n|no|off|0)\s*$/i,
  date: /^\s*(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|-?infinity|.*\d{4}.*)\s*$/i,
  uuid: /^\s*\{?[\da-f]{4}(-?[\da-f]{4}){7}\}?\s*$/i,
};

/** Why a text is no value of a column, as far as that can be told here; PostgreSQL decides. */
export function faultOf(column: Column, text: string): string | undefined {
  const kind = kindOf(column);
  if (kind === 'choice') return column.enumValues?.includes(text) === false ? `no value of ${column.type}` : undefined;
  if (kind === 'json') {
    try {
      JSON.parse(text);
      return undefined;
    } catch {
      return 'no JSON';
    }
  }
  const shape = shapes[column.type === 'uuid' ? 'uuid' : kind];
  return shape === undefined || shape.test(text) ? undefined : `no ${column.type}`;
}

/** Rows whose text is this long at most go in one statement, in UTF-16 units. */
const batchText = 200_000;
const batchRows = 500;

/** Parts rows into batches. */
export function batchesOf(rows: readonly FileRow[]): readonly (readonly FileRow[])[] {
  const batches: FileRow[][] = [];
  let size = batchText;
  for (const row of rows) {
    const own = row.cells.reduce((sum, cell) => sum + cell.length, 0);
    const batch = batches.at(-1);
    if (batch === undefined || size + own > batchText || batch.length >= batchRows) {
      batches.push([row]);
      size = own;
    } else {
      batch.push(row);
      size += own;
    }
  }
  return batches;
}
