import { type Check, type Part, sum } from './check.ts';

/** Which rubric it is: another one gives other points for the same site. */
export const rubricVersion = '2026.1';

/** What each part weighs, in percent. */
export const weights: Readonly<Record<Part, number>> = {
  access: 30,
  meta: 20,
  answerability: 25,
  schema: 15,
  llms_txt: 10,
};

export type Scores = Readonly<Record<Part | 'geo', number>>;

/** Scores of all parts, of 100 each, and the score over all. */
export function scoresOf(checks: readonly Check[]): Scores {
  const of = (part: Part) => sum(checks.filter((check) => check.part === part));
  const parts = Object.keys(weights) as Part[];
  const scores = Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, number>;
  const weighted = parts.reduce((all, part) => all + weights[part] * scores[part], 0);
  return { ...scores, geo: Math.floor((weighted + 50) / 100) };
}
