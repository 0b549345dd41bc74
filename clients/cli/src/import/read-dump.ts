import { badDump } from './dump-error.ts';
import { StatementScanner } from './scan-statement.ts';

/** A piece of a plain-text dump; lines are counted from 1. */
export type DumpPart =
  | { readonly kind: 'statement'; readonly text: string; readonly line: number }
  /** Rows follow, until `copyEnd`. */
  | { readonly kind: 'copy'; readonly text: string; readonly line: number }
  /** A row as it is written; see `readCells`. */
  | { readonly kind: 'row'; readonly text: string; readonly line: number }
  | { readonly kind: 'copyEnd'; readonly line: number }
  /** A command to psql. */
  | { readonly kind: 'meta'; readonly text: string; readonly line: number };

/** Longest line, in bytes: a row of a table is one line. */
const lineBytesMax = 64 * 1024 * 1024;
const newline = 0x0a;

/**
 * Takes a dump apart as it arrives: holds no more of it than the statement or the row at hand.
 *
 * @throws BAD_DUMP with the line
 */
export class DumpReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #scanner = new StatementScanner();
  #rest: Buffer[] = [];
  #restBytes = 0;
  #line = 0;
  /** Where the COPY began whose rows are being read. */
  #copyLine: number | undefined;
  /** Whether lines end in a carriage return, too. */
  #crlf = false;

  /** Lines that were read. */
  get lines(): number {
    return this.#line;
  }

  *read(chunk: Buffer): Generator<DumpPart> {
    if (this.#line === 0 && this.#restBytes === 0) refuseArchive(chunk);
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const tail = chunk.subarray(from, end);
      const whole = this.#restBytes === 0 ? tail : Buffer.concat([...this.#rest, tail]);
      this.#rest = [];
      this.#restBytes = 0;
      from = end + 1;
      yield* this.#take(whole);
    }
    if (from === chunk.length) return;
    this.#rest.push(chunk.subarray(from));
    this.#restBytes += chunk.length - from;
    if (this.#restBytes > lineBytesMax) throw badDump(this.#line + 1, `The line is longer than ${lineBytesMax} bytes.`);
  }

  /** The end of the dump. */
  *end(): Generator<DumpPart> {
    if (this.#restBytes > 0) yield* this.#take(Buffer.concat(this.#rest));
    if (this.#copyLine !== undefined)
      throw badDump(
        this.#copyLine,
        'The rows of this COPY never end: a line with \\. is missing.',
        'Is the file whole?',
      );
    const last = this.#scanner.end();
    if (last !== undefined) yield { kind: 'statement', ...last };
  }

  *#take(bytes: Buffer): Generator<DumpPart> {
    this.#line += 1;
    const line = this.#line;
    if (bytes.length > lineBytesMax) throw badDump(line, `The line is longer than ${lineBytesMax} bytes.`);
    const text = this.#text(bytes);
    if (this.#copyLine !== undefined) {
      const row = this.#crlf && text.endsWith('\r') ? text.slice(0, -1) : text;
      if (row !== '\\.') {
        yield { kind: 'row', text: row, line };
        return;
      }
      this.#copyLine = undefined;
      yield { kind: 'copyEnd', line };
      return;
    }
    if (this.#scanner.isIdle && text.startsWith('\\')) {
      yield { kind: 'meta', text: text.trimEnd(), line };
      return;
    }
    for (const statement of this.#scanner.read(text, line)) {
      if (!copies.test(statement.text)) {
        yield { kind: 'statement', ...statement };
        continue;
      }
      this.#copyLine = statement.line;
      this.#crlf = text.endsWith('\r');
      yield { kind: 'copy', ...statement };
    }
  }

  #text(bytes: Buffer): string {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw badDump(this.#line, 'The line is not UTF-8.', 'Write the dump with pg_dump --encoding=UTF8.');
    }
  }
}

const copies = /^COPY\s[\s\S]*\sFROM\s+stdin\b/i;

function refuseArchive(chunk: Buffer): void {
  // An archive of format tar begins with its table of contents.
  if (/^(?:PGDMP|toc\.dat\0)/.test(chunk.subarray(0, 8).toString('latin1')))
    throw badDump(
      1,
      'This is an archive of pg_dump, not SQL.',
      'Write the dump with pg_dump --format=plain, or make SQL of it with pg_restore --file=dump.sql and the name of the archive.',
    );
}

const named: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The values of a row in the text format of COPY; null where there is none. @throws BAD_DUMP */
export const readCells = (text: string, line: number): (string | null)[] =>
  text.split('\t').map((cell) => {
    if (cell === '\\N') return null;
    if (!cell.includes('\\')) return cell;
    return cell.replace(/\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S])|$)/g, (all, octal, hex, letter) => {
      if (letter !== undefined) return named[letter] ?? letter;
      const code = octal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(octal, 8);
      // A byte that is part of a letter only: pg_dump writes letters as they are.
      if (!(code < 0x80)) throw badDump(line, `${all} is no letter by itself.`);
      return String.fromCharCode(code);
    });
  });
