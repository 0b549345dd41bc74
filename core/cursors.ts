import { createHash } from 'node:crypto';
import type { KeyRing } from './keys.ts';

/**
 * Sealed cursors: a prefix and base64url of (version, kind, feed and view digest, position, MAC). A client can neither
 * read nor make one, and a cursor is good only for the view that gave it out. Contract 01, 1.17; contract 02, 1.3.
 *
 * The MAC of a feed's cursor covers the epoch of the installation too: in another epoch, positions are given out again.
 */
export interface CursorView {
  /** Shown in front of the cursor, for example `mcr_`; may be empty. */
  readonly prefix: string;
  readonly kind: 'feed' | 'list';
  /** What is read and how: the feed with its filters, or the list with its order. */
  readonly view: string;
  /** Longest cursor that is looked at, in characters. @default 512 */
  readonly lengthMax?: number;
}

const version = 1;
const kinds = { feed: 1, list: 2 } as const;
const digestBytes = 12;
const macBytes = 12;
const headBytes = 2 + digestBytes;

const digests = new Map<string, Buffer>();
const digestsMax = 4096;

/** Digests of views repeat for every row of a page, so the latest are kept. */
function digestOf(view: string): Buffer {
  let digest = digests.get(view);
  if (digest === undefined) {
    digest = createHash('sha256').update(view).digest().subarray(0, digestBytes);
    if (digests.size >= digestsMax) digests.clear();
    digests.set(view, digest);
  }
  return digest;
}

/** What the MAC covers. An epoch has no byte below 0x20, and cursors begin with one, so both are told apart. */
function sealedBytes(keys: KeyRing, kind: CursorView['kind'], data: Buffer): Buffer {
  return kind === 'list' || keys.feedEpoch === '' ? data : Buffer.concat([Buffer.from(keys.feedEpoch), data]);
}

/** Seals a position of a view. */
export function sealCursor(keys: KeyRing, { prefix, kind, view }: CursorView, position: string): string {
  const data = Buffer.concat([Buffer.from([version, kinds[kind]]), digestOf(view), Buffer.from(position)]);
  const mac = keys.mac('cursors', sealedBytes(keys, kind, data)).subarray(0, macBytes);
  return prefix + Buffer.concat([data, mac]).toString('base64url');
}

/** The position of a cursor, or undefined when it is not one that this view gave out. */
export function openCursor(
  keys: KeyRing,
  { prefix, kind, view, lengthMax = 512 }: CursorView,
  cursor: string,
): string | undefined {
  if (!cursor.startsWith(prefix) || cursor.length > lengthMax) return undefined;
  const text = cursor.slice(prefix.length);
  const bytes = Buffer.from(text, 'base64url');
  // Node decodes leniently; only the exact spelling that was given out is accepted.
  if (bytes.length < headBytes + macBytes || bytes.toString('base64url') !== text) return undefined;
  const data = bytes.subarray(0, -macBytes);
  if (data[0] !== version || data[1] !== kinds[kind] || !data.subarray(2, headBytes).equals(digestOf(view)))
    return undefined;
  if (!keys.verifyMac('cursors', sealedBytes(keys, kind, data), bytes.subarray(-macBytes))) return undefined;
  return data.subarray(headBytes).toString();
}
