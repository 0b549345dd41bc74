/** Tags as somebody types them: words with commas or spaces between them. */
export const tagsOf = (words: string): string[] =>
  words
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((tag) => tag !== '');
