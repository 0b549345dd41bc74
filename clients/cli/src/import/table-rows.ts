import { Failure } from '../failure.ts';
import type { CopyTarget } from './classify.ts';
import { badDump } from './dump-error.ts';
import { failedAt } from './failed-at.ts';
import { bytesInRequest, type ProjectDoor, requestBytes } from './project-door.ts';

/** A row of a COPY. */
export interface DumpRow {
  readonly cells: readonly (string | null)[];
  readonly line: number;
}

/** Rows of one request. */
const rowsMax = 5_000;

/** @throws BAD_DUMP when a row has more or fewer values than there are columns */
export function requireWidth({ cells, line }: DumpRow, columns: number): void {
  if (cells.length !== columns)
    throw badDump(line, `The row has ${cells.length} values, and its COPY ${columns} columns.`);
}

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Types by columns, as SQL writes them: without a length, so that what does not fit is refused and never cut. */
const typesSql = `select a.attname as name, format_type(a.atttypid, -1) as type from pg_attribute a
  where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`;

/**
 * Puts rows into a table as COPY would: every value goes through the input function of its column's type. One request
 * is under way while the next rows are read.
 */
export class TableRows {
  readonly #door: ProjectDoor;
  readonly #target: CopyTarget;
  readonly #line: number;
  #sql: string | undefined;
  #columns = 0;
  #rows: DumpRow[] = [];
  #bytes = 0;
  #sending: Promise<void> = Promise.resolve();

  /** @param line of the COPY */
  constructor(door: ProjectDoor, target: CopyTarget, line: number) {
    this.#door = door;
    this.#target = target;
    this.#line = line;
  }

  /** Finds out about the columns. */
  async begin(): Promise<void> {
    const { sqlName, columns } = this.#target;
    const answer = await failedAt(this.#line, () => this.#door.sql(typesSql, [sqlName]));
    const types = new Map((answer.rows as { name: string; type: string }[]).map(({ name, type }) => [name, type]));
    const names = columns.length === 0 ? [...types.keys()] : columns;
    const missing = names.find((name) => !types.has(name));
    if (missing !== undefined)
      throw badDump(this.#line, `${sqlName} has no column ${quotedName(missing)} to copy into.`);
    this.#columns = names.length;
    const list = names.map(quotedName).join(', ');
    const values = names.map((name, at) => `r.v${at}::${types.get(name)}`).join(', ');
    const arrays = names.map((_name, at) => `$${at + 1}::text[]`).join(', ');
    const labels = names.map((_name, at) => `v${at}`).join(', ');
    this.#sql = `insert into ${sqlName} (${list}) overriding system value select ${values} from unnest(${arrays}) as r (${labels})`;
  }

  /** @returns something to wait for when there is enough for a request */
  add(row: DumpRow): Promise<void> | undefined {
    const { cells } = row;
    requireWidth(row, this.#columns);
    const bytes = cells.reduce((sum, cell) => sum + bytesInRequest(cell), 0);
    const isFull = this.#rows.length > 0 && (this.#bytes + bytes > requestBytes || this.#rows.length === rowsMax);
    const sent = isFull ? this.#flush() : undefined;
    this.#rows.push(row);
    this.#bytes += bytes;
    return sent;
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#sending;
  }

  async #flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    await this.#sending;
    if (rows.length === 0) return;
    this.#sending = this.#send(rows);
    // It is waited for later; until then nothing is to be done about a refusal.
    this.#sending.catch(() => undefined);
  }

  /** A batch that is refused is halved, so that the very row is known, and all before it are in. */
  async #send(rows: readonly DumpRow[]): Promise<void> {
    const { line } = rows[0]!;
    const columns = Array.from({ length: this.#columns }, (_one, at) => rows.map(({ cells }) => cells[at]!));
    if (rows.length === 1 && rows[0]!.cells.reduce((sum, cell) => sum + bytesInRequest(cell), 0) > requestBytes)
      throw badDump(
        line,
        `The row takes more than ${requestBytes} bytes in a request.`,
        'Import the rest with --from-line of the next line, and store such values elsewhere.',
      );
    try {
      await failedAt(line, () => this.#door.sql(this.#sql!, columns));
    } catch (error) {
      if (rows.length === 1 || !(error instanceof Failure) || error.envelope.code !== 'SQL_ERROR') throw error;
      const middle = Math.ceil(rows.length / 2);
      await this.#send(rows.slice(0, middle));
      await this.#send(rows.slice(middle));
    }
  }
}
