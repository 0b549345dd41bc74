import { isUtf8 } from 'node:buffer';

const escapeSign = String.fromCharCode(0x1b);

/** A text of ISO-2022-JP that nobody labelled: seven bits, and escapes to its two character sets. */
const isEscaped = (text: string): boolean => text.includes(`${escapeSign}$`) || text.includes(`${escapeSign}(`);

/** A decoder for a label as mail spells it, such as `CP932`; undefined for one that nobody knows. */
function decoderOf(label: string, fatal: boolean): TextDecoder | undefined {
  const plain = label.trim().toLowerCase();
  const known: Readonly<Record<string, string>> = {
    cp932: 'shift_jis',
    'windows-932': 'shift_jis',
    cp936: 'gbk',
    cp949: 'euc-kr',
    cp950: 'big5',
    'iso-8859-8-i': 'iso-8859-8',
  };
  for (const name of [plain, known[plain], plain.replace(/^x-/, ''), plain.replace(/^cp(?=125\d$)/, 'windows-')]) {
    if (name === undefined) continue;
    try {
      return new TextDecoder(name, { fatal });
    } catch {
      // The next spelling may be known.
    }
  }
  return undefined;
}

/**
 * The text of a part of a mail, by what it says and by what it is: bytes that are UTF-8 beyond ASCII are that, whatever
 * the label; then the label counts, where the bytes fit it; then escapes of ISO-2022-JP; at last Windows-1252, which all bytes
 * fit. Never throws, and holds no NUL, which PostgreSQL does not take.
 */
export function guessText(bytes: Uint8Array, label: string | undefined): string {
  return decoded(bytes, label).replaceAll('\0', '');
}

function decoded(bytes: Uint8Array, label: string | undefined): string {
  const isWide = /^utf-?(16|32)|ucs/i.test(label?.trim() ?? '');
  if (!isWide && isUtf8(bytes)) {
    const text = new TextDecoder().decode(bytes);
    const isAscii = text.length === bytes.length;
    if (!isAscii) return text;
    if (label !== undefined) {
      const labelled = decoderOf(label, true);
      if (labelled !== undefined && labelled.encoding === 'iso-2022-jp') return fitting(labelled, bytes) ?? text;
    }
    return isEscaped(text) ? (fitting(new TextDecoder('iso-2022-jp', { fatal: true }), bytes) ?? text) : text;
  }
  const strict = label === undefined ? undefined : decoderOf(label, true);
  // ASCII is a name of Windows-1252 to decoders.
  const fits = strict === undefined ? undefined : fitting(strict, bytes);
  return fits ?? new TextDecoder('windows-1252').decode(bytes);
}

function fitting(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Header lines as UTF-8: those in other bytes, which no standard allows, are guessed one by one. */
export function asUtf8Lines(block: Buffer): Buffer {
  if (isUtf8(block)) return block;
  const lines: Buffer[] = [];
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(0x0a, at);
    const next = end < 0 ? block.length : end + 1;
    const line = block.subarray(at, next);
    lines.push(isUtf8(line) ? line : Buffer.from(new TextDecoder('windows-1252').decode(line)));
    at = next;
  }
  return Buffer.concat(lines);
}

/** A header's value, which may hold raw escapes of ISO-2022-JP, on one line and without control characters. */
export function headerText(value: string): string {
  const text = isEscaped(value) ? guessText(Buffer.from(value, 'latin1'), undefined) : value;
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim();
}
