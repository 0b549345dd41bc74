import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Whether walks go over all there is, as in `npm run test:all`, or over a sample of it, as in `npm test`. */
    readonly wholeWalks: boolean;
  }
}

/** Whether this run goes over all there is. */
export const wholeWalks = inject('wholeWalks');

/**
 * What a walk goes over: everything, or in `npm test` every n-th.
 *
 * @param every odd where neighbours take turns, so that each kind has its turn
 */
export const sample = <One>(all: readonly One[], every: number): readonly One[] =>
  wholeWalks ? all : all.filter((_one, at) => at % every === 0);
