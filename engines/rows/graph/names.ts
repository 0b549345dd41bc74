/** Letters and digits that a name of GraphQL may have. */
const plain = /[A-Za-z0-9]/;
const letter = /[\p{L}\p{N}\p{M}]/u;

/** The words of a name; letters that GraphQL does not know are spelled as `u` and their number. */
function wordsOf(name: string): string[] {
  const spelled = [...name].map((one) =>
    plain.test(one) ? one : letter.test(one) ? `u${one.codePointAt(0)!.toString(16)}` : ' ',
  );
  return spelled
    .join('')
    .split(' ')
    .filter((word) => word !== '');
}

const upperFirst = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const lowerFirst = (word: string) =>
  word === word.toUpperCase() ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
const led = (name: string) => (/^\d/.test(name) ? `_${name}` : name);

/** `user_notes` as `userNotes`. What begins with an underscore keeps one. */
export function fieldNameOf(name: string): string {
  const [first = 'unnamed', ...rest] = wordsOf(name);
  const joined = lowerFirst(first) + rest.map(upperFirst).join('');
  return led(name.startsWith('_') ? `_${joined}` : joined);
}

/** `user_notes` as `UserNotes`. */
export const typeNameOf = (name: string): string => led(upperFirst(fieldNameOf(name).replace(/^_+/, '')));

/** A label of an enum: as it is, where it can be. */
export function enumNameOf(label: string): string {
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(label) && !label.startsWith('__');
  if (isName && !['true', 'false', 'null'].includes(label)) return label;
  const words = wordsOf(label);
  return led(words.length === 0 ? '_' : words.join('_').replace(/^(true|false|null)$/, '_$1'));
}

/**
 * What no member of an input is called: words of filters, and what every object of JavaScript has, which GraphQL's own
 * code would take for a value that was given.
 */
export const reservedMembers: readonly string[] = ['and', 'or', 'not', ...Object.getOwnPropertyNames(Object.prototype)];

/** Names that are taken. A later one takes the next number: `notes`, `notes2`. */
export class Names {
  readonly #taken: Set<string>;
  /** The first number that may be free, for each name that was claimed: who all go by one name do not count up anew. */
  readonly #next = new Map<string, number>();

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set(reserved);
  }

  /** @param family every name that goes with one @returns the first, of which no relative is taken */
  claim(base: string, family: (name: string) => readonly string[] = (name) => [name]): string {
    for (let number = this.#next.get(base) ?? 1; ; number++) {
      const name = number === 1 ? base : `${base}${number}`;
      const names = family(name);
      if (names.some((one) => this.#taken.has(one))) continue;
      for (const one of names) this.#taken.add(one);
      this.#next.set(base, number + 1);
      return name;
    }
  }
}
