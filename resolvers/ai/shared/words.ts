const segments = new Intl.Segmenter('en', { granularity: 'word' });

/** Words of a text, at least one. Languages without spaces between words are counted by their words, too. */
export function countWords(text: string): number {
  let words = 0;
  for (const { isWordLike } of segments.segment(text)) if (isWordLike === true) words++;
  return Math.max(1, words);
}
