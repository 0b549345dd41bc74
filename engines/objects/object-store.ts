import type { Readable } from 'node:stream';

/** An object that is on its way. What is kept of it between two requests is the caller's to keep. */
export interface Upload {
  /** Letters, digits and `_`; unique among all uploads. */
  readonly id: string;
  /** Length of the object, in bytes. */
  readonly size: number;
}

/** A part of an object. */
export interface Part {
  /** From 1. */
  readonly number: number;
  /** Length in bytes. */
  readonly size: number;
  /** SHA-256 of the part in base64, where the sender says it. */
  readonly sha256?: string | undefined;
}

/** A part that has arrived. */
export interface ArrivedPart {
  readonly number: number;
  /** As {@link ObjectStore.putPart} answered it. */
  readonly etag: string;
}

/** Bytes by their SHA-256. */
export interface Content {
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/** Bytes from `start` to `end`, which belongs to them. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Objects by the SHA-256 of their bytes. An object that is there is whole and on the disk. Every method throws
 * {@link StorageUnavailableError} when the store is full or away, and leaves nothing half done then.
 */
export interface ObjectStore {
  /** Takes a part, on whatever node; nothing is kept of a wrong one. Parts come in any order, and again. */
  putPart(
    upload: Upload,
    part: Part,
    body: Readable,
  ): Promise<{ readonly etag: string } | 'wrong_length' | 'wrong_checksum'>;
  /**
   * Makes an object of its parts, if its bytes are what they should be; may be repeated. Says `incomplete` when a part
   * is not there.
   */
  finish(upload: Upload, content: Content, parts: readonly ArrivedPart[]): Promise<'kept' | 'mismatch' | 'incomplete'>;
  /** Throws away what has arrived of an upload. */
  discard(upload: Pick<Upload, 'id'>): Promise<void>;
  /** Reads an object, or a part of it. The stream has to be read or destroyed. @throws MissingObjectError */
  read(sha256: string, range?: ByteRange): Promise<Readable>;
  /** The length of an object in bytes; undefined when it is not there. */
  size(sha256: string): Promise<number | undefined>;
  /** Removes an object; whoever is reading it reads on. */
  remove(sha256: string): Promise<void>;
  /** Objects that were there before a moment, by the first two digits of their SHA-256; in batches. */
  objectsBefore(moment: Date, prefix: string): AsyncIterable<readonly string[]>;
  /** Ids of uploads that nothing has arrived of since a moment; in batches. */
  uploadsBefore(moment: Date): AsyncIterable<readonly string[]>;
  /** Ends what was begun before a moment to be put together, and was left when its node stopped. */
  endBefore(moment: Date): Promise<void>;
}

/** The store is full, or cannot be reached. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}

/** There is no such object. */
export class MissingObjectError extends Error {
  override readonly name = 'MissingObjectError';

  constructor(sha256: string) {
    super(`There is no object ${sha256}.`);
  }
}
