import { createHash } from 'node:crypto';

/** A file of an archive. */
export interface BundleFile {
  /** ASCII, with forward slashes, relative. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What a manifest says of a file. */
export interface ManifestEntry {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal, small letters. */
  readonly sha256: string;
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A file of text: UTF-8, lines that end with LF, and a final one. */
export function textFile(path: string, text: string): BundleFile {
  const lines = text.replace(/\r\n?/g, '\n');
  return { path, bytes: Buffer.from(lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`) };
}

/** A file of JSON, in the order in which its members were written. */
export const jsonFile = (path: string, value: unknown): BundleFile => textFile(path, JSON.stringify(value, null, 2));

/** In byte order of their paths, as archives have them. */
export const inOrder = <Entry extends { readonly path: string }>(entries: readonly Entry[]): Entry[] =>
  entries.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));

/** What there is of each file, in the order of the archive. */
export const manifestEntries = (files: readonly BundleFile[]): ManifestEntry[] =>
  inOrder(files).map(({ path, bytes }) => ({ path, bytes: bytes.length, sha256: sha256Of(bytes) }));

/** The `manifest.json` of an archive, which lists all other files of it. */
export const manifestFile = (files: readonly BundleFile[]): BundleFile =>
  jsonFile('manifest.json', { algorithm: 'sha256', files: manifestEntries(files) });
