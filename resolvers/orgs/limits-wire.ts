import { z } from 'zod';
import { limitWireNames } from '../../kernel/limits/limits.ts';
import type { Limits } from '../../kernel/limits/tier-limits.ts';

export const LimitsWire = z.record(z.string(), z.number());

/** Each limit with the name that documented JSON has for it. */
export const limitSpellings = Object.entries(limitWireNames) as [keyof Limits, (typeof limitWireNames)[keyof Limits]][];

/** Limits by the names that documented JSON has for them. */
export const limitsToWire = (limits: Partial<Limits>): Record<string, number> =>
  Object.fromEntries(
    limitSpellings.flatMap(([name, wire]) => (limits[name] === undefined ? [] : [[wire, limits[name]]])),
  );
