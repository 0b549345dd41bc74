/** What ends a word that an address may be: blanks, quotes and brackets that no address holds. */
const between = /[\s<>"`“”„«»]+/u;

/** Longest word that is looked at for a bare name; an address with a scheme may be of any length, and is judged later. */
const nameLengthMax = 2_048;

const opening = /^[('‘[{*_]+/u;
const closing: ReadonlySet<string> = new Set(".,;:!?)'’]}*_");

/** A host name of two labels or more, with or without a path. */
const named =
  /^((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(\p{L}{2,63}|xn--[a-z0-9-]{2,59}))(?:[/?#].*)?$/iu;

/** Endings of files, which texts about sites are full of. */
const files: ReadonlySet<string> = new Set(
  'txt md json jsonld xml html htm css js ts pdf csv yml yaml zip png jpg svg'.split(' '),
);

/** The first address or host name in a text; undefined when there is none. */
export function findTarget(text: string): string | undefined {
  for (const word of text.split(between)) {
    const found = addressIn(word) ?? nameIn(word);
    if (found !== undefined) return found;
  }
  return undefined;
}

function addressIn(word: string): string | undefined {
  const at = word.indexOf('://');
  let from = at;
  // By hand: a search that goes back and forth takes the square of a long word's length.
  while (from > 0 && /[a-z0-9+.-]/i.test(word[from - 1]!)) from -= 1;
  return at === -1 || from === at ? undefined : withoutEnd(word.slice(from));
}

function nameIn(word: string): string | undefined {
  if (word.length > nameLengthMax) return undefined;
  const bare = withoutEnd(word.replace(opening, ''));
  const match = named.exec(bare);
  return match === null || files.has(match[2]!.toLowerCase()) ? undefined : bare;
}

/** A word without the marks that a text ends it with. By hand, for the same reason. */
function withoutEnd(word: string): string {
  let to = word.length;
  while (to > 0 && closing.has(word[to - 1]!)) to -= 1;
  return word.slice(0, to);
}
