import { Failure } from '../failure.ts';
import type { CopyTarget } from './classify.ts';
import { badDump } from './dump-error.ts';
import { failedAt } from './failed-at.ts';
import { bytesInRequest, type ProjectEndpoint, requestBytes } from './project-endpoint.ts';
import { type Around, aroundRows, nothingAround } from './silent-triggers.ts';

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

/** A value as an item of an array that SQL writes as a string. */
const itemOf = (cell: string | null): string =>
  cell === null ? 'null' : `"${cell.replace(/["\\]/g, '\\$&').replaceAll("'", "''")}"`;

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Types by columns, as SQL writes them: without a length, so that what does not fit is refused and never cut. */
const typesSql = `select a.attname as name, format_type(a.atttypid, -1) as type from pg_attribute a
  where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`;

/**
 * Puts rows into a table as COPY would: every value goes through the input function of its column's type. One request
 * is under way while the next rows are read.
 */
export class TableRows {
  readonly #endpoint: ProjectEndpoint;
  readonly #target: CopyTarget;
  readonly #line: number;
  readonly #isSilent: boolean;
  #around: Around = nothingAround;
  /** Takes an array of texts for each column, as SQL writes it. */
  #insertOf: (arrays: readonly string[]) => string = () => '';
  #columns = 0;
  #rows: DumpRow[] = [];
  #bytes = 0;
  #sending: Promise<void> = Promise.resolve();

  /**
   * @param line of the COPY
   * @param isSilent the rows set off no trigger
   */
  constructor(endpoint: ProjectEndpoint, target: CopyTarget, line: number, isSilent: boolean) {
    this.#endpoint = endpoint;
    this.#target = target;
    this.#line = line;
    this.#isSilent = isSilent;
  }

  /** Finds out about the columns and triggers. */
  async begin(): Promise<void> {
    const { sqlName, columns } = this.#target;
    const answer = await failedAt(this.#line, () => this.#endpoint.sql(typesSql, [sqlName]));
    const types = new Map((answer.rows as { name: string; type: string }[]).map(({ name, type }) => [name, type]));
    const names = columns.length === 0 ? [...types.keys()] : columns;
    const missing = names.find((name) => !types.has(name));
    if (missing !== undefined)
      throw badDump(this.#line, `${sqlName} has no column ${quotedName(missing)} to copy into.`);
    if (this.#isSilent) this.#around = await aroundRows(this.#endpoint, sqlName, this.#line);
    // A row of a table without columns is an empty line.
    this.#columns = Math.max(1, names.length);
    const list = names.map(quotedName).join(', ');
    const values = names.map((name, at) => `r.v${at}::${types.get(name)}`).join(', ');
    const labels = names.map((_name, at) => `v${at}`).join(', ');
    const into = names.length === 0 ? sqlName : `${sqlName} (${list}) overriding system value`;
    const alias = names.length === 0 ? '' : ` (${labels})`;
    this.#insertOf = (arrays) => `insert into ${into} select ${values} from unnest(${arrays.join(', ')}) as r${alias}`;
  }

  /** @returns something to wait for when there is enough for a request */
  add(row: DumpRow): Promise<void> | undefined {
    requireWidth(row, this.#columns);
    const bytes = this.#bytesOf(row);
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

  #bytesOf({ cells }: DumpRow): number {
    const isWritten = this.#around !== nothingAround;
    return cells.reduce((sum, cell) => sum + bytesInRequest(isWritten ? itemOf(cell) : cell), 0);
  }

  #insert(rows: readonly DumpRow[]): Promise<unknown> {
    const columns = Array.from({ length: this.#columns }, (_one, at) => rows.map(({ cells }) => cells[at]!));
    if (this.#around === nothingAround)
      return this.#endpoint.sql(this.#insertOf(columns.map((_column, at) => `$${at + 1}::text[]`)), columns);
    // Parameters belong to a single statement, so values are written where there are several.
    const arrays = columns.map((column) => `'{${column.map(itemOf).join(',')}}'::text[]`);
    return this.#endpoint.sql(this.#around.before + this.#insertOf(arrays) + this.#around.after);
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
    if (rows.length === 1 && this.#bytesOf(rows[0]!) > requestBytes)
      throw badDump(
        line,
        `The row takes more than ${requestBytes} bytes in a request.`,
        'Import the rest with --from-line of the next line, and store such values elsewhere.',
      );
    try {
      await failedAt(line, () => this.#insert(rows));
    } catch (error) {
      if (rows.length === 1 || !(error instanceof Failure) || error.envelope.code !== 'SQL_ERROR') throw error;
      const middle = Math.ceil(rows.length / 2);
      await this.#send(rows.slice(0, middle));
      await this.#send(rows.slice(middle));
    }
  }
}
