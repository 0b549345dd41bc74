import type { Automaton, Edge } from './automaton.ts';
import type { Span } from './parse-glob.ts';

export interface Overlap {
  /** Whether some path is matched by both. */
  readonly overlaps: boolean;
  /** Pairs of states, and of spans of characters, that were looked at. */
  readonly steps: number;
}

/**
 * Whether two globs overlap, exactly: whether the automaton that goes along both at once reaches an end of both. It is
 * never built; its states are pairs, each looked at once at most, so the cost is bounded by the product of the sizes.
 */
export function overlapOf(left: Automaton, right: Automaton): Overlap {
  const width = right.edges.length;
  // Two bits for each pair: seen where a segment begins, and seen within one. No segment is empty.
  const seen = new Uint8Array(left.edges.length * width);
  const open: number[] = [];
  const visit = (l: number, r: number, within: 1 | 2) => {
    const pair = l * width + r;
    if ((seen[pair]! & within) !== 0) return;
    seen[pair]! |= within;
    open.push(pair * 4 + within);
  };
  visit(left.start, right.start, 1);
  let steps = 0;
  while (open.length > 0) {
    const next = open.pop()!;
    const within = (next % 4) as 1 | 2;
    const pair = (next - within) / 4;
    const r = pair % width;
    const l = (pair - r) / width;
    steps++;
    if (within === 1 && left.accepting.has(l) && right.accepting.has(r)) return { overlaps: true, steps };
    for (const to of left.free[l]!) visit(to, r, within);
    for (const to of right.free[r]!) visit(l, to, within);
    for (const one of left.edges[l]!) {
      for (const other of right.edges[r]!) {
        if (one.spans === null || other.spans === null) {
          if (one.spans === other.spans && within === 2 && mayEndTogether(one, other)) visit(one.to, other.to, 1);
        } else {
          steps += one.spans.length + other.spans.length;
          if (meet(one.spans, other.spans)) visit(one.to, other.to, 2);
        }
      }
    }
  }
  return { overlaps: false, steps };
}

/** Whether two slashes may end one segment. */
const mayEndTogether = (one: Edge, other: Edge): boolean =>
  !(one.wantsSpelt === true && other.spelt !== true) && !(other.wantsSpelt === true && one.spelt !== true);

/** Whether some character is in both; the spans of each are in order and apart. */
function meet(left: readonly Span[], right: readonly Span[]): boolean {
  for (let l = 0, r = 0; l < left.length && r < right.length; ) {
    const [one, other] = [left[l]!, right[r]!];
    if (one.from <= other.to && other.from <= one.to) return true;
    if (one.to < other.to) l++;
    else r++;
  }
  return false;
}
