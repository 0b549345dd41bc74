/**
 * SQL without its comments, quoted text, dollar-quoted bodies and quoted names, for a look at what its statements do. In
 * one pass over the text; what is not closed ends with it.
 */
export function withoutText(sql: string): string {
  let kept = '';
  for (let at = 0; at < sql.length; ) {
    const end = endOfText(sql, at);
    if (end === at) {
      kept += sql[at];
      at += 1;
    } else {
      kept += ' ';
      at = end;
    }
  }
  return kept;
}

const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/** Where what begins here ends, when it is no statement's own text; else where it begins. */
function endOfText(sql: string, at: number): number {
  const next = sql[at + 1];
  switch (sql[at]) {
    case '-':
      return next === '-' ? after(sql, '\n', at) : at;
    case '/':
      return next === '*' ? endOfComment(sql, at) : at;
    case "'":
      return endOfQuote(sql, at, isEscape(sql, at));
    case '"':
      return endOfQuote(sql, at, false);
    case '$': {
      dollarTag.lastIndex = at;
      const tag = /[\w\u0080-\uffff$]/.test(sql[at - 1] ?? '') ? undefined : dollarTag.exec(sql)?.[0];
      return tag === undefined ? at : after(sql, tag, at + tag.length);
    }
    default:
      return at;
  }
}

const after = (sql: string, what: string, from: number): number => {
  const found = sql.indexOf(what, from);
  return found === -1 ? sql.length : found + what.length;
};

/** Comments of blocks lie in each other. */
function endOfComment(sql: string, from: number): number {
  let depth = 0;
  for (let at = from; at < sql.length; at += 1) {
    if (sql.startsWith('/*', at)) {
      depth += 1;
      at += 1;
    } else if (sql.startsWith('*/', at)) {
      depth -= 1;
      at += 1;
      if (depth === 0) return at + 1;
    }
  }
  return sql.length;
}

/** `E'…'`, in which a backslash hides a quote. */
const isEscape = (sql: string, at: number): boolean =>
  /[eE]/.test(sql[at - 1] ?? '') && !/[\w$]/.test(sql[at - 2] ?? '');

function endOfQuote(sql: string, from: number, escapes: boolean): number {
  const quote = sql[from];
  for (let at = from + 1; at < sql.length; at += 1) {
    if (escapes && sql[at] === '\\') at += 1;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at += 1;
    }
  }
  return sql.length;
}
