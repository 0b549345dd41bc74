/** A line of a file that holds no row, and why. */
export interface RejectedLine {
  /** From 1; of a record of several lines the first. */
  readonly line: number;
  readonly reason: string;
}

/** A row as a file has it: the texts of its values, null for none. */
export interface FileRow {
  readonly line: number;
  readonly values: readonly (string | null)[];
}

export type FileRecord = FileRow | RejectedLine;

export const isRejected = (record: FileRecord): record is RejectedLine => 'reason' in record;

/** Longest record, in bytes. */
export const recordBytesMax = 1024 * 1024;

const newline = 10;
const carriageReturn = 13;
const quote = 34;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bytes of one record, without the end of its line; null where it is longer than it may be. */
export interface RawRecord {
  readonly line: number;
  readonly bytes: Buffer | null;
}

/**
 * Cuts a file into records: lines, or, where values may be quoted, what lies between ends of lines that no quotation holds.
 * What is longer than a record may be is passed over until the end of its first line that comes after that.
 */
export async function* cutRecords(
  chunks: AsyncIterable<Uint8Array>,
  { quoted }: { readonly quoted: boolean },
): AsyncGenerator<RawRecord> {
  let parts: Buffer[] = [];
  let length = 0;
  let line = 1;
  let startLine = 1;
  let inQuotes = false;
  let isFirst = true;
  let isTooLong = false;

  function finish(): RawRecord {
    const whole = isTooLong ? null : Buffer.concat(parts);
    const record = { line: startLine, bytes: whole === null ? null : withoutEnd(whole, isFirst) };
    parts = [];
    length = 0;
    isTooLong = false;
    inQuotes = false;
    isFirst = false;
    startLine = line;
    return record;
  }

  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (quoted && byte === quote) inQuotes = !inQuotes;
      const isLong = isTooLong || length + (at - from) >= recordBytesMax;
      if (byte !== newline) {
        if (isLong && !isTooLong) {
          isTooLong = true;
          parts = [];
        }
        continue;
      }
      line += 1;
      if (inQuotes && !isLong) continue;
      if (isLong) isTooLong = true;
      else parts.push(Buffer.from(bytes.subarray(from, at)));
      yield finish();
      from = at + 1;
    }
    if (isTooLong) continue;
    const rest = bytes.subarray(from);
    length += rest.length;
    if (rest.length > 0) parts.push(Buffer.from(rest));
  }
  if (isTooLong || length > 0) yield finish();
}

function withoutEnd(bytes: Buffer, isFirst: boolean): Buffer {
  const from = isFirst && bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const to = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
  return bytes.subarray(from, Math.max(from, to));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a record, or why it has none. */
export function textOf({ line, bytes }: RawRecord): { readonly text: string } | RejectedLine {
  if (bytes === null) return { line, reason: `It is longer than ${recordBytesMax} bytes, or a quotation has no end.` };
  if (bytes.includes(0)) return { line, reason: 'It holds a NUL.' };
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { line, reason: 'It is no UTF-8.' };
  }
}
