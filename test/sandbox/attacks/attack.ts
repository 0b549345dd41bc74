/** What hostile code tries, and what comes of it. */
export interface Attack {
  readonly name: string;
  /** Body of a function that gets `require` and `secretPort`, where a server of the machine waits for visitors. */
  readonly code: string;
  /** The whole outcome: `value …` that the code returned, `error …` with its code, or `failure …` of its process. */
  readonly outcome: RegExp;
}

export const attacks = (outcome: RegExp, rows: Readonly<Record<string, string>>): Attack[] =>
  Object.entries(rows).map(([name, code]) => ({ name, code, outcome }));
