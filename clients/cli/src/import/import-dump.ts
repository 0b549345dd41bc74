import type { Cli } from '../cli.ts';
import { stopped } from '../failure.ts';
import { progress } from '../progress.ts';
import { type CopyTarget, classify, leftSchema, readCopy, withBuiltIns } from './classify.ts';
import { badDump } from './dump-error.ts';
import type { DumpFile } from './dump-file.ts';
import { DumpUsers, type UsersOutcome } from './dump-users.ts';
import type { ProjectEndpoint } from './project-endpoint.ts';
import { type DumpPart, DumpReader, readCells } from './read-dump.ts';
import { type Around, aroundRows, nothingAround, silences } from './silent-triggers.ts';
import { Statements } from './statements.ts';
import { requireWidth, TableRows } from './table-rows.ts';

/** Something of a dump that does not come along. */
interface LeftOut {
  readonly what: string;
  readonly why: string;
  statements: number;
  rows: number;
  readonly first_line: number;
  readonly names: string[];
}

export interface ImportResult {
  readonly dry_run: boolean;
  readonly lines: number;
  readonly statements: number;
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  readonly rows: number;
  /** Null where the dump has none. */
  readonly users: (UsersOutcome & { readonly found: number }) | null;
  readonly left_out: readonly LeftOut[];
  /** Calls of `uuid_generate_v4()` that became `gen_random_uuid()`. */
  readonly rewritten_calls: number;
}

export interface ImportOptions {
  /** Undefined: nothing is sent, and the result says what would happen. */
  readonly endpoint: ProjectEndpoint | undefined;
  /** Nothing before this line is done. @default 1 */
  readonly fromLine: number;
}

/** What takes the rows of the COPY at hand. */
interface RowTaker {
  readonly row: (text: string, line: number) => Promise<void> | undefined;
  readonly end: () => Promise<void>;
}

/** Brings a dump into a project, or says what would come of it. @throws Failure with the line */
export async function importDump(cli: Cli, dump: DumpFile, options: ImportOptions): Promise<ImportResult> {
  const run = new ImportRun(options);
  const reader = new DumpReader();
  const bar = progress(cli);
  let told = 0;
  try {
    for await (const chunk of dump.chunks) {
      for (const part of reader.read(chunk)) {
        if (cli.signal.aborted) throw stopped(true);
        const wait = run.take(part);
        if (wait !== undefined) await wait;
      }
      if (Date.now() - told < 200) continue;
      told = Date.now();
      bar.at(`line ${reader.lines}${run.at}`, dump.done());
    }
    for (const part of reader.end()) await run.take(part);
    await run.end();
  } catch (error) {
    // What was read before is done, so that what is told as done is.
    if (!run.isBroken && !cli.signal.aborted) await run.end();
    throw error;
  } finally {
    bar.end();
  }
  return { dry_run: options.endpoint === undefined, lines: reader.lines, ...run.result() };
}

class ImportRun {
  readonly #endpoint: ProjectEndpoint | undefined;
  readonly #fromLine: number;
  readonly #statements: Statements | undefined;
  readonly #users: DumpUsers;
  readonly #leftOut = new Map<string, LeftOut>();
  readonly #tables = new Map<string, number>();
  #hasUsers = false;
  #taker: RowTaker | undefined;
  #count = 0;
  #rewritten = 0;
  #table = '';
  /** The database of which the dump is being read, and that of which something came along. */
  #database = '';
  #imported: string | undefined;
  /** Rows set off no trigger. */
  #isSilent = false;
  /** Around rows that come as INSERT. */
  #inserts: { readonly table: string; readonly around: Around } | undefined;
  /** Something failed on its way: nothing more is sent. */
  isBroken = false;

  constructor({ endpoint, fromLine }: ImportOptions) {
    this.#endpoint = endpoint;
    this.#fromLine = fromLine;
    this.#statements = endpoint === undefined ? undefined : new Statements(endpoint);
    this.#users = new DumpUsers(endpoint);
  }

  /** Where it is, for a person who watches. */
  get at(): string {
    return this.#table === '' ? '' : `, ${this.#table}: ${this.#tables.get(this.#table) ?? 0} rows`;
  }

  take(part: DumpPart): Promise<void> | undefined {
    switch (part.kind) {
      case 'row':
        return this.#guarded(this.#taker!.row(part.text, part.line));
      case 'meta':
        this.#meta(part.text, part.line);
        return undefined;
      case 'copy':
        return this.#guarded(this.#copy(part.text, part.line));
      case 'copyEnd':
        return this.#guarded(this.#endCopy());
      case 'statement':
        return this.#guarded(this.#statement(part.text, part.line));
    }
  }

  async end(): Promise<void> {
    await this.#guarded(this.#statements?.end());
    await this.#guarded(this.#users.end());
  }

  result(): Omit<ImportResult, 'dry_run' | 'lines'> {
    return {
      statements: this.#count,
      tables: [...this.#tables].map(([table, rows]) => ({ table, rows })),
      rows: [...this.#tables.values()].reduce((sum, rows) => sum + rows, 0),
      users: this.#hasUsers ? { found: this.#users.count, ...this.#users.outcome } : null,
      left_out: [...this.#leftOut.values()],
      rewritten_calls: this.#rewritten,
    };
  }

  #guarded(work: Promise<void> | undefined): Promise<void> | undefined {
    return work?.catch((error: unknown) => {
      this.isBroken = true;
      throw error;
    });
  }

  async #statement(given: string, line: number): Promise<void> {
    const encoding = /^SET\s+client_encoding\s*(?:=|TO)\s*'?([\w-]+)'?$/i.exec(given)?.[1];
    if (encoding !== undefined && !/^utf-?8$|^unicode$/i.test(encoding))
      throw badDump(line, `The dump is written in ${encoding}.`, 'Write it with pg_dump --encoding=UTF8.');
    if (/^SET\s+standard_conforming_strings\s*(?:=|TO)\s*'?(?:off|false|no|0)'?$/i.test(given))
      throw badDump(
        line,
        'The dump is written for standard_conforming_strings = off: its strings would be read otherwise here.',
        'Set standard_conforming_strings to on in the old database, and write the dump again.',
      );
    const verdict = classify(given);
    if (verdict.kind === 'leave') {
      const { what, why, name } = verdict;
      this.#isSilent = silences(given) ?? this.#isSilent;
      if (line >= this.#fromLine && insertsUsers.test(given))
        throw badDump(
          line,
          'Users come as INSERT; the import reads them from COPY alone.',
          'Write the dump with supabase db dump --use-copy, or with pg_dump without --inserts. To leave users out, add --exclude-schema=auth.',
        );
      this.#leave(what, why, line, name).statements += 1;
      return;
    }
    if (line < this.#fromLine) return;
    this.#requireOneDatabase(line);
    const { text, count } = withBuiltIns(given);
    this.#rewritten += count;
    this.#count += 1;
    await this.#statements?.add({ text, line }, verdict.kind === 'runAlone', await this.#aroundOf(text, line));
  }

  /** What a statement needs around it: an INSERT in a dump without triggers has them off. */
  async #aroundOf(text: string, line: number): Promise<Around> {
    const table = this.#isSilent ? insertInto.exec(text)?.[1] : undefined;
    if (table === undefined || this.#endpoint === undefined) return nothingAround;
    if (this.#inserts?.table !== table) {
      await this.#statements?.end();
      this.#inserts = { table, around: await aroundRows(this.#endpoint, table, line) };
    }
    return this.#inserts.around;
  }

  /** Tables of two databases would become one. */
  #requireOneDatabase(line: number): void {
    this.#imported ??= this.#database;
    if (this.#imported !== this.#database)
      throw badDump(
        line,
        'A second database begins before this line.',
        'Write each database with pg_dump, and import it into a project of its own.',
      );
  }

  /** What psql is told in a dump needs no doing here, but for what would read another file. */
  #meta(text: string, line: number): void {
    if (/^\\(?:connect|c)\s/.test(text)) this.#database = text.slice(text.indexOf(' ')).trim();
    else if (!/^\\(?:restrict|unrestrict)(?:\s|$)/.test(text))
      throw badDump(line, `${text.split(/\s/, 1)[0]} is a command of psql, which import does not run.`);
  }

  #leave(what: string, why: string, line: number, name?: string): LeftOut {
    const left = this.#leftOut.get(what) ?? { what, why, statements: 0, rows: 0, first_line: line, names: [] };
    this.#leftOut.set(what, left);
    if (name !== undefined && !left.names.includes(name)) left.names.push(name);
    return left;
  }

  async #copy(text: string, line: number): Promise<void> {
    const target = readCopy(text);
    if (target === undefined)
      throw badDump(
        line,
        'This COPY is not in the form that pg_dump writes.',
        'Write the dump with pg_dump --format=plain.',
      );
    await this.#statements?.end();
    this.#inserts = undefined;
    const { schema, name } = target.table;
    const isAuth = schema === 'auth' && this.#takesUsers(target);
    const why = leftSchema(schema);
    if (isAuth) this.#taker = name === 'users' ? this.#userTaker(target) : this.#accountTaker(target);
    else if (why === undefined) this.#taker = await this.#tableTaker(target, line);
    else {
      const left = this.#leave(`schema ${schema}`, why, line, name);
      this.#taker = {
        row: () => {
          left.rows += 1;
          return undefined;
        },
        end: async () => undefined,
      };
    }
  }

  /** Whether it is a table of users as Supabase has it. */
  #takesUsers({ table: { name }, columns }: CopyTarget): boolean {
    const wanted = name === 'users' ? ['id', 'email', 'encrypted_password'] : ['user_id', 'provider', 'identity_data'];
    return (name === 'users' || name === 'identities') && wanted.every((column) => columns.includes(column));
  }

  async #endCopy(): Promise<void> {
    const taker = this.#taker;
    this.#taker = undefined;
    this.#table = '';
    await taker?.end();
  }

  #accountTaker({ columns }: CopyTarget): RowTaker {
    return {
      row: (text, line) => {
        this.#users.addAccount(columns, { cells: readCells(text, line), line });
        return undefined;
      },
      end: async () => this.#users.accountsEnd(),
    };
  }

  #userTaker({ columns }: CopyTarget): RowTaker {
    this.#hasUsers = true;
    return {
      row: (text, line) => {
        const cells = readCells(text, line);
        return line < this.#fromLine ? undefined : this.#users.addUser(columns, { cells, line });
      },
      end: async () => undefined,
    };
  }

  async #tableTaker(target: CopyTarget, line: number): Promise<RowTaker> {
    const label = `${target.table.schema ?? 'public'}.${target.table.name}`;
    this.#table = label;
    this.#tables.set(label, this.#tables.get(label) ?? 0);
    let rows: TableRows | undefined;
    const isSilent = this.#isSilent;
    return {
      row: (text, at) => {
        if (at < this.#fromLine) return undefined;
        this.#requireOneDatabase(at);
        this.#tables.set(label, this.#tables.get(label)! + 1);
        const row = { cells: readCells(text, at), line: at };
        if (target.columns.length > 0) requireWidth(row, target.columns.length);
        if (this.#endpoint === undefined) return undefined;
        if (rows !== undefined) return rows.add(row);
        rows = new TableRows(this.#endpoint, target, line, isSilent);
        return rows.begin().then(() => rows!.add(row));
      },
      end: async () => rows?.end(),
    };
  }
}

const quoted = String.raw`(?:"(?:[^"]|"")*"|[\w$]+)`;
const insertInto = new RegExp(String.raw`^INSERT\s+INTO\s+(${quoted}\.${quoted})\s`, 'i');
const insertsUsers = /^INSERT\s+INTO\s+(?:auth|"auth")\.(?:users|"users")\s/i;
