import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A file that a command has left. */
export interface LeftFile {
  readonly name: string;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly open: () => Readable;
}

/** A command left more in `/out` than may be. */
export class CommandFilesError extends Error {
  override readonly name = 'CommandFilesError';
}

/** Files of one command together, in bytes. */
const bytesMost = 64 * 1024 * 1024;

/** How many files a command may leave. */
const filesMost = 1_000;

/** Longest name of a file, in UTF-16 units: no file system has longer ones. */
const nameMax = 255;

/** Writes down what a command leaves, as it comes: none of it stays in memory. */
export class LeftFiles {
  readonly #folder: string;
  readonly #files = new Map<
    string,
    { readonly path: string; readonly hash: ReturnType<typeof createHash>; size: number }
  >();
  #total = 0;
  /** The file that comes just now. */
  #current: { readonly name: string; readonly handle: FileHandle } | undefined;

  /** @param folder an empty one; names in it are numbers, whatever the files are called */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes the next part of a file. @throws CommandFilesError */
  async add(name: string, part: Uint8Array): Promise<void> {
    if (name.length > nameMax) throw new CommandFilesError('The command has left a file with a name that is too long.');
    this.#total += part.length;
    if (this.#total > bytesMost) throw new CommandFilesError('The command has left more than 64 MiB of files.');
    let file = this.#files.get(name);
    if (file === undefined) {
      if (this.#files.size === filesMost) throw new CommandFilesError('The command has left more than 1,000 files.');
      file = { path: join(this.#folder, String(this.#files.size)), hash: createHash('sha256'), size: 0 };
      this.#files.set(name, file);
    }
    if (this.#current?.name !== name) {
      await this.#current?.handle.close();
      this.#current = { name, handle: await open(file.path, 'a') };
    }
    file.hash.update(part);
    file.size += part.length;
    await this.#current.handle.appendFile(part);
  }

  /** Nothing more comes. */
  async close(): Promise<void> {
    await this.#current?.handle.close();
  }

  /** What was left: asked for once, at the end. */
  files(): LeftFile[] {
    return [...this.#files].map(([name, { path, hash, size }]) => ({
      name,
      sha256: hash.digest('hex'),
      size,
      open: () => createReadStream(path),
    }));
  }
}
