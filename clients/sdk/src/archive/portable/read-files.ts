// Printed by npm run generate from engines/archives/portable.
import { createHash } from 'node:crypto';
import { ArchiveFault, type Diagnostic, structureFault } from './diagnostics.ts';
import { type ArchiveLimits, documents, indexPath, layoutPath } from './format.ts';
import { isSafePath } from './paths.ts';
import { strictJson } from './strict-json.ts';
import type { ArchiveFile } from './tar-read.ts';

/** A file of an archive that was read. */
export interface ReadFile {
  readonly size: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** Where its bytes begin in the tar. */
  readonly offset?: number;
}

/** Every file of an archive, with the documents of JSON among them. */
export interface ReadFiles {
  readonly files: ReadonlyMap<string, ReadFile>;
  readonly json: ReadonlyMap<string, unknown>;
  /** The definitions of the database, by the path of their document. */
  readonly sql: ReadonlyMap<string, string>;
  /** Users that the archive names. */
  readonly subjects: number;
  readonly totalBytes: number;
  readonly found: Diagnostic[];
  /** Whether all of it was read. */
  readonly whole: boolean;
}

const foundMax = 100;
/** Longest line that tells of a user, in bytes. */
const lineBytesMax = 65_536;

const sqlPaths: readonly string[] = [documents['database.pre_data_sql'].path, documents['database.post_data_sql'].path];
const subjectsPath = documents['auth.subjects'].path;
/** What is read into memory: nothing else is, whatever it is called. */
const jsonPaths = new Set<string>([
  layoutPath,
  indexPath,
  ...Object.values(documents).flatMap(({ path }) => (path.endsWith('.json') ? [path] : [])),
]);

/** Reads all files of an archive once, as they come. Memory holds the documents of JSON. Never throws for what is in them. */
export async function readFiles(source: AsyncIterable<ArchiveFile>, limits: ArchiveLimits): Promise<ReadFiles> {
  const reading = new Reading(limits);
  let whole = false;
  try {
    for await (const file of source) await reading.take(file);
    whole = true;
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    reading.note(error.found);
  }
  const { files, json, sql, subjects, totalBytes, found } = reading;
  return { files, json, sql, subjects, totalBytes, found, whole };
}

class Reading {
  readonly files = new Map<string, ReadFile>();
  readonly json = new Map<string, unknown>();
  readonly sql = new Map<string, string>();
  readonly found: Diagnostic[] = [];
  subjects = 0;
  totalBytes = 0;
  readonly #limits: ArchiveLimits;
  /** Paths as a file system takes them that knows no capital letters. */
  readonly #names = new Set<string>();
  #met = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  note(found: Diagnostic): void {
    if (this.found.length < foundMax) this.found.push(found);
  }

  /** @throws ArchiveFault for what nothing more is read behind */
  async take({ path, size, offset, bytes }: ArchiveFile): Promise<void> {
    const { files, fileBytes, expandedBytes, descriptorBytes, sqlBytes } = this.#limits;
    if (++this.#met > files)
      throw new ArchiveFault('ARCHIVE_FILE_COUNT_LIMIT_EXCEEDED', `The archive has more than ${files} files.`);
    if (size > fileBytes)
      throw new ArchiveFault('ARCHIVE_SIZE_LIMIT_EXCEEDED', `The file has more than ${fileBytes} bytes.`, path);
    this.totalBytes += size;
    if (this.totalBytes > expandedBytes)
      throw new ArchiveFault('ARCHIVE_SIZE_LIMIT_EXCEEDED', `The archive has more than ${expandedBytes} bytes.`, path);
    if (!isSafePath(path))
      return this.note(structureFault('ARCHIVE_PATH_UNSAFE', 'The path of a file is not safe.', path));
    const name = path.toLowerCase();
    if (this.#names.has(name))
      return this.note(structureFault('ARCHIVE_DUPLICATE_PATH', 'The archive has a file of this path twice.', path));
    this.#names.add(name);
    const isJson = jsonPaths.has(path);
    const most = isJson ? descriptorBytes : sqlPaths.includes(path) ? sqlBytes : undefined;
    if (most !== undefined && size > most)
      throw new ArchiveFault('ARCHIVE_SIZE_LIMIT_EXCEEDED', `The file has more than ${most} bytes.`, path);
    const hash = createHash('sha256');
    const pieces: Uint8Array[] = [];
    const lines = path === subjectsPath ? new Lines((line) => this.#subject(line)) : undefined;
    for await (const piece of bytes) {
      hash.update(piece);
      if (most !== undefined) pieces.push(piece.slice());
      lines?.take(piece);
    }
    lines?.end();
    this.files.set(path, { size, sha256: hash.digest('hex'), ...(offset === undefined ? {} : { offset }) });
    if (isJson) this.#document(path, Buffer.concat(pieces));
    else if (most !== undefined) this.sql.set(path, Buffer.concat(pieces).toString('utf8'));
  }

  #document(path: string, bytes: Uint8Array): void {
    try {
      this.json.set(path, strictJson(bytes, path, this.#limits.jsonDepth));
    } catch (error) {
      if (!(error instanceof ArchiveFault)) throw error;
      this.note(error.found);
    }
  }

  #subject(line: Uint8Array): void {
    this.subjects += 1;
    try {
      subjectOf(strictJson(line, subjectsPath, this.#limits.jsonDepth));
    } catch (error) {
      if (!(error instanceof ArchiveFault)) throw error;
      this.note(error.found);
    }
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id of a user. @throws ArchiveFault for a line that tells of none */
export function subjectOf(value: unknown): string {
  const { subject_id: id, disabled } = (value ?? {}) as { readonly subject_id?: unknown; readonly disabled?: unknown };
  if (typeof id !== 'string' || !uuid.test(id) || disabled !== true)
    throw new ArchiveFault(
      'ARCHIVE_MALFORMED_JSON',
      'A line has to tell the id of a user who is disabled.',
      subjectsPath,
    );
  return id;
}

/** Lines of bytes that come in pieces. */
export class Lines {
  readonly #tell: (line: Uint8Array) => void;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(tell: (line: Uint8Array) => void) {
    this.#tell = tell;
  }

  /** @throws ArchiveFault for a line that is too long */
  take(piece: Uint8Array): void {
    let from = 0;
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, from)) {
      this.#keep(piece.subarray(from, at));
      this.end();
      from = at + 1;
    }
    this.#keep(piece.subarray(from));
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#rest.length + bytes.length > lineBytesMax)
      throw new ArchiveFault(
        'ARCHIVE_SIZE_LIMIT_EXCEEDED',
        `A line has more than ${lineBytesMax} bytes.`,
        subjectsPath,
      );
    this.#rest = Buffer.concat([this.#rest, bytes]);
  }

  end(): void {
    if (this.#rest.length === 0) return;
    const line = this.#rest;
    this.#rest = new Uint8Array(0);
    this.#tell(line);
  }
}
