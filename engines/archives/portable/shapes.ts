import { ArchiveFault } from './diagnostics.ts';

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

const malformed = (path: string, what: string) =>
  new ArchiveFault('ARCHIVE_MALFORMED_JSON', `The document is not laid out as it has to be: ${what}.`, path);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads members of one document, and tells what is wrong with them by the path of the document. */
export class Shape {
  readonly #path: string;
  readonly #at: string;
  readonly #value: Json;

  /** @param at where in the document, for people */
  constructor(value: unknown, path: string, at = 'it') {
    if (!isObject(value)) throw malformed(path, `${at} must be an object`);
    this.#path = path;
    this.#at = at;
    this.#value = value;
  }

  /** The object itself. */
  get value(): Json {
    return this.#value;
  }

  #fault(name: string, what: string): ArchiveFault {
    return malformed(this.#path, `${name} of ${this.#at} must be ${what}`);
  }

  has(name: string): boolean {
    return this.#value[name] !== undefined && this.#value[name] !== null;
  }

  raw(name: string): unknown {
    return this.#value[name];
  }

  text(name: string): string {
    const value = this.#value[name];
    if (typeof value !== 'string') throw this.#fault(name, 'a text');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#value[name];
    if (typeof value !== 'boolean') throw this.#fault(name, 'true or false');
    return value;
  }

  /** A whole number from 0 on. */
  count(name: string): number {
    const value = this.#value[name];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
      throw this.#fault(name, 'a whole number');
    return value;
  }

  /** `sha256:` and 64 hexadecimal digits. @returns the digits */
  digest(name: string): string {
    const found = /^sha256:([0-9a-f]{64})$/.exec(this.text(name))?.[1];
    if (found === undefined) throw this.#fault(name, 'a digest, sha256:<64 hexadecimal digits>');
    return found;
  }

  texts(name: string): string[] {
    return this.list(name).map((one) => {
      if (typeof one !== 'string') throw this.#fault(name, 'a list of texts');
      return one;
    });
  }

  list(name: string): readonly unknown[] {
    const value = this.#value[name];
    if (!Array.isArray(value)) throw this.#fault(name, 'a list');
    return value;
  }

  /** Objects of a list. */
  shapes(name: string): Shape[] {
    return this.list(name).map((one, at) => new Shape(one, this.#path, `${name}.${at}`));
  }

  shape(name: string): Shape {
    return new Shape(this.#value[name], this.#path, name);
  }

  entries(name: string): [string, Shape][] {
    const value = this.#value[name];
    if (!isObject(value)) throw this.#fault(name, 'an object');
    return Object.entries(value).map(([key, one]) => [key, new Shape(one, this.#path, `${name}.${key.slice(0, 100)}`)]);
  }

  /** @throws ArchiveFault for a member beside these */
  only(...names: readonly string[]): void {
    const other = Object.keys(this.#value).find((name) => !names.includes(name));
    if (other !== undefined) throw malformed(this.#path, `${this.#at} has the unknown member ${other.slice(0, 100)}`);
  }
}
