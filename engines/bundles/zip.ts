import { type Zippable, zipSync } from 'fflate';
import { type BundleFile, inOrder } from './bundle-file.ts';

/** An ordinary file that all may read and its owner may write, as archives made on Unix have it. */
const unix = 3;
const mode = 0o100644 * 2 ** 16;

/**
 * A ZIP archive whose bytes follow from its files alone: the compressor is JavaScript, so that neither the machine nor
 * the runtime has a say, and every entry has the same time, written as archives have times: by the wall clock of
 * wherever it is made, which is why this one is made by it. Contract 00, section 5.1.
 *
 * @throws RangeError for a path that is not relative, plain and ASCII, and for one that is given twice
 */
export function zip(files: readonly BundleFile[]): Uint8Array {
  const entries: Zippable = Object.create(null);
  for (const { path, bytes } of inOrder(files)) {
    if (!isPlain(path)) throw new RangeError('A path of an archive is relative, and plain ASCII.');
    if (path in entries) throw new RangeError('A path of an archive is given once.');
    entries[path] = bytes;
  }
  return zipSync(entries, { level: 9, mtime: new Date(1980, 0, 1), os: unix, attrs: mode });
}

/** No empty part and no dots alone, which would lead out of where it is unpacked; no mere number, whose place is not kept. */
const isPlain = (path: string): boolean =>
  /^[\x21-\x7e]+$/.test(path) &&
  !/[\\:]/.test(path) &&
  !/^\d+$/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
