/** Longest text of a mail that is kept beside its bytes, in characters. Contract 02, section 6.7. */
const textMax = 10_000;

const isQuoted = (line: string): boolean => line.startsWith('>');
const isBlank = (line: string): boolean => line.trim() === '';
/** A line of a header block, such as `Fra: Ada <ada@example.com>`, in whatever language. */
const isHeaderLine = (line: string): boolean => /^[*_ ]{0,3}\p{L}[\p{L} -]{0,24}[*_]{0,2}\s?:[*_]{0,2}\s\S/u.test(line);
/** What header blocks hold and lists of points do not: an address, a time or a year. */
const isOfMail = (line: string): boolean => /@|\d:\d\d|\b(19|20)\d\d\b/.test(line);
const isDivider = (line: string): boolean => /^\s*(?:-{2,}.{0,60}-{2,}|_{8,})\s*$/.test(line);

/** Lines of an attribution at most: some clients wrap it. */
const attributionMax = 3;

/** Where a header block begins at a line: three lines of it together, one of which only a mail has. */
function beginsHeaders(lines: readonly string[], at: number): boolean {
  const block = lines.slice(at, at + 3);
  return block.length === 3 && block.every(isHeaderLine) && block.some(isOfMail);
}

/** The line after blank ones. */
function nextText(lines: readonly string[], at: number): number {
  let next = at;
  while (next < lines.length && isBlank(lines[next]!)) next += 1;
  return next;
}

/** Where the history of a mail begins: headers of the mail before it, with or without a divider above. */
function historyOf(lines: readonly string[]): number {
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (isDivider(line) && beginsHeaders(lines, nextText(lines, at + 1))) return at;
    if (isHeaderLine(line) && (at === 0 || isBlank(lines[at - 1]!)) && beginsHeaders(lines, at)) return at;
  }
  return lines.length;
}

/** Which lines are quoted, or say whom a quotation is from: those directly above one, the last of which ends with a colon. */
function quotedLines(lines: readonly string[], end: number): boolean[] {
  const quoted = lines.slice(0, end).map(isQuoted);
  for (let at = 1; at < end; at += 1) {
    if (!quoted[at] || quoted[at - 1]) continue;
    let last = at - 1;
    if (isBlank(lines[last]!)) last -= 1;
    if (last < 0 || quoted[last] || !/:\s*$/.test(lines[last]!)) continue;
    let first = last;
    while (first > 0 && last - first < attributionMax && !isBlank(lines[first - 1]!) && !quoted[first - 1]) first -= 1;
    // A longer paragraph that ends with a colon is somebody's own.
    if (last - first >= attributionMax) continue;
    const words = lines.slice(first, last + 1).join(' ');
    if (isOfMail(words)) quoted.fill(true, first, last + 1);
  }
  return quoted;
}

const tidy = (text: string): string => text.replaceAll(/\n{3,}/g, '\n\n').trim();

/**
 * What somebody wrote in a mail, without what they answered: quoted lines with their attribution, and the history below a header
 * block. Where nothing else is left, as of a mere forward, the whole text. In time that grows with the text's length alone.
 *
 * @returns at most 10,000 characters, and then `[truncated]`
 */
export function replyText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n');
  const end = historyOf(lines);
  const quoted = quotedLines(lines, end);
  const own = tidy(
    lines
      .slice(0, end)
      .filter((_line, at) => !quoted[at])
      .join('\n'),
  );
  return truncated(own === '' ? tidy(lines.join('\n')) : own);
}

function truncated(text: string): string {
  if (text.length <= textMax) return text;
  const cut = text.slice(0, textMax);
  // Half a character is none.
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}\n[truncated]`;
}
