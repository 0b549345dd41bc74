export type Part = 'access' | 'meta' | 'answerability' | 'schema' | 'llms_txt';

/** One check: what it gave, of how much, and what was seen. */
export interface Check {
  readonly id: string;
  readonly part: Part;
  readonly title: string;
  readonly points: number;
  readonly max: number;
  readonly evidence: string;
}

/** Texts of a site are quoted in evidence in part only. */
export const quoted = (text: string): string => {
  const shown = Array.from(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')).slice(0, 80);
  return `“${shown.join('')}${text.length > shown.join('').length ? '…' : ''}”`;
};

/** Longest text of a site in a report, in UTF-16 units: reports are kept. */
const shortMax = 300;

/** A text that a site may have made of whatever it likes, as a report shows it: bounded, and of what can be kept. */
export const short = (text: string): string => {
  const shown = text.length <= shortMax ? text : `${text.slice(0, shortMax - 1)}…`;
  return shown.toWellFormed().replace(/\p{Cc}/gu, ' ');
};

/** A share of points, rounded down; nothing of nothing is none. */
export const share = (points: number, good: number, all: number): number =>
  all === 0 ? 0 : Math.floor((points * good) / all);

/** Makes the checks of one part. */
export const checksOf =
  (part: Part) =>
  (id: string, title: string, max: number, points: number, evidence: string): Check => ({
    id,
    part,
    title,
    points,
    max,
    evidence: short(evidence),
  });

export const sum = (checks: readonly Check[]): number => checks.reduce((all, { points }) => all + points, 0);
