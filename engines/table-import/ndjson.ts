import { ExactNumber, isJsonObject, parseExactJson } from '../../core/exact-json.ts';
import { FileFault, type OpenedFile } from './csv.ts';
import { cutRecords, type FileRecord, type RawRecord, textOf } from './records.ts';

type Read = { readonly row: Record<string, unknown> } | { readonly line: number; readonly reason: string };

/**
 * Reads a file with an object of JSON in each line. Members are values of the columns of their names; what an object
 * lacks is null.
 *
 * @param columns those of the first object, unless told
 * @throws FileFault
 */
export async function openNdjson(
  chunks: AsyncIterable<Uint8Array>,
  columns: readonly string[] | undefined,
): Promise<OpenedFile> {
  const raw = cutRecords(chunks, { quoted: false });
  const before: RawRecord[] = [];
  let names = columns;
  while (names === undefined) {
    const next = await raw.next();
    if (next.done === true) throw new FileFault(1, 'The file holds no object that names the columns.');
    before.push(next.value);
    if (isBlank(next.value)) continue;
    const read = readLine(next.value);
    if ('reason' in read) throw new FileFault(read.line, read.reason);
    names = Object.keys(read.row);
  }
  const known = names;
  async function* records(): AsyncGenerator<FileRecord> {
    for (const record of before) if (!isBlank(record)) yield rowOf(record, known);
    for await (const record of raw) if (!isBlank(record)) yield rowOf(record, known);
  }
  return { columns: known, records: records() };
}

const isBlank = ({ bytes }: RawRecord): boolean => bytes !== null && bytes.toString('latin1').trim() === '';

function readLine(record: RawRecord): Read {
  const { line } = record;
  const text = textOf(record);
  if ('reason' in text) return text;
  try {
    const row = parseExactJson(text.text);
    return isJsonObject(row) ? { row } : { line, reason: 'It is no object of JSON.' };
  } catch {
    return { line, reason: 'It is no JSON.' };
  }
}

function rowOf(record: RawRecord, columns: readonly string[]): FileRecord {
  const { line } = record;
  const read = readLine(record);
  if ('reason' in read) return read;
  const unknown = Object.keys(read.row).find((name) => !columns.includes(name));
  if (unknown !== undefined) return { line, reason: `It has a member that is no column: ${unknown.slice(0, 100)}.` };
  const values = columns.map((name) => (Object.hasOwn(read.row, name) ? textOfValue(read.row[name]) : null));
  // What JSON can say and no text of PostgreSQL holds.
  if (values.some((value) => value?.includes('\0') === true)) return { line, reason: 'It holds a NUL.' };
  if (values.some((value) => value?.isWellFormed() === false)) return { line, reason: 'It holds half of a character.' };
  return { line, values };
}

function textOfValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber) return String(value);
  return JSON.stringify(value);
}
