import { badDump } from './dump-error.ts';

/** A statement without its semicolon, and the line on which it begins. */
export interface DumpStatement {
  readonly text: string;
  readonly line: number;
}

/** Longest statement, in characters: the gateway takes no more in one request. */
export const statementMax = 1_000_000;

/** What ends only by something of its own. */
type Open = 'string' | 'escapes' | 'name' | 'dollar' | 'comment';

const words: Readonly<Record<Open, string>> = {
  string: 'The string that begins here is never closed.',
  escapes: 'The string that begins here is never closed.',
  name: 'The quoted name that begins here is never closed.',
  dollar: 'The dollar quote that begins here is never closed.',
  comment: 'The comment that begins here is never closed.',
};

/** Tokens of SQL, as far as they tell where a statement ends. */
const token =
  /\s+|--.*|\/\*|[eE]'|'|"|\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|[\s\S]/y;
const ends: Readonly<Record<'string' | 'escapes' | 'name', RegExp>> = {
  string: /''|'/g,
  escapes: /\\[\s\S]|''|'/g,
  name: /""|"/g,
};
const commentEdge = /\/\*|\*\//g;
const routine = /^create\s+(?:or\s+replace\s+)?(?:function|procedure)\b/i;

/** Finds the statements of a text that comes line by line. */
export class StatementScanner {
  #pieces: string[] = [];
  #size = 0;
  /** Where the statement at hand begins; undefined between two of them. */
  #line: number | undefined;
  #open: Open | undefined;
  #openLine = 0;
  #tag = '';
  #comments = 0;
  #parentheses = 0;
  /** Blocks of a routine whose body is written as SQL. */
  #blocks = 0;
  /** Whether the statement makes a routine; undefined until that matters. */
  #isRoutine: boolean | undefined;

  /** Whether nothing is begun. */
  get isIdle(): boolean {
    return this.#line === undefined && this.#open === undefined;
  }

  /** @returns the statements that end on this line @throws BAD_DUMP */
  read(text: string, line: number): DumpStatement[] {
    const found: DumpStatement[] = [];
    let from = 0;
    let at = 0;
    const whole = `${text}\n`;
    while (at < whole.length) {
      if (this.#open !== undefined) {
        at = this.#closing(whole, at);
        if (this.#line === undefined) from = at;
        continue;
      }
      token.lastIndex = at;
      const [word] = token.exec(whole)!;
      const begins = at;
      at += word.length;
      if (this.#opens(word, line)) {
        if (this.#line === undefined && word !== '/*') [this.#line, from] = [line, begins];
        continue;
      }
      if (/^\s|^--/.test(word)) {
        // The text between two statements belongs to neither.
        if (this.#line === undefined) from = at;
        continue;
      }
      if (word === ';' && this.#parentheses <= 0 && this.#blocks === 0) {
        if (this.#line !== undefined) found.push(this.#finish(whole.slice(from, begins)));
        from = at;
        continue;
      }
      if (this.#line === undefined) [this.#line, from] = [line, begins];
      this.#weigh(word, () => this.#pieces.join('') + whole.slice(from, at));
    }
    if (this.#line !== undefined) this.#keep(whole.slice(from));
    return found;
  }

  /** What is left at the end: a last statement needs no semicolon. @throws BAD_DUMP */
  end(): DumpStatement | undefined {
    if (this.#open !== undefined) throw badDump(this.#openLine, words[this.#open], 'Is the file whole?');
    return this.#line === undefined ? undefined : this.#finish('');
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size <= statementMax) return;
    if (this.#open !== undefined)
      throw badDump(this.#openLine, `${words[this.#open]} At least not within ${statementMax} characters.`);
    throw badDump(
      this.#line!,
      `The statement that begins here is longer than ${statementMax} characters.`,
      'Rows come as COPY: write the dump without --inserts, or with supabase db dump --use-copy.',
    );
  }

  #finish(piece: string): DumpStatement {
    this.#keep(piece);
    const statement = { text: this.#pieces.join('').trimEnd(), line: this.#line! };
    this.#pieces = [];
    this.#size = 0;
    this.#line = undefined;
    this.#parentheses = 0;
    this.#blocks = 0;
    this.#isRoutine = undefined;
    return statement;
  }

  #opens(word: string, line: number): boolean {
    if (word === '/*') this.#comments = 1;
    const open: Open | undefined =
      word === '/*'
        ? 'comment'
        : word === "'"
          ? 'string'
          : word === '"'
            ? 'name'
            : /^[eE]'$/.test(word)
              ? 'escapes'
              : /^\$.*\$$/.test(word)
                ? 'dollar'
                : undefined;
    if (open === undefined) return false;
    this.#open = open;
    this.#openLine = line;
    this.#tag = word;
    return true;
  }

  /** @returns where what is open ends, or the end of the line */
  #closing(text: string, at: number): number {
    if (this.#open === 'dollar') {
      const end = text.indexOf(this.#tag, at);
      if (end === -1) return text.length;
      this.#open = undefined;
      return end + this.#tag.length;
    }
    const edge = this.#open === 'comment' ? commentEdge : ends[this.#open as keyof typeof ends];
    edge.lastIndex = at;
    for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
      const [sign] = found;
      if (this.#open === 'comment') this.#comments += sign === '/*' ? 1 : -1;
      if (this.#open === 'comment' ? this.#comments > 0 : sign.length === 2) continue;
      this.#open = undefined;
      return edge.lastIndex;
    }
    return text.length;
  }

  /** Counts what keeps a semicolon from ending the statement. @param head the statement so far */
  #weigh(word: string, head: () => string): void {
    if (word === '(') this.#parentheses += 1;
    else if (word === ')') this.#parentheses -= 1;
    else if (this.#parentheses === 0 && /^(?:begin|case|end)$/i.test(word)) {
      const name = word.toLowerCase();
      if (name === 'end') this.#blocks = Math.max(0, this.#blocks - 1);
      else if (this.#blocks > 0) this.#blocks += 1;
      else if (name === 'begin') {
        this.#isRoutine ??= routine.test(head());
        if (this.#isRoutine) this.#blocks = 1;
      }
    }
  }
}
