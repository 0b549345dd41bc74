import { type Automaton, automatonOf } from './automaton.ts';
import { literalPrefix, mayMeet } from './literal-prefix.ts';
import { overlapOf } from './overlap.ts';

/** Globs that are compared with one another: each is taken apart once, and only if its beginning does not decide. */
export class ComparedGlobs {
  readonly #automata = new Map<string, Automaton>();
  readonly #prefixes = new Map<string, string>();
  #steps = 0;

  /** Work that was done, in pairs of states and in states made; what a beginning decides is next to nothing. */
  get steps(): number {
    return this.#steps;
  }

  /** How many were taken apart. */
  get built(): number {
    return this.#automata.size;
  }

  /** Whether some path is matched by both. */
  overlap(left: string, right: string): boolean {
    this.#steps += 1;
    if (!mayMeet(this.#prefixOf(left), this.#prefixOf(right))) return false;
    const { overlaps, steps } = overlapOf(this.#automatonOf(left), this.#automatonOf(right));
    this.#steps += steps;
    return overlaps;
  }

  #prefixOf(glob: string): string {
    let prefix = this.#prefixes.get(glob);
    if (prefix === undefined) this.#prefixes.set(glob, (prefix = literalPrefix(glob)));
    return prefix;
  }

  #automatonOf(glob: string): Automaton {
    let automaton = this.#automata.get(glob);
    if (automaton === undefined) {
      this.#automata.set(glob, (automaton = automatonOf(glob)));
      // Making one is linear in its length.
      this.#steps += automaton.edges.length;
    }
    return automaton;
  }
}
