import { refusals } from '../errors.ts';
import type { Condition } from '../request/filter.ts';
import type { Logic } from '../request/logic.ts';
import type { RowQuery } from '../request/query.ts';
import type { RowRole } from '../request/row-request.ts';

/** Longest regular expression of a caller without the service key, in characters. */
const patternMax = 200;
/** What bounds come to at most: those of characters added up, those of groups multiplied. The engine unrolls them. */
const repeatsMax = { characters: 255, groups: 64 } as const;

/** In the text of an array each backslash is doubled, and quotes may come between. */
const backReference = /\\+[1-9]/;
/** Where a bound begins, however its end is written. */
const bound = /\{\s*(\d+)(?:\s*,\s*(\d*))?/g;

/** Refuses patterns by which one request keeps a connection busy. @throws PGRST127 */
export function refuseCostlyPatterns({ filters, logic }: Pick<RowQuery, 'filters' | 'logic'>, role: RowRole): void {
  if (role === 'service_role') return;
  for (const { condition } of filters) refuseCostlyPattern(condition, role);
  for (const one of logic) refuseInside(one.logic, role);
}

function refuseInside(logic: Logic, role: RowRole): void {
  if (logic.kind === 'filter') refuseCostlyPattern(logic.condition, role);
  else for (const member of logic.members) refuseInside(member, role);
}

/** The same for one condition. @throws PGRST127 */
export function refuseCostlyPattern({ operation }: Condition, role: RowRole): void {
  if (role === 'service_role' || operation.kind !== 'compare') return;
  const { operator, value } = operation;
  if (operator !== 'match' && operator !== 'imatch') return;
  if (value.length > patternMax)
    throw refusals.notOffered(`A pattern of match and imatch has at most ${patternMax} characters.`);
  if (backReference.test(value.replaceAll('"', '')))
    throw refusals.notOffered('A pattern of match and imatch cannot refer back to a group, as \\1 does.');
  const bounds = [...value.matchAll(bound)].map(([, least, most]) => Math.max(1, Number(least), Number(most ?? 0)));
  // Groups may be inside each other.
  const isTooMuch = value.includes(')')
    ? bounds.reduce((all, one) => all * one, 1) > repeatsMax.groups
    : bounds.reduce((all, one) => all + one, 0) > repeatsMax.characters;
  if (isTooMuch) throw refusals.notOffered('The bounds of a pattern of match and imatch ask for too many repeats.');
}
