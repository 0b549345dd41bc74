/** How much of an answer there may be, or is. */
export interface AnswerSize {
  /** As JSON writes it, with the names that it repeats in every row. */
  readonly bytes: number;
  /** Values, those inside of lists and documents among them: each is an object of its own while it is answered. */
  readonly values: number;
}

/** Types whose values are words, whatever they begin with. */
const words = new Set([19, 25, 1042, 1043]);
/** Types that are lists, and written as `1 2`. */
const spaced = new Set([22, 30]);

/** Measures the rows of an answer as they arrive, before anything is made of them. */
export class AnswerScale {
  readonly #most: AnswerSize;
  #columns: readonly { readonly typeId: number }[] = [];
  #namesBytes = 0;
  #bytes = 0;
  #values = 0;

  /** @param most from which on it is too much */
  constructor(most: AnswerSize) {
    this.#most = most;
  }

  get taken(): AnswerSize {
    return { bytes: this.#bytes, values: this.#values };
  }

  columns(fields: readonly { readonly name: string; readonly typeId: number }[]): void {
    this.#columns = fields;
    // Quotes, a colon and a comma.
    this.#namesBytes = fields.reduce((sum, { name }) => sum + Buffer.byteLength(name) + 4, 0);
  }

  /** @returns what there is too much of, with this row */
  row(cells: readonly (string | null)[]): keyof AnswerSize | undefined {
    this.#bytes += this.#namesBytes;
    for (const [at, cell] of cells.entries()) this.#cell(cell, this.#columns[at]?.typeId ?? 0);
    if (this.#bytes > this.#most.bytes) return 'bytes';
    return this.#values > this.#most.values ? 'values' : undefined;
  }

  #cell(cell: string | null, typeId: number): void {
    this.#values += 1;
    if (cell === null) {
      this.#bytes += 4;
      return;
    }
    const isList = spaced.has(typeId) || (!words.has(typeId) && /^\s*[[{]/.test(cell));
    let bytes = 2;
    let values = 0;
    for (let at = 0; at < cell.length; at += 1) {
      const code = cell.charCodeAt(at);
      if (code < 32) bytes += shortEscapes.has(code) ? 2 : 6;
      else bytes += code === 34 || code === 92 ? 2 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
      // A comma, a space in place of one, or what opens a list or a document.
      if (isList && (code === 44 || code === 91 || code === 123 || (code === 32 && spaced.has(typeId)))) values += 1;
    }
    this.#bytes += bytes;
    this.#values += values;
  }
}

/** Control characters that JSON has a letter for. */
const shortEscapes = new Set([8, 9, 10, 12, 13]);
