/** Part of a file: its first byte, and the one behind its last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The header asks for bytes that there are not. */
export const unsatisfiable = Symbol('unsatisfiable');

/**
 * What a `Range` header asks for. Undefined: the whole file, which is also what a header is answered with that asks for
 * several parts, or is none. RFC 9110, section 14.2.
 */
export function spanOf(range: string | undefined, size: number): Span | undefined | typeof unsatisfiable {
  const [, first, last] = /^bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return Number(last) === 0 ? unsatisfiable : { from: Math.max(0, size - Number(last)), to: size };
  const from = Number(first);
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  // A last byte before the first makes it no range at all.
  if (last !== '' && Number(last) < from) return undefined;
  return from < size ? { from, to } : unsatisfiable;
}
