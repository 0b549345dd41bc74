/** Sixteen digits or an exponent of three, where a number may begin: shorter numbers are exact. */
const suspect = /(?:^|[:,[\s])(-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|\d[\d.]*[eE][+-]?\d{3,}))/g;
/** Texts and numbers of JSON. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Reads JSON. A number that JavaScript would round, such as `9007199254740993`, is the text of its digits.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  if (!mayLoseDigits(text)) return JSON.parse(text);
  return JSON.parse(text.replace(token, (found) => (found[0] === '"' || isExact(found) ? found : `"${found}"`)));
}

/** Whether a number is in there that JavaScript would round; few texts hold one. */
export function mayLoseDigits(text: string): boolean {
  for (const [, number] of text.matchAll(suspect)) if (!isExact(number!)) return true;
  return false;
}

/** Whether the number that JavaScript reads is the one that is written. */
export function isExact(source: string): boolean {
  const value = Number(source);
  return String(value) === source || (Number.isFinite(value) && decimalOf(source) === decimalOf(String(value)));
}

/** A decimal number in one spelling for each value. Without patterns that look for the end: it may be a megabyte long. */
function decimalOf(text: string): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,8}))?$/.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return start === end ? '0' : `${sign}${digits.slice(start, end)}e${Number(exponent) + whole.length - start}`;
}

/** Writes JSON, a `bigint` as a number of all its digits. @throws TypeError for what is no JSON */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // No text of the caller’s begins like this.
    const mark = `${Math.random()}`;
    const text = JSON.stringify(value, (_name, one) => (typeof one === 'bigint' ? mark + one : one));
    return text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
  }
}
