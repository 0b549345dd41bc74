import { anySpans, type Part, parseGlob, type Span } from './parse-glob.ts';

/** A way from one state to another along one character: some of a segment, or the slash (`null`). */
export interface Edge {
  readonly spans: readonly Span[] | null;
  readonly to: number;
  /** Of a slash: whether the segment that it ends was written out, without a wildcard. */
  readonly spelt?: boolean;
  /** Of a slash: only together with one that ends a segment which is written out. */
  readonly wantsSpelt?: boolean;
}

/**
 * The paths that a glob matches, as a nondeterministic automaton. It reads a path with a slash after each segment,
 * the last one too, so that every segment ends alike.
 */
export interface Automaton {
  /** Ways out of each state. */
  readonly edges: readonly (readonly Edge[])[];
  /** States that are reached from each without a character. */
  readonly free: readonly (readonly number[])[];
  readonly start: number;
  readonly accepting: ReadonlySet<number>;
}

/**
 * What the segment so far was made of: nothing, where the path (`root`) or a further segment (`fresh`) begins;
 * characters alone (`plain`), among them a dot that is not the first (`dotted`); wildcards too (`wild`); or a `**` that
 * matches whole segments (`tree`).
 */
type Segment = 'root' | 'fresh' | 'plain' | 'dotted' | 'wild' | 'tree';

/** States by what their segment was made of: the same text may have come about by different branches. */
type Ends = ReadonlyMap<Segment, number>;

/**
 * A glob as an automaton, of a number of states that is linear in its length: braces are branches, never multiplied out.
 * A glob whose last segment has no wildcard names a file or a directory, and matches all below it, too. A name with a
 * dot in it is rather a file's: `src/a.js` is a directory for a glob that spells it as one, such as `src/a.js/b`, and never
 * because a wildcard could stand for it.
 */
export function automatonOf(glob: string): Automaton {
  const builder = new Builder();
  const start = builder.state();
  // `./src` is `src`; the directory that all is in matches everything.
  const text = glob.replace(/^(\.?\/)+/, '');
  if (text === '' || text === '.') {
    builder.anySegments(start);
    return builder.finish(start, [start]);
  }
  const ends = builder.sequence(parseGlob(text), new Map([['root', start]]));
  const whole = builder.state();
  const exact = builder.state();
  for (const [segment, state] of ends) {
    // Something that matches no path at all, such as one branch of `{a,}`.
    if (segment === 'root') continue;
    if (segment === 'tree') builder.jump(state, exact);
    else if (segment === 'fresh') builder.jump(state, whole);
    else builder.slash(state, segment, segment === 'plain' ? whole : exact);
    if (segment === 'dotted') builder.slash(state, segment, whole, true);
  }
  builder.anySegments(whole);
  return builder.finish(start, [whole, exact]);
}

/** States that a glob with wildcards or alternatives may have. Two are compared in a few milliseconds at most. */
const statesMax = 256;

/**
 * Whether a glob is so long, or of so many alternatives, that comparing many like it would hold up others. One without
 * wildcards never is: it has one way to be gone along.
 */
export const isTooIntricate = (glob: string): boolean =>
  /[*?[{]/.test(glob) && automatonOf(glob).edges.length > statesMax;

class Builder {
  readonly #edges: Edge[][] = [];
  readonly #free: number[][] = [];

  state(): number {
    this.#free.push([]);
    return this.#edges.push([]) - 1;
  }

  edge(from: number, spans: readonly Span[] | null, to: number): void {
    this.#edges[from]!.push({ spans, to });
  }

  slash(from: number, segment: Segment, to: number, wantsSpelt = false): void {
    this.#edges[from]!.push({ spans: null, to, spelt: segment === 'plain' || segment === 'dotted', wantsSpelt });
  }

  jump(from: number, to: number): void {
    this.#free[from]!.push(to);
  }

  /** Any number of segments, back to where they began. */
  anySegments(at: number): void {
    const inside = this.state();
    this.edge(at, anySpans, inside);
    this.edge(inside, anySpans, inside);
    this.edge(inside, null, at);
  }

  finish(start: number, accepting: readonly number[]): Automaton {
    return { edges: this.#edges, free: this.#free, start, accepting: new Set(accepting) };
  }

  sequence(parts: readonly Part[], from: Ends): Ends {
    let ends = from;
    for (const part of parts) ends = this.#part(part, ends);
    return ends;
  }

  #part(part: Part, from: Ends): Ends {
    const to = new Map<Segment, number>();
    const target = (segment: Segment): number => {
      let state = to.get(segment);
      if (state === undefined) to.set(segment, (state = this.state()));
      return state;
    };
    if (part.kind === 'either') {
      for (const branch of part.branches) {
        for (const [segment, state] of this.sequence(branch, from)) this.jump(state, target(segment));
      }
      return to;
    }
    for (const [segment, state] of from) {
      // After a `**` that matches whole segments only a slash can come.
      if (segment === 'tree' && part.kind !== 'slash') continue;
      switch (part.kind) {
        case 'literal':
          this.edge(state, part.spans, target(after(segment, part.spans[0].from)));
          break;
        case 'one':
          this.edge(state, part.spans, target('wild'));
          break;
        case 'slash':
          // Those that stand together are one, and a path begins with none. A `**` has taken its own already.
          if (segment === 'root') this.jump(state, target('root'));
          else if (segment === 'fresh' || segment === 'tree') this.jump(state, target('fresh'));
          else this.slash(state, segment, target('fresh'));
          break;
        default: {
          const wild = target('wild');
          this.jump(state, wild);
          // Beginning a segment, two stars may turn out to be all of it.
          if (part.kind === 'tree' && (segment === 'root' || segment === 'fresh')) this.jump(state, target('tree'));
        }
      }
    }
    // The loops of stars, once for all that come there.
    if (part.kind === 'any' || part.kind === 'tree') {
      const wild = to.get('wild');
      if (wild !== undefined) this.edge(wild, anySpans, wild);
      const tree = to.get('tree');
      if (tree !== undefined) this.anySegments(tree);
    }
    return to;
  }
}

const dot = 0x2e;

/** What a segment is made of with one more character. */
function after(segment: Segment, character: number): Segment {
  if (segment === 'wild' || segment === 'dotted') return segment;
  return segment === 'plain' && character === dot ? 'dotted' : 'plain';
}
