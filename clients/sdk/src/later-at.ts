import type { SvcError } from './errors.ts';

/**
 * How far ahead a gateway may be, in milliseconds: what is signed for a later day is good on that day, for whoever has kept
 * it, so that nobody is let have more of it than a clock is wrong by.
 */
const aheadMaxMs = 24 * 3_600_000;

/**
 * How much later it is at the gateway, in milliseconds.
 *
 * @param refusal of a signature whose times did not fit
 * @param now what time it is here, in milliseconds since 1970
 * @returns undefined where that was not said, or is too far ahead to be signed for
 */
export function laterAt(refusal: SvcError | undefined, now: number): number | undefined {
  const laterMs = Date.parse(String(refusal?.details.server_time)) - now;
  return laterMs <= aheadMaxMs ? laterMs : undefined;
}
