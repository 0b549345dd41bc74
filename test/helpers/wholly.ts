import type { SlicedWork } from '../../core/slices.ts';

/** Runs sliced work to its end at once. */
export function wholly<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
