/**
 * Indents JSON by two spaces. Values stay as they are written: a number beyond 2^53 would be rounded if it were parsed.
 *
 * @returns the text itself when it is no JSON
 */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let written = '';
  let depth = 0;
  let before = '';
  const newLine = () => `\n${'  '.repeat(depth)}`;
  // Strings, numbers and words, and the signs between them.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    const isEnd = token === '}' || token === ']';
    const isEmpty = isEnd && (before === '{' || before === '[');
    if (isEnd) depth -= 1;
    const begins = before === '{' || before === '[' || before === ',';
    written += (isEnd ? (isEmpty ? '' : newLine()) : begins ? newLine() : '') + token + (token === ':' ? ' ' : '');
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return written;
}
