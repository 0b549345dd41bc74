/** A piece of a copy, by its content. */
export interface Part {
  /** SHA-256 of what is stored, which is its name. */
  readonly sha256: string;
  /** Length of what is stored. */
  readonly bytes: number;
  /** SHA-256 of what was given, before it was compressed. */
  readonly content: string;
}

/** A part is missing, or is not what its name says. */
export class DamagedPartError extends Error {
  override readonly name = 'DamagedPartError';
  readonly part: string;

  constructor(part: string, reason: string) {
    super(`The part ${part} ${reason}.`);
    this.part = part;
  }
}

/** One part that is being written. */
export interface PartWriter {
  readonly write: (bytes: Buffer) => Promise<void>;
  /** Keeps it, unless the store has the same content already. */
  readonly end: () => Promise<Part>;
  readonly discard: () => Promise<void>;
}

/** Where the parts of a copy are read from. */
export interface PartReader {
  /** Reads a part as it was given. */
  readonly read: (part: Part) => AsyncIterable<Buffer>;
  /** @throws DamagedPartError */
  readonly readText: (part: Part) => Promise<string>;
}

/** Where the parts of a copy are kept. */
export interface PartStore extends PartReader {
  readonly writer: () => Promise<PartWriter>;
  /** Stores a text. */
  readonly text: (text: string) => Promise<Part>;
}
