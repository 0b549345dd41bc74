import { type RowError, refusals } from '../errors.ts';

/** Reads a text from its beginning to its end, once, and tells where and over what it stumbled. */
export class Scanner {
  readonly text: string;
  at = 0;
  readonly #what: string;

  /** @param what for errors, for example `select parameter (a,b)` */
  constructor(text: string, what: string) {
    this.text = text;
    this.#what = what;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** The character at hand, or nothing at the end. */
  get here(): string {
    return this.text[this.at] ?? '';
  }

  sees(word: string): boolean {
    return this.text.startsWith(word, this.at);
  }

  /** Takes a word if it is next. */
  take(word: string): boolean {
    if (!this.sees(word)) return false;
    this.at += word.length;
    return true;
  }

  /** @throws PGRST100 when the word is not next */
  demand(word: string, ...orElse: readonly string[]): void {
    if (!this.take(word)) throw this.stumble([...orElse, `"${word}"`]);
  }

  /** Takes what a sticky expression matches here; undefined when it matches nothing. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null || found[0] === '') return undefined;
    this.at = pattern.lastIndex;
    return found[0];
  }

  skipSpace(): void {
    while (this.here === ' ' || this.here === '\t') this.at += 1;
  }

  /** What is left, taken whole. */
  rest(): string {
    const text = this.text.slice(this.at);
    this.at = this.text.length;
    return text;
  }

  /** Calls a reader and goes back to where it began if it finds nothing. */
  attempt<Result>(read: () => Result | undefined): Result | undefined {
    const start = this.at;
    const result = read();
    if (result === undefined) this.at = start;
    return result;
  }

  /** The error of finding something else than expected here. */
  stumble(expected: readonly string[], at = this.at): RowError {
    // Where the end would have done, the dialect writes what it found in single quotes.
    const mark = expected.includes('end of input') ? "'" : '"';
    const seen =
      at >= this.text.length ? 'unexpected end of input' : `unexpected ${mark}${character(this.text, at)}${mark}`;
    return refusals.parse(this.#what, at + 1, `${seen} expecting ${oneOf(expected)}`);
  }
}

const character = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at)!);

const oneOf = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
