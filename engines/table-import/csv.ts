import { cutRecords, type FileRecord, type RejectedLine, textOf } from './records.ts';

export interface CsvOptions {
  /** One character between values. */
  readonly delimiter: string;
  /** Whether the first record names the columns. */
  readonly header: boolean;
  /** The columns, where the file does not name them, or others than it names. */
  readonly columns?: readonly string[] | undefined;
}

/** A file as it is read: its columns, and then its rows. */
export interface OpenedFile {
  readonly columns: readonly string[];
  readonly records: AsyncIterable<FileRecord>;
}

/** The file cannot be read at all. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Reads CSV as RFC 4180 has it. An empty value without quotes is none. @throws FileFault */
export async function openCsv(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, header, columns }: CsvOptions,
): Promise<OpenedFile> {
  const raw = cutRecords(chunks, { quoted: true });
  let names = columns;
  if (header) {
    const first = await raw.next();
    if (first.done === true) throw new FileFault(1, 'The file is empty.');
    const text = textOf(first.value);
    const values = 'reason' in text ? text : valuesOf(text.text, delimiter, first.value.line);
    if (!Array.isArray(values)) throw new FileFault(1, (values as RejectedLine).reason);
    names ??= values.map((value) => value ?? '');
  }
  if (names === undefined) throw new FileFault(1, 'The file names no columns, so they have to be given.');
  const width = names.length;
  async function* records(): AsyncGenerator<FileRecord> {
    for await (const record of raw) {
      if (record.bytes?.length === 0) continue;
      const text = textOf(record);
      if ('reason' in text) {
        yield text;
        continue;
      }
      const { line } = record;
      const values = valuesOf(text.text, delimiter, line);
      if (!Array.isArray(values)) yield values as RejectedLine;
      else if (values.length !== width)
        yield {
          line,
          reason: `It has ${values.length} ${values.length === 1 ? 'value' : 'values'} for ${width} columns.`,
        };
      else yield { line, values };
    }
  }
  return { columns: names, records: records() };
}

/** The values of a record, or why it has none. */
function valuesOf(text: string, delimiter: string, line: number): (string | null)[] | RejectedLine {
  const values: (string | null)[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      const [value, end] = quotedAt(text, at);
      if (end === -1) return { line, reason: 'A quotation has no end.' };
      if (end < text.length && text[end] !== delimiter)
        return { line, reason: 'Something stands between a quotation and the next value.' };
      values.push(value);
      at = end;
    } else {
      const next = text.indexOf(delimiter, at);
      const end = next === -1 ? text.length : next;
      const value = text.slice(at, end);
      if (value.includes('"')) return { line, reason: 'A quotation begins in the middle of a value.' };
      values.push(value === '' ? null : value);
      at = end;
    }
    if (at >= text.length) return values;
    at += delimiter.length;
    if (at === text.length) return [...values, null];
  }
}

/** A quoted value, and where it ends: -1 where it does not. */
function quotedAt(text: string, from: number): [value: string, end: number] {
  let value = '';
  for (let at = from + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end === -1) return ['', -1];
    value += text.slice(at, end);
    if (text[end + 1] !== '"') return [value, end + 1];
    value += '"';
    at = end + 2;
  }
}
