/** Which numbers the lines across a chart are at. */
export type Steps = 'whole' | 'binary' | 'any';

/** Most lines above zero. */
const ticksMax = 4;

/** Round values from zero to the first one that is at or above `max`. */
export function ticksUpTo(max: number, steps: Steps): readonly number[] {
  const step = max > 0 ? roundStep(max / ticksMax, steps) : 1;
  const count = Math.max(1, Math.ceil(max / step - 1e-9));
  return Array.from({ length: count + 1 }, (_tick, at) => Number((at * step).toPrecision(12)));
}

/** The smallest round step that is at least `least`. */
function roundStep(least: number, steps: Steps): number {
  if (steps === 'binary') return 2 ** Math.max(0, Math.ceil(Math.log2(least)));
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= least * (1 - 1e-9))!;
  return steps === 'whole' ? Math.max(1, step) : step;
}
