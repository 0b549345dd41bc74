/** How values of a type are written in PostgreSQL's binary form. */
export interface Encoding {
  readonly oid: number;
  /** Bytes of every value. */
  readonly size: number;
  /** @returns false for every text that is not in the usual form: PostgreSQL is to read it, or to refuse it, by itself */
  readonly write: (from: Buffer, start: number, end: number, to: Buffer, at: number) => boolean;
}

/** Writes a number in four bytes by hand: the buffer's own looks at its arguments first. @returns where it ends */
export function writeInt(to: Buffer, at: number, value: number): number {
  to[at] = value >>> 24;
  to[at + 1] = value >>> 16;
  to[at + 2] = value >>> 8;
  to[at + 3] = value;
  return at + 4;
}

const two32 = 2 ** 32;

/** Exact for all whole numbers that JavaScript has. */
function writeLong(to: Buffer, at: number, value: number): void {
  const high = Math.floor(value / two32);
  writeInt(to, writeInt(to, at, high), value - high * two32);
}

/** @returns NaN for anything but digits */
function digits(from: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = from[at]! - 0x30;
    // Unsigned, so that what is below zero is large.
    if (digit >>> 0 > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** More digits might not be exact. */
const digitsMax = 15;

function whole(from: Buffer, start: number, end: number): number {
  const isNegative = from[start] === 0x2d;
  const first = isNegative ? start + 1 : start;
  if (end === first || end - first > digitsMax) return Number.NaN;
  const value = digits(from, first, end);
  return isNegative ? -value : value;
}

const smallint: Encoding = {
  oid: 21,
  size: 2,
  write: (from, start, end, to, at) => {
    const value = whole(from, start, end);
    if (!(value >= -0x8000 && value < 0x8000)) return false;
    to[at] = value >>> 8;
    to[at + 1] = value;
    return true;
  },
};

const integer: Encoding = {
  oid: 23,
  size: 4,
  write: (from, start, end, to, at) => {
    const value = whole(from, start, end);
    if (!(value >= -0x80000000 && value < 0x80000000)) return false;
    writeInt(to, at, value);
    return true;
  },
};

const bigint: Encoding = {
  oid: 20,
  size: 8,
  write: (from, start, end, to, at) => {
    const value = whole(from, start, end);
    if (Number.isNaN(value)) return false;
    writeLong(to, at, value);
    return true;
  },
};

const words = [Buffer.from('false'), Buffer.from('true')] as const;

const boolean: Encoding = {
  oid: 16,
  size: 1,
  write: (from, start, end, to, at) => {
    const value = from[start] === 0x74 ? 1 : 0;
    const word = words[value];
    if (end - start !== word.length) return false;
    for (let nth = 0; nth < word.length; nth++) if (from[start + nth] !== word[nth]) return false;
    to[at] = value;
    return true;
  },
};

/** Of a digit of a hexadecimal number; of anything else it is more than 15. */
function nibble(byte: number): number {
  const digit = byte - 0x30;
  if (digit >>> 0 <= 9) return digit;
  const letter = (byte | 0x20) - 0x61;
  return letter >>> 0 <= 5 ? letter + 10 : 16;
}

const uuid: Encoding = {
  oid: 2950,
  size: 16,
  write: (from, start, end, to, at) => {
    if (end - start !== 36) return false;
    let next = start;
    for (let nth = 0; nth < 16; nth++) {
      if ((nth === 4 || nth === 6 || nth === 8 || nth === 10) && from[next++] !== 0x2d) return false;
      const high = nibble(from[next++]!);
      const low = nibble(from[next++]!);
      if (high > 15 || low > 15) return false;
      to[at + nth] = high * 16 + low;
    }
    return true;
  },
};

/** Days before each month, in a year that is no leap year. */
const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const daysIn = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** In seconds, from 1970 to the moment that PostgreSQL counts from. */
const epoch = 946_684_800;
/** Microseconds around the epoch are exact for more years than these. */
const years = { first: 1801, last: 2199 } as const;

/** Seconds since 1970 of `2026-01-01T00:00:00`. @returns NaN for what is written in another way, or is no moment */
function secondsOf(from: Buffer, start: number): number {
  if (from[start + 4] !== 0x2d || from[start + 7] !== 0x2d) return Number.NaN;
  const between = from[start + 10];
  if ((between !== 0x54 && between !== 0x20) || from[start + 13] !== 0x3a || from[start + 16] !== 0x3a)
    return Number.NaN;
  const year = digits(from, start, start + 4);
  const month = digits(from, start + 5, start + 7);
  const day = digits(from, start + 8, start + 10);
  const hour = digits(from, start + 11, start + 13);
  const minute = digits(from, start + 14, start + 16);
  const second = digits(from, start + 17, start + 19);
  if (!(year >= years.first && year <= years.last && month >= 1 && month <= 12)) return Number.NaN;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && isLeap ? 29 : daysIn[month - 1]!;
  if (!(day >= 1 && day <= last && hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  const leaps = Math.floor((year - 1) / 4) - Math.floor((year - 1) / 100) + Math.floor((year - 1) / 400) - 477;
  const days = (year - 1970) * 365 + leaps + daysBefore[month - 1]! + (isLeap && month > 2 ? 1 : 0) + day - 1;
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

/** Where the seconds end in a text of a moment. */
const secondsEnd = 19;

const moment: Encoding = {
  oid: 1184,
  size: 8,
  write: (from, start, end, to, at) => {
    // Nothing but the zone that all clients write who say which it is.
    const isZulu = from[end - 1] === 0x5a;
    const zone = isZulu ? end - 1 : end - 6;
    if (zone < start + secondsEnd || !(isZulu || isUtc(from, zone))) return false;
    let micros = 0;
    const places = zone - start - secondsEnd - 1;
    if (places >= 0) {
      if (from[start + secondsEnd] !== 0x2e || places === 0 || places > 6) return false;
      micros = digits(from, start + secondsEnd + 1, zone) * 10 ** (6 - places);
    }
    const value = (secondsOf(from, start) - epoch) * 1e6 + micros;
    if (Number.isNaN(value)) return false;
    writeLong(to, at, value);
    return true;
  },
};

/** Whether `+00:00` is here. */
const isUtc = (from: Buffer, at: number): boolean =>
  from[at] === 0x2b &&
  from[at + 1] === 0x30 &&
  from[at + 2] === 0x30 &&
  from[at + 3] === 0x3a &&
  from[at + 4] === 0x30 &&
  from[at + 5] === 0x30;

/**
 * By the name of the type. Only where it is worth it: reading texts of these is a third of what PostgreSQL needs for a
 * row of them.
 */
export const encodings: ReadonlyMap<string, Encoding> = new Map(
  Object.entries({ smallint, integer, bigint, boolean, uuid, 'timestamp with time zone': moment }),
);
