/** Characters from `from` to `to`, by code point, both included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a glob is made of. Nothing but `slash` and `tree` ever matches a `/`. */
export type Part =
  /** A character as it is written. */
  | { readonly kind: 'literal'; readonly spans: readonly [Span] }
  /** One character out of some: `?` and `[…]`. */
  | { readonly kind: 'one'; readonly spans: readonly Span[] }
  /** Any characters of one segment: `*`. */
  | { readonly kind: 'any' }
  /** Two or more stars together: any number of segments where they are a whole one, else the same as `*`. */
  | { readonly kind: 'tree' }
  | { readonly kind: 'slash' }
  /** `{a,b}`: one of these. */
  | { readonly kind: 'either'; readonly branches: readonly (readonly Part[])[] };

const slash = 0x2f;
const last = 0x10_ff_ff;

/** Everything of a segment. */
export const anySpans: readonly Span[] = [
  { from: 0, to: slash - 1 },
  { from: slash + 1, to: last },
];

/**
 * Reads a glob: `*`, `?`, `[…]` with ranges and negation, `{a,b}` inside one another, `**`, and a backslash that takes
 * from the next character what it would mean. What is not finished (`[a`, `{a`, `{a}`) is itself, as in a shell, so
 * every text is a glob.
 */
export function parseGlob(text: string): readonly Part[] {
  const characters = [...text];
  const roles = braceRoles(characters);
  /** Braces that are open: what came before each, and its branches so far. */
  const outer: { readonly before: Part[]; readonly branches: Part[][] }[] = [];
  let parts: Part[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    const role = roles.get(at);
    if (role === 'open') {
      outer.push({ before: parts, branches: [] });
      parts = [];
    } else if (role === 'comma') {
      outer.at(-1)!.branches.push(parts);
      parts = [];
    } else if (role === 'close') {
      const { before, branches } = outer.pop()!;
      before.push({ kind: 'either', branches: [...branches, parts] });
      parts = before;
    } else if (character === '\\' && at + 1 < characters.length) {
      parts.push(asWritten(characters[++at]!));
    } else if (character === '*') {
      const from = at;
      while (characters[at + 1] === '*') at++;
      parts.push({ kind: at > from ? 'tree' : 'any' });
    } else if (character === '?') {
      parts.push({ kind: 'one', spans: anySpans });
    } else {
      const found = character === '[' ? readClass(characters, at) : undefined;
      parts.push(found === undefined ? asWritten(character) : { kind: 'one', spans: found.spans });
      at = found?.end ?? at;
    }
  }
  return parts;
}

function asWritten(character: string): Part {
  if (character === '/') return { kind: 'slash' };
  const code = character.codePointAt(0)!;
  return { kind: 'literal', spans: [{ from: code, to: code }] };
}

/** Which characters open, part and close alternatives: those of braces that are closed and hold a comma. */
function braceRoles(characters: readonly string[]): ReadonlyMap<number, 'open' | 'comma' | 'close'> {
  const roles = new Map<number, 'open' | 'comma' | 'close'>();
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at];
    if (character === '\\') at++;
    else if (character === '[') at = readClass(characters, at)?.end ?? at;
    else if (character === '{') open.push({ at, commas: [] });
    else if (character === ',') open.at(-1)?.commas.push(at);
    else if (character === '}') {
      const brace = open.pop();
      if (brace === undefined || brace.commas.length === 0) continue;
      roles.set(brace.at, 'open').set(at, 'close');
      for (const comma of brace.commas) roles.set(comma, 'comma');
    }
  }
  return roles;
}

/** The class that begins with a `[`; undefined where it is not closed within its segment. */
function readClass(
  characters: readonly string[],
  start: number,
): { readonly spans: readonly Span[]; readonly end: number } | undefined {
  const negated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const spans: Span[] = [];
  let at = first;
  const take = (): number | undefined => {
    if (characters[at] === '\\') at++;
    return characters[at] === '/' ? undefined : characters[at++]?.codePointAt(0);
  };
  // A bracket that comes first is one of the characters.
  while (characters[at] !== ']' || at === first) {
    const from = take();
    if (from === undefined) return undefined;
    if (characters[at] !== '-' || characters[at + 1] === ']') {
      spans.push({ from, to: from });
      continue;
    }
    at++;
    const to = take();
    if (to === undefined) return undefined;
    spans.push({ from, to });
  }
  return { spans: inSegment(negated ? complement(spans) : merged(spans)), end: at };
}

/** The same characters in as few spans as there can be, in order. */
function merged(spans: readonly Span[]): Span[] {
  const whole: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((left, right) => left.from - right.from)) {
    const last = whole.at(-1);
    if (from > to) continue;
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else whole.push({ from, to });
  }
  return whole;
}

/** Everything else. */
function complement(spans: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let next = 0;
  for (const { from, to } of spans.toSorted((left, right) => left.from - right.from)) {
    if (from > to) continue;
    if (from > next) rest.push({ from: next, to: from - 1 });
    next = Math.max(next, to + 1);
  }
  if (next <= last) rest.push({ from: next, to: last });
  return rest;
}

/** Without the slash, which parts segments and is in none. */
const inSegment = (spans: readonly Span[]): Span[] =>
  spans
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, slash - 1) },
      { from: Math.max(from, slash + 1), to },
    ])
    .filter(({ from, to }) => from <= to);
