declare global {
  interface JSON {
    /** A text of JSON that `stringify` writes as it is. */
    rawJSON(text: string): object;
  }
}

/**
 * A number of JSON that no double holds, as it was written: `9007199254740993`, `0.1000000000000000055`, `1e400`, `-0`.
 * `JSON.stringify` writes its digits.
 */
export class ExactNumber {
  readonly text: string;

  /** @param text a number as JSON writes it */
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/**
 * Reads JSON. Numbers that a double holds are numbers, others are {@link ExactNumber}s. For values of a tenant, which have to
 * leave as they came; what the platform computes with is read by `JSON.parse`.
 *
 * @throws SyntaxError; RangeError for such a number within some thousand levels
 */
export const parseExactJson = (text: string): unknown => JSON.parse(text, mayLoseDigits(text) ? keepDigits : undefined);

/** The same as a reviver of `JSON.parse`, for libraries that take one. */
export function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value !== 'number' || source === undefined || isExact(source, value) ? value : new ExactNumber(source);
}

/** Whether a number is in there that no double holds. Revivers are slow, and few texts need one. */
function mayLoseDigits(text: string): boolean {
  suspect.lastIndex = 0;
  for (let found = suspect.exec(text); found !== null; found = suspect.exec(text))
    if (!isExact(found[1]!, Number(found[1]))) return true;
  return false;
}

/** Sixteen digits, an exponent of three, or minus zero, where a number may begin: shorter numbers are exact. */
const suspect = /(?:^|[:,[\s])(-0(?:\.0*)?(?![.\d])|-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|\d[\d.]*[eE][+-]?\d{3,}))/g;

/** Whether a double, written out, is the number that was read. */
const isExact = (source: string, value: number): boolean =>
  String(value) === source ||
  (!Object.is(value, -0) && Number.isFinite(value) && decimalOf(source) === decimalOf(String(value)));

/**
 * A decimal number in one spelling for each value: its digits without outer zeros, and where the point is. Undefined for no
 * number, and for one whose exponent nobody writes. Without patterns that look for the end: a number may be a megabyte.
 */
function decimalOf(text: string): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,8}))?$/.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) + whole.length - start}`;
}

/** Whether a value of JSON is an object. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
