import { isExact, mayLoseDigits } from '../../sdk/src/exact-json.ts';

/** A number that JavaScript would round, as it was written; `JSON.stringify` writes its digits. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/** Reads JSON that is passed on or shown, so that its numbers keep their digits. @throws SyntaxError, RangeError */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text, (mayLoseDigits(text) ? keepDigits : undefined) as Parameters<typeof JSON.parse>[1]);

const keepDigits = (_name: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value !== 'number' || source === undefined || isExact(source) ? value : new ExactNumber(source);
