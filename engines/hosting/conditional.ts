/** Headers that make an answer depend on what the client has. */
export interface Conditions {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

export interface Representation {
  /** A strong entity tag of the bytes that would be sent, with its quotation marks. */
  readonly tag: string;
  /** Tags of the same file in whatever coding: a client that has one of them has the file. */
  readonly tags: ReadonlySet<string>;
  /** In bytes. */
  readonly size: number;
}

/** Bytes from `start` to `end`, which belongs to them. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type ConditionalAnswer =
  | { readonly status: 200 | 304 | 412 | 416 }
  | { readonly status: 206; readonly span: Span };

const whole = { status: 200 } as const;

/** A list of entity tags: none of the marks that separate them is in one. */
const listed = /(?:^|,)\s*((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*")\s*(?=,|$)/g;

function names(header: string, known: ReadonlySet<string>, isStrong: boolean): boolean {
  if (header.trim() === '*') return true;
  for (const [, tag] of header.matchAll(listed))
    if (tag !== undefined && known.has(isStrong ? tag : tag.replace(/^W\//, ''))) return true;
  return false;
}

/**
 * What a GET or HEAD is answered with. Conditions by date are not looked at: files have no date, and a tag takes
 * precedence over one. One range is answered; several, or what is no range of bytes, are answered by the whole. RFC 9110,
 * sections 13 and 14.
 *
 * @param method ranges are for GET alone
 */
export function conditionalAnswer(method: string, asked: Conditions, of: Representation): ConditionalAnswer {
  const { tag, tags, size } = of;
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-range': ifRange, range } = asked;
  if (ifMatch !== undefined && !names(ifMatch, tags, true)) return { status: 412 };
  if (ifNoneMatch !== undefined && names(ifNoneMatch, tags, false)) return { status: 304 };
  if (range === undefined || method !== 'GET') return whole;
  // Only bytes that are the same for certain can be put together; a date says nothing here.
  if (ifRange !== undefined && ifRange.trim() !== tag) return whole;
  return rangeOf(range, size);
}

function rangeOf(header: string, size: number): ConditionalAnswer {
  const found = /^\s*bytes\s*=\s*(?:(\d+)\s*-\s*(\d*)|-\s*(\d+))\s*$/i.exec(header);
  if (found === null) return whole;
  const [, first, last, suffix] = found;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? { status: 416 } : { status: 206, span: { start: size - length, end: size - 1 } };
  }
  const start = Number(first);
  const end = last === undefined || last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (end < start) return whole;
  if (start >= size) return { status: 416 };
  return { status: 206, span: { start, end: Math.min(end, size - 1) } };
}
