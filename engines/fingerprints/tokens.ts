/**
 * What a word of a message is, when it tells one occurrence from another rather than one cause from another. A word is
 * looked at as a whole, once, by patterns that are anchored at both ends: the time is linear in the text.
 */

/** The longest word that is looked at in detail; a longer one is data. */
export const wordMax = 512;

const url = /^[a-z][a-z0-9+.-]{1,15}:\/\//i;
const email = /^[^@\s]{1,64}@[^@\s]{1,190}\.[a-z]{2,24}$/i;
const uuid = /^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i;
const date = /^[+-]?\d{4}-\d\d-\d\d(?:[T_]\d\d[:.-]\d\d(?:[:.-]\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?$/;
const slashDate = /^\d{1,4}\/\d{1,2}\/\d{1,4}$/;
const time = /^\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;
const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5}|\/\d{1,2})?$/;
// At least two colons together, or seven: fewer are a list of names.
const ipv6 =
  /^\[?(?=[0-9a-f:]*(?:::|(?::[0-9a-f]{1,4}){7}))[0-9a-f:]{2,39}(?:\.\d{1,3}){0,3}(?:%\w{1,15})?\]?(?::\d{1,5})?$/i;
const hex = /^(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{8,})$/i;
const longHex = /^[0-9a-f]{12,}$/i;
const prefixedId = /^[a-z]{1,12}(?:_[a-z]{2,8})?_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{5,}$/;
const opaque = /^[A-Za-z0-9_+/=-]{8,}$/;
const absolutePath = /^(?:file:\/\/)?(?:[A-Za-z]:[\\/]|\/|~\/|\.{1,2}\/)/;
const digits = /\d+(?:[.,]\d+)*/g;

/** How often a word changes between letters and digits: more often than twice, and it is no name. */
function changes(word: string): number {
  let count = 0;
  let before = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    const kind = code >= 48 && code <= 57 ? 1 : (code | 32) >= 97 && (code | 32) <= 122 ? 2 : 0;
    if (kind === 0) continue;
    if (before !== 0 && kind !== before) count += 1;
    before = kind;
  }
  return count;
}

/** Long, with capitals in its middle and digits or so: base64 and the like. */
const looksRandom = (word: string) =>
  opaque.test(word) &&
  (changes(word) >= 3 || (word.length >= 24 && /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word)));

/** The last part of a path, when it names a file rather than data. */
function pathTemplate(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1).replace(/(?::\d+){1,2}$/, '');
  return base !== '' && base.length <= 48 && /^[A-Za-z][A-Za-z._-]*$/.test(base) ? `<path>/${base}` : '<path>';
}

const isPath = (word: string) =>
  absolutePath.test(word) &&
  (word.indexOf('/', 1) !== -1 || word.includes('\\')) &&
  !/^\.{1,2}\/[A-Za-z._/-]{1,40}$/.test(word);

/** Whether a word is an address of the network. */
export const isAddress = (word: string) => ipv4.test(word) || ipv6.test(word);

/** The placeholder of a word in a template; the word itself when it is one of the cause's own. */
export function wordTemplate(word: string): string {
  if (word.length > wordMax) return '<str>';
  if (!/[\d@:/\\]/.test(word)) return longHex.test(word) ? '<hex>' : word;
  if (url.test(word)) return word.startsWith('file:') ? pathTemplate(word) : '<url>';
  if (email.test(word)) return '<email>';
  if (uuid.test(word)) return '<id>';
  if (date.test(word) || slashDate.test(word) || time.test(word)) return '<date>';
  if (isAddress(word)) return '<ip>';
  if (isPath(word)) return pathTemplate(word);
  if (prefixedId.test(word)) return '<id>';
  if (hex.test(word) && !/^\d+$/.test(word)) return '<hex>';
  if (looksRandom(word)) return '<id>';
  return word.replace(digits, '<n>');
}
