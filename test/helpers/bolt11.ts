import { createHash } from 'node:crypto';
import { signRecoverable } from 'tiny-secp256k1';

const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Bits in groups of another size, padded with zeros. */
function regroup(values: Iterable<number>, from: number, to: number): number[] {
  const groups: number[] = [];
  let bits = 0;
  let held = 0;
  for (const value of values) {
    held = (held << from) | value;
    bits += from;
    while (bits >= to) {
      bits -= to;
      groups.push((held >> bits) & ((1 << to) - 1));
      held &= (1 << bits) - 1;
    }
  }
  if (bits > 0) groups.push((held << (to - bits)) & ((1 << to) - 1));
  return groups;
}

const wordsOf = (bytes: Uint8Array): number[] => regroup(bytes, 8, 5);

/** A number in so many words, the highest first. */
const numberOf = (value: number, words: number): number[] =>
  Array.from({ length: words }, (_one, at) => Math.floor(value / 32 ** (words - 1 - at)) % 32);

const tag = (letter: string, words: readonly number[]): number[] => [
  alphabet.indexOf(letter),
  ...numberOf(words.length, 2),
  ...words,
];

function checksum(hrp: string, words: readonly number[]): number[] {
  const expanded = [
    ...[...hrp].map((one) => one.charCodeAt(0) >> 5),
    0,
    ...[...hrp].map((one) => one.charCodeAt(0) & 31),
  ];
  const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
  let check = 1;
  for (const word of [...expanded, ...words, 0, 0, 0, 0, 0, 0]) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ word;
    for (const [bit, generator] of generators.entries()) if ((top >> bit) & 1) check ^= generator;
  }
  check ^= 1;
  return Array.from({ length: 6 }, (_one, at) => (check >>> (5 * (5 - at))) & 31);
}

export interface InvoiceFacts {
  readonly sats: bigint;
  readonly paymentHash: Buffer;
  readonly paymentSecret: Buffer;
  readonly memo: string;
  readonly expirySeconds: number;
  /** In seconds. */
  readonly createdAt: number;
}

/** An invoice of a test network, signed as BOLT 11 says. @param key of the node, 32 bytes */
export function encodeInvoice(invoice: InvoiceFacts, key: Uint8Array): string {
  const { sats, paymentHash, paymentSecret, memo, expirySeconds, createdAt } = invoice;
  const hrp = `lnbcrt${sats * 10n}n`;
  const data = [
    ...numberOf(createdAt, 7),
    ...tag('p', wordsOf(paymentHash)),
    ...tag('s', wordsOf(paymentSecret)),
    ...tag('d', wordsOf(Buffer.from(memo))),
    ...tag('x', numberOf(expirySeconds, 4)),
  ];
  const signed = createHash('sha256')
    .update(hrp)
    .update(Buffer.from(regroup(data, 5, 8)))
    .digest();
  const { signature, recoveryId } = signRecoverable(signed, key);
  const words = [...data, ...wordsOf(Buffer.from([...signature, recoveryId]))];
  return `${hrp}1${[...words, ...checksum(hrp, words)].map((word) => alphabet[word]).join('')}`;
}
