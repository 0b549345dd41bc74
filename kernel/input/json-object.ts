import { z } from 'zod';
import { ExactNumber } from '../../core/exact-json.ts';

export interface JsonBounds {
  /** Of its JSON, in KiB; undefined where it is made to fit. */
  readonly kib?: number;
  /** Levels of objects and lists within each other. */
  readonly depth: number;
  /** Objects within it are maps by names of the caller's own, such as paths, of which `__proto__` is one like any other. */
  readonly holdsMaps?: boolean;
}

/** A JSON object of the caller's own making, kept and shown as it is. */
export const jsonObject = (bounds: JsonBounds) =>
  // What is read as a record has lost a `__proto__` of its own: so it is looked at first. What is in it stays as it came.
  z.preprocess(
    (given, { issues }) => {
      const fault = isObject(given) ? faultOf(given, bounds) : undefined;
      if (fault !== undefined) issues.push({ code: 'custom', message: fault, input: undefined });
      return given;
    },
    z.record(z.string(), z.unknown()),
  );

const isObject = (given: unknown): given is object =>
  typeof given === 'object' && given !== null && !(given instanceof ExactNumber);

/** What an object is refused for, or undefined. Depth first: what is too deep cannot even be measured. */
function faultOf(given: object, { kib, depth: depthMax, holdsMaps = false }: JsonBounds): string | undefined {
  let level: readonly object[] = [given];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > depthMax) return `at most ${depthMax} levels deep`;
    if ((depth === 1 || !holdsMaps) && level.some((one) => Object.hasOwn(one, '__proto__')))
      return 'must have no member __proto__';
    level = level.flatMap((one) => Object.values(one).filter(isObject));
  }
  if (kib === undefined) return undefined;
  return Buffer.byteLength(JSON.stringify(given)) <= kib * 1024 ? undefined : `at most ${kib} KiB of JSON`;
}
