import type { CalledAs } from './subject.ts';

/** A request that was answered. */
export interface ServedRequest {
  readonly projectId: string;
  /** Whether there is such a project and its client was let in; else a client has merely named it. */
  readonly isKnown: boolean;
  readonly calledAs: CalledAs | undefined;
  readonly requestId: string;
  /** The request or run that a function answered as it sent this one. */
  readonly causedBy: string | undefined;
  readonly method: string;
  /** Pattern of the route. */
  readonly route: string;
  /** As it was asked for, without a query string. */
  readonly path: string;
  readonly status: number;
  /** Code of the refusal. */
  readonly code: string | undefined;
  /** From its arrival to the beginning of its answer, in milliseconds. */
  readonly ms: number;
  /** Of the body, where that is known. */
  readonly bytes: number | undefined;
}

/** A request with the time at which it was answered, in milliseconds of the epoch. */
export type Line = ServedRequest & { readonly at: number };

/**
 * Lines that one project may add within a second. What strangers make fail takes nothing from the failures of those who
 * are known, and what merely names a project takes nothing from either.
 */
const linesOf = { failure: 20, strangersFailure: 20, success: 5, named: 20 } as const;

type Kind = keyof typeof linesOf;

/** Lines of a second from which on each project has an equal share of as many, and the most that there are. */
const sharedFrom = 2_000;
const linesMax = 4 * sharedFrom;

/** Lines of a second that merely name a project, of all projects together. */
const namedMax = 500;

/** Whether a client proved to be more than a holder of the public key. */
const isKnownCaller = ({ calledAs }: ServedRequest) => calledAs !== undefined && calledAs !== 'anon';

function kindOf(request: ServedRequest): Kind {
  if (!request.isKnown) return 'named';
  return request.status < 400 ? 'success' : isKnownCaller(request) ? 'failure' : 'strangersFailure';
}

const secondMs = 1_000;

/** Counts the lines of the present second: how often they are written is no matter. */
export class LineAllowance {
  #second = 0;
  /** Of all projects. */
  #lines = 0;
  #named = 0;
  /** Projects that are known, among whom the lines are shared. */
  #known = 0;
  readonly #taken = new Map<string, Record<Kind, number>>();

  /** @param at in milliseconds of the epoch @returns whether the project may add this one */
  mayAdd(request: ServedRequest, at: number): boolean {
    this.#begin(Math.floor(at / secondMs));
    const kind = kindOf(request);
    const taken = this.#of(request.projectId);
    if (kind !== 'named' && isUntouched(taken)) this.#known += 1;
    if (this.#lines >= linesMax || taken[kind] >= linesOf[kind] || !this.#hasShare(kind, taken)) return false;
    taken[kind] += 1;
    this.#lines += 1;
    if (kind === 'named') this.#named += 1;
    return true;
  }

  #begin(second: number): void {
    if (second === this.#second) return;
    this.#second = second;
    this.#lines = this.#named = this.#known = 0;
    this.#taken.clear();
  }

  #of(projectId: string): Record<Kind, number> {
    let taken = this.#taken.get(projectId);
    if (taken === undefined) {
      taken = { failure: 0, strangersFailure: 0, success: 0, named: 0 };
      this.#taken.set(projectId, taken);
    }
    return taken;
  }

  #hasShare(kind: Kind, { failure, success, strangersFailure }: Record<Kind, number>): boolean {
    if (kind === 'named') return this.#named < namedMax;
    const share = Math.max(1, Math.floor(sharedFrom / this.#known));
    return (kind === 'strangersFailure' ? strangersFailure : failure + success) < share;
  }
}

/** Whether a project had no line yet but those that merely name it. */
const isUntouched = ({ failure, success, strangersFailure }: Record<Kind, number>) =>
  failure + success + strangersFailure === 0;

/** Whether as many lines wait to be written as are kept in memory, of whichever project. */
export const isFull = (lines: readonly Line[]): boolean => lines.length >= linesMax;
