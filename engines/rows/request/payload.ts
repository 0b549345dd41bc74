import { refusals } from '../errors.ts';
import { csvToObjects } from './csv.ts';
import type { BodyKind } from './media-type.ts';
import { readParams } from './query-params.ts';
import { type ScannedRows, scanRows } from './scan-rows.ts';

/** The body of a request, with the names it gives values to. */
export interface Payload {
  /** JSON text, or the plain bytes for a function that takes them as they are. */
  readonly bytes: Buffer;
  readonly keys: readonly string[];
  /** One object; otherwise an array of them. */
  readonly isObject: boolean;
  /** The same rows as lists, where they are many and plain. */
  readonly scanned?: ScannedRows | undefined;
}

/** A body of fewer bytes is not worth to be taken apart. */
const scannedFrom = 16 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const emptyArray: Payload = { bytes: Buffer.from('[]'), keys: [], isObject: false };

/**
 * The rows that a body holds.
 *
 * @param columns names given in the address: the body is not looked into then
 * @throws PGRST102
 */
export function readRows(body: Uint8Array, kind: BodyKind, columns: readonly string[] | undefined): Payload {
  if (kind === 'csv') {
    const rows = csvToObjects(decode(body));
    const keys = commonKeys(rows, 'All lines must have same number of fields');
    return rows.length === 0 ? emptyArray : { bytes: Buffer.from(JSON.stringify(rows)), keys, isObject: false };
  }
  if (kind === 'form') return ofObject(Object.fromEntries(readParams(decode(body))));
  if (kind !== 'json')
    throw refusals.body(
      `Content-Type not acceptable: ${kind === 'bytes' ? 'application/octet-stream' : `text/${kind === 'xml' ? 'xml' : 'plain'}`}`,
    );
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (columns !== undefined) return { bytes, keys: columns, isObject: firstCharacter(bytes) === '{' };
  const scanned = bytes.length < scannedFrom ? undefined : scanRows(bytes);
  if (scanned !== undefined) return { bytes, keys: scanned.keys, isObject: false, scanned };
  const value = parseJson(body);
  if (Array.isArray(value)) {
    const keys = commonKeys(value, 'All object keys must match');
    return value.length === 0 ? emptyArray : { bytes, keys, isObject: false };
  }
  if (typeof value === 'object' && value !== null) return { bytes, keys: Object.keys(value), isObject: true };
  return emptyArray;
}

/** @throws PGRST102 */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(decode(body));
  } catch {
    throw refusals.body('Empty or invalid json');
  }
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw refusals.body('The body is not UTF-8');
  }
}

export const ofObject = (value: Readonly<Record<string, unknown>>): Payload => ({
  bytes: Buffer.from(JSON.stringify(value)),
  keys: Object.keys(value),
  isObject: true,
});

/** The members that rows have, all of them the same. */
function commonKeys(rows: readonly unknown[], refusal: string): readonly string[] {
  let keys: string[] | undefined;
  let names: Set<string> | undefined;
  for (const row of rows) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) throw refusals.body(refusal);
    const own = Object.keys(row);
    keys ??= own;
    names ??= new Set(own);
    if (own.length !== keys.length || !own.every((key) => names!.has(key))) throw refusals.body(refusal);
  }
  return keys ?? [];
}

/** The first character that is not blank. */
export function firstCharacter(bytes: Uint8Array): string {
  for (const byte of bytes)
    if (byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13) return String.fromCharCode(byte);
  return '';
}
