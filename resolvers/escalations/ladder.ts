import type { Escalation } from '../../db/schema/escalations.ts';
import { topRepeats } from '../../kernel/limits/limits.ts';

/** What the ladder does when a deadline has lapsed. Contract 02, section 3.5. */
export type Rung =
  /** Pages the level, for the first time or because there was nobody to page. */
  | { readonly kind: 'begin'; readonly level: number }
  /** Pages a higher level. */
  | { readonly kind: 'climb'; readonly level: number }
  /** Pages the top once more. */
  | { readonly kind: 'repeat'; readonly level: number }
  /** Was at the top often enough: stays open, and nobody is paged any more. */
  | { readonly kind: 'rest' }
  /** There is nobody to page until a contact is added. */
  | { readonly kind: 'wait' };

/** @param levels those at which there is somebody, lowest first */
export function nextRung(
  { level, repageCount, awaitsContact }: Pick<Escalation, 'level' | 'repageCount' | 'awaitsContact'>,
  levels: readonly number[],
): Rung {
  const top = levels.at(-1);
  if (top === undefined) return { kind: 'wait' };
  if (awaitsContact) return { kind: 'begin', level: levels.find((one) => one >= level) ?? top };
  const higher = levels.find((one) => one > level);
  if (higher !== undefined) return { kind: 'climb', level: higher };
  return repageCount < topRepeats ? { kind: 'repeat', level: top } : { kind: 'rest' };
}
