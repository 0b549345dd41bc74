import type { Node } from 'libpg-query';
import { loadParser } from './load-parser.ts';

// The parser is Postgres' own, compiled to WebAssembly; loaded once, before the first statement can come.
const { parsePlPgSQLSync, parseSync, scanSync } = await loadParser();

/** The tree of one statement: an object with one member, named for its kind. */
export type SqlNode = Node;

/** One statement of a text. */
export interface ParsedStatement {
  readonly node: SqlNode;
  /** For example `CreateStmt`. */
  readonly kind: string;
  readonly text: string;
  /** How many characters of the whole text come before it. */
  readonly before: number;
}

/** Text that is not SQL, or too deeply nested to be read. */
export class SqlSyntaxError extends Error {
  override readonly name = 'SqlSyntaxError';
  /** Where in the text, counted in characters from 1; undefined when that is not known. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.position = position;
  }
}

/** The statements of a text, in order. @throws SqlSyntaxError */
export function parseSql(text: string): ParsedStatement[] {
  const bytes = Buffer.from(text);
  const { stmts = [] } = guarded(() => parseSync(text));
  let counted = 0;
  let before = 0;
  return stmts.flatMap(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    if (stmt === undefined) return [];
    before += charactersIn(bytes, counted, start);
    counted = start;
    const end = length === undefined || length === 0 ? bytes.length : start + length;
    return [{ node: stmt, kind: Object.keys(stmt)[0]!, text: bytes.subarray(start, end).toString(), before }];
  });
}

/** Counts as PostgreSQL does: a character of four bytes is one, though JavaScript has two halves of it. */
function charactersIn(utf8: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if ((utf8[at]! & 0b1100_0000) !== 0b1000_0000) count += 1;
  return count;
}

/** A word, sign or value of a text. */
export interface SqlToken {
  /** In bytes of the text. */
  readonly start: number;
  readonly end: number;
  /** As it is written. */
  readonly text: string;
  /** Whether it is a word of SQL that names nothing, unless it is quoted. */
  readonly reserved: boolean;
}

/** What a text is made of, in order. @throws SqlSyntaxError */
export const tokensOf = (text: string): SqlToken[] =>
  guarded(() => scanSync(text)).tokens.map(({ start, end, text: written, keywordName }) => ({
    start,
    end,
    text: written,
    reserved: keywordName === 'RESERVED_KEYWORD',
  }));

/** The texts of SQL that stand in a function or block of PL/pgSQL, without those that it makes as it runs. */
export function sqlInside(definition: string): string[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const one of value) look(one);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const text: unknown = key === 'PLpgSQL_stmt_execsql' ? inner?.sqlstmt?.PLpgSQL_expr?.query : undefined;
      if (typeof text === 'string') found.push(text);
      look(inner);
    }
  };
  look(guarded(() => parsePlPgSQLSync(definition)));
  return found;
}

/**
 * Whether a body of PL/pgSQL begins with `#option`, among the directives that may come before its first block. It has
 * the compiler print the body, many times as long as it is. @throws SqlSyntaxError
 */
export function hasOption(body: string): boolean {
  if (!body.includes('#')) return false;
  const tokens = tokensOf(body).filter(({ text }) => !/^(--|\/\*)/.test(text));
  // A directive is a sign, a name and mostly a value.
  for (let at = 0; tokens[at]?.text === '#'; at += 3) if (/^option$/i.test(tokens[at + 1]?.text ?? '')) return true;
  return false;
}

function guarded<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new SqlSyntaxError('The SQL is nested too deeply.');
    // It ran out of memory in the midst of its work, and reads nothing any more.
    if (error instanceof WebAssembly.RuntimeError || (error as Error).name === 'ExitStatus') throw error;
    const { message, sqlDetails } = error as { message: string; sqlDetails?: { cursorPosition: number } };
    if (sqlDetails === undefined) throw new SqlSyntaxError(message);
    const { cursorPosition } = sqlDetails;
    // The parser counts characters already, from 0.
    throw new SqlSyntaxError(message, cursorPosition < 0 ? undefined : cursorPosition + 1);
  }
}
