/** Marks of Markdown, and what each leaves of a text: the words alone. */
const marks: readonly (readonly [RegExp, string])[] = [
  [/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1'],
  [/^ {0,3}(?:#{1,6}|>|[-*+]|\d+[.)])\s+/gm, ''],
  [/^\s*(?:```|~~~).*$/gm, ''],
  [/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2'],
  // A star or a line inside a word is a part of it: `2*3`, `snake_case`.
  [/(?<![\w*])([*_])(?=[^\s*_])([^*_]+?)(?<=\S)\1(?![\w*])/g, '$2'],
  [/`+([^`]+)`+/g, '$1'],
  [/\s+/g, ' '],
];

/** A text of Markdown on one line, without its marks: for a list, where the whole text is elsewhere. */
export const plainText = (text: string): string =>
  marks.reduce((so, [mark, left]) => so.replace(mark, left), text).trim();
