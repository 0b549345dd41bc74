import { engineMessage } from './engine-messages.ts';
import { isAddress, wordMax, wordTemplate } from './tokens.ts';

/** Characters of a message that are looked at; the rest is data. */
const messageMax = 4_096;
/** Characters of a template. Contract 02, section 4.5. */
const templateMax = 300;
/** A longer quotation is input that was typed or sent, not a name. */
const quotedMax = 32;

/**
 * What a message says, without what differs between its occurrences. Contract 02, section 4.5.
 *
 * @param message of any length
 */
export function messageTemplate(message: string): string {
  let text = message.length > messageMax ? message.slice(0, messageMax) : message;
  text = text.normalize('NFC');
  // JSON spells characters that nothing may be stored with, and the beginning may end in half of one.
  text = storable(withoutJsonTail(engineMessage(text)));
  return cut(
    words(text)
      .replace(/<n>(?:,<n>)+/g, '<n>')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

/** A text of characters that a database takes. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Never in the middle of a character. */
function cut(text: string): string {
  if (text.length <= templateMax) return text;
  const end = (text.charCodeAt(templateMax - 1) & 0xfc00) === 0xd800 ? templateMax - 1 : templateMax;
  return text.slice(0, end);
}

/** The tail `{…}` or `[…]` of a message by what it says of the cause: its code, or its error. */
function withoutJsonTail(text: string): string {
  const end = text.trimEnd();
  const closing = end.at(-1);
  if (closing !== '}' && closing !== ']') return text;
  const opening = closing === '}' ? '{' : '[';
  let at = end.indexOf(opening);
  // A few tries: a message may have said something in brackets before.
  for (let tries = 0; at !== -1 && tries < 3; tries++, at = end.indexOf(opening, at + 1)) {
    const cause = causeOf(end.slice(at));
    if (cause !== undefined) return `${end.slice(0, at)}${cause}`;
  }
  return text;
}

function causeOf(json: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  return codeIn(Array.isArray(value) ? value[0] : value) ?? '<json>';
}

/** What a body of JSON calls its failure. Errors inside errors are followed for a few levels. */
export function codeIn(body: unknown): string | undefined {
  let value = body;
  for (let level = 0; level < 4; level++) {
    if (typeof value !== 'object' || value === null) return undefined;
    const { code, error } = value as { code?: unknown; error?: unknown };
    for (const one of [code, error]) {
      if ((typeof one === 'string' && one !== '') || typeof one === 'number') return String(one);
    }
    value = error;
  }
  return undefined;
}

/** Opening quotes with what closes them. */
const quotes: Readonly<Record<string, string>> = { "'": "'", '"': '"', '`': '`', '“': '”', '‘': '’', '«': '»' };
const isWordCharacter = /[\p{L}\p{N}]/u;
const separators = /[\s,;|&?=<>()"'`“”‘’«»]/;

/** One pass over the text, in which each part is either quoted, a word, or between those. */
function words(text: string): string {
  let out = '';
  let at = 0;
  // Where the next one of each closing quote is, so that none is looked for twice.
  const closings = new Map<string, number>();
  while (at < text.length) {
    const character = text[at]!;
    const closing = quotes[character];
    const opens = closing !== undefined && !(at > 0 && isWordCharacter.test(text[at - 1]!));
    if (opens) {
      const end = nextOf(text, closing, at + 1, closings);
      if (end !== -1) {
        out += `${character}${quoted(text.slice(at + 1, end))}${closing}`;
        at = end + 1;
        continue;
      }
    }
    if (separators.test(character)) {
      out += character;
      at += 1;
      continue;
    }
    let end = at + 1;
    while (end < text.length && !separators.test(text[end]!)) end += 1;
    // An address keeps what would separate words elsewhere.
    const scheme = nextOf(text, '://', at, closings);
    if (scheme !== -1 && scheme < end) while (end < text.length && !/[\s"'`<>)]/.test(text[end]!)) end += 1;
    out += punctuated(text.slice(at, end));
    at = end;
  }
  return out;
}

function nextOf(text: string, wanted: string, from: number, known: Map<string, number>): number {
  const before = known.get(wanted);
  if (before !== undefined && (before === -1 || before >= from)) return before;
  const found = text.indexOf(wanted, from);
  known.set(wanted, found);
  return found;
}

/** What is quoted is a name, which is kept, or a value. */
function quoted(inner: string): string {
  if (inner.length > 2 * quotedMax && /[\\/]/.test(inner) === false) return '<str>';
  const template = /\s/.test(inner) ? undefined : wordTemplate(inner);
  if (template !== undefined && (template.startsWith('<path>') || template === '<url>')) return template;
  if (inner.length > quotedMax) return '<str>';
  if (template === undefined) return words(inner);
  return template;
}

/** Parts that `name:value:…` is taken apart into. */
const partsMax = 8;
const opensWord = new Set('[{#$*.:!-');
const endsWord = new Set(']}.:!…-');

/** A word between its punctuation; `name:value` is two. */
function punctuated(word: string, parts = partsMax): string {
  if (word.length > wordMax) return '<str>';
  if (isAddress(word)) return '<ip>';
  let from = 0;
  while (from < word.length && opensWord.has(word[from]!)) from += 1;
  let to = word.length;
  while (to > from && endsWord.has(word[to - 1]!)) to -= 1;
  if (from === to) return word;
  const [before, core, after] = [word.slice(0, from), word.slice(from, to), word.slice(to)];
  const whole = wordTemplate(core);
  // A signed number is a number.
  const sign = before.endsWith('-') && whole.startsWith('<n>') ? before.slice(0, -1) : before;
  if (whole !== core && !whole.includes('<n>')) return `${sign}${whole}${after}`;
  const colon = core.indexOf(':');
  if (parts > 1 && colon > 0 && colon < core.length - 1) {
    return `${sign}${wordTemplate(core.slice(0, colon))}:${punctuated(core.slice(colon + 1), parts - 1)}${after}`;
  }
  return `${sign}${whole}${after}`;
}
