/** Text of a page as it may stand in a generated file: pages are not trusted. */
export function cleanText(text: string, charactersMax: number): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    // What is not seen, or turns the direction of what is.
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = Array.from(plain);
  return characters.length <= charactersMax
    ? plain
    : `${characters
        .slice(0, charactersMax - 1)
        .join('')
        .trimEnd()}…`;
}

/** The same for Markdown: nothing in it is taken for a link, a heading or a fence. */
export function cleanMarkdown(text: string, charactersMax: number): string {
  const line = cleanText(text, charactersMax).replace(/^(?:[#>`~\-+*=_|]|\d+[.)])+\s*/u, '');
  return line.replace(/[\\[\]()<`]/g, '\\$&');
}
