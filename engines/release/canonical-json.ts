/**
 * JSON with one form for equal values: names sorted by code point, no whitespace, undefined members left out; maps are
 * written as objects. Contract 03, section 2.13.
 *
 * @throws TypeError for numbers that JSON has not
 */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  writeCanonical(value, (text) => void parts.push(text));
  return parts.join('');
}

/** Hands out canonical JSON piece by piece, for values whose text would be too long for memory. */
export function writeCanonical(value: unknown, emit: (text: string) => void): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JSON has no such number.');
  if (value === null || typeof value !== 'object') emit(JSON.stringify(value) ?? 'null');
  else if (Array.isArray(value)) {
    let before = '[';
    for (const one of value) {
      emit(before);
      before = ',';
      writeCanonical(one, emit);
    }
    emit(before === '[' ? '[]' : ']');
  } else writeMembers(value instanceof Map ? value : Object.entries(value), emit);
}

function writeMembers(members: Iterable<readonly [string, unknown]>, emit: (text: string) => void): void {
  let before = '{';
  for (const [name, value] of inCodePointOrder(members, ([key]) => key)) {
    if (value === undefined) continue;
    emit(`${before}${JSON.stringify(name)}:`);
    before = ',';
    writeCanonical(value, emit);
  }
  emit(before === '{' ? '{}' : '}');
}

/** From the first surrogate on, the order of UTF-16 units is another one than that of code points. */
const beyondPlain = /[\ud800-\uffff]/;

/** A sorted copy. Nearly all texts are plain, and sorted as they are. */
export function inCodePointOrder<Item>(items: Iterable<Item>, textOf: (item: Item) => string): Item[] {
  const list = [...items];
  const compare = list.some((item) => beyondPlain.test(textOf(item)))
    ? byCodePoint
    : (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return list.sort((a, b) => compare(textOf(a), textOf(b)));
}

/** The order of code points, which differs from that of UTF-16 units beyond the basic plane. */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) {
      // Surrogates stand for what comes after all of the basic plane.
      const [leftHigh, rightHigh] = [left >= 0xd800 && left < 0xe000, right >= 0xd800 && right < 0xe000];
      return leftHigh === rightHigh ? left - right : leftHigh ? 1 : -1;
    }
  }
  return a.length - b.length;
}
