import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import type { OpenedFile } from './csv.ts';
import { isRejected, type RejectedLine } from './records.ts';

export interface ImportOptions {
  readonly schema: string;
  readonly table: string;
  /** Whether lines that hold no row, and values that do not fit their columns, are passed over. @default false: nothing is imported */
  readonly skipsRejected: boolean;
  readonly signal: AbortSignal;
  /** Told now and then how many rows were sent. */
  readonly told: (rows: number) => void;
}

/** What an import came to. */
export interface Imported {
  readonly columns: readonly string[];
  /** Rows that are in the table now. */
  readonly rows: number;
  /** Records that were read. */
  readonly read: number;
  readonly rejected: number;
  /** The first of them. */
  readonly lines: readonly RejectedLine[];
}

/** Rejected lines that are told. */
export const linesMax = 500;
const reasonMax = 300;
/** Rows between two reports. */
const toldEvery = 50_000;

/** Nothing was imported: a line has no place in the table. */
export class ImportRejected extends Error {
  override readonly name = 'ImportRejected';
  readonly found: Imported;

  constructor(found: Imported, message: string) {
    super(message);
    this.found = found;
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Copies the rows of a file into a table, in the transaction of the client. Memory holds a few records, however large the
 * file is.
 *
 * @throws ImportRejected; what else the database refuses
 */
export async function importRows(
  client: pg.Client,
  { columns, records }: OpenedFile,
  { schema, table, skipsRejected, signal, told }: ImportOptions,
): Promise<Imported> {
  const lines: RejectedLine[] = [];
  let [read, rejected, sent] = [0, 0, 0];
  const found = (rows: number): Imported => ({ columns, rows, read, rejected, lines });
  const reject = ({ line, reason }: RejectedLine) => {
    rejected += 1;
    if (lines.length < linesMax) lines.push({ line, reason: reason.slice(0, reasonMax).toWellFormed() });
  };
  const places = new Places();
  const passesOver =
    skipsRejected && Number((await client.query('show server_version_num')).rows[0].server_version_num) >= 170_000;
  const noticed = ({ message = '' }: { readonly message?: string | undefined }) => {
    const [, at, why] = /^skipping row .* at line (\d+) for column (.*)$/s.exec(message) ?? [];
    if (at !== undefined)
      reject({ line: places.lineOf(Number(at)), reason: `A value does not fit its column ${why}.` });
  };
  async function* texts(): AsyncGenerator<string> {
    for await (const record of records) {
      signal.throwIfAborted();
      read += 1;
      if (isRejected(record)) {
        reject(record);
        if (!skipsRejected) throw new ImportRejected(found(0), `Line ${record.line}: ${record.reason}`);
        continue;
      }
      sent += 1;
      places.add(sent, record.line);
      yield copyLine(record.values);
      if (sent % toldEvery === 0) told(sent);
    }
  }
  const target = `${quoted(schema)}.${quoted(table)} (${columns.map(quoted).join(', ')})`;
  const options = passesOver ? ' with (on_error ignore, log_verbosity verbose)' : '';
  const stream = client.query(from(`copy ${target} from stdin${options}`));
  client.on('notice', noticed);
  try {
    await pipeline(Readable.from(texts(), { objectMode: false }), stream, { signal });
    return found(stream.rowCount);
  } catch (error) {
    const { where } = error as { readonly where?: string };
    const at = /^COPY .*, line (\d+)/.exec(where ?? '')?.[1];
    if (at === undefined) throw error;
    const line = places.lineOf(Number(at));
    const reason = (error as Error).message;
    reject({ line, reason });
    throw new ImportRejected(found(0), `Line ${line}: ${reason}`);
  } finally {
    client.off('notice', noticed);
  }
}

/** A row as COPY reads it. */
const copyLine = (values: readonly (string | null)[]): string =>
  `${values.map((value) => (value === null ? '\\N' : escaped(value))).join('\t')}\n`;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (value: string): string => value.replace(/[\\\n\r\t]/g, (one) => escapes[one]!);

/** Which line of a file each row came from: kept where rows and lines go out of step. */
class Places {
  readonly #rows: number[] = [];
  readonly #offsets: number[] = [];

  add(row: number, line: number): void {
    if (this.#offsets.at(-1) === line - row) return;
    this.#rows.push(row);
    this.#offsets.push(line - row);
  }

  lineOf(row: number): number {
    let [low, high] = [0, this.#rows.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#rows[middle]! <= row) low = middle;
      else high = middle - 1;
    }
    return row + (this.#offsets[low] ?? 0);
  }
}
