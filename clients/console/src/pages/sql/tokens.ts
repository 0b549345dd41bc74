/** A token of SQL. */
export interface SqlToken {
  /** `word`: in lower case; `name`: quoted; `text`: the content of a string; `sign`: one character. */
  readonly kind: 'word' | 'name' | 'text' | 'sign';
  readonly text: string;
}

/**
 * Blanks and line comments; strings with and without escapes; quoted names; the start of a dollar-quoted body; words.
 */
const part =
  /\s+|--[^\n]*|[eE]'((?:[^'\\]+|\\[\s\S]|'')*)'?|'((?:[^']+|'')*)'?|"((?:[^"]+|"")*)"?|\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|[\s\S]/y;

/** Splits SQL into tokens, without comments. An unterminated string extends to the end of the text. */
export function sqlTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  let at = 0;
  while (at < sql.length) {
    if (sql.startsWith('/*', at)) {
      at = commentEnd(sql, at);
      continue;
    }
    part.lastIndex = at;
    const [all, escaped, plain, name, word] = part.exec(sql)!;
    at += all.length;
    if (/^\s|^--/.test(all)) continue;
    if (all.length > 1 && all.startsWith('$')) {
      const end = sql.indexOf(all, at);
      tokens.push({ kind: 'text', text: sql.slice(at, end < 0 ? undefined : end) });
      at = end < 0 ? sql.length : end + all.length;
    } else if (escaped !== undefined) tokens.push({ kind: 'text', text: escaped.replaceAll("''", "'") });
    else if (plain !== undefined) tokens.push({ kind: 'text', text: plain.replaceAll("''", "'") });
    else if (name !== undefined) tokens.push({ kind: 'name', text: all });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word.toLowerCase() });
    else tokens.push({ kind: 'sign', text: all });
  }
  return tokens;
}

/** Comments can be nested. */
function commentEnd(sql: string, from: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  let depth = 0;
  for (let found = edge.exec(sql); found !== null; found = edge.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return sql.length;
}
