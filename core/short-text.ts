/** Longest foreign text that a refusal passes on, in characters. */
const charactersMax = 16_384;

/** A text that may be of any length, cut to one that may be said. */
export const shortText = (text: string): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;
