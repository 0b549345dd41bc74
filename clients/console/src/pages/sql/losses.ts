import { type SqlToken, sqlTokens } from './tokens.ts';

/** How many losses are listed. If there are more, the list only says so. */
const lossesMax = 10;

/**
 * Lists the data that SQL deletes or overwrites for good, a sentence each: drops, truncations, and deletions and
 * updates of every row. It guards against a slip, not against an attacker: it does not see what a called function
 * does.
 */
export function lossesOf(sql: string): readonly string[] {
  const losses = new Set<string>();
  for (const statement of statementsOf(sqlTokens(sql))) {
    for (const loss of lossesIn(statement, false)) losses.add(loss);
    if (losses.size > lossesMax) return [...[...losses].slice(0, lossesMax), 'And more.'];
  }
  return [...losses];
}

/** How many statements a text holds. */
export const statementCount = (sql: string): number => statementsOf(sqlTokens(sql)).length;

function statementsOf(tokens: readonly SqlToken[]): SqlToken[][] {
  const statements: SqlToken[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'sign' && token.text === ';') statements.push([]);
    else statements.at(-1)!.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

/** @param inBody whether it is part of a block, where a statement may follow `begin`, `then` or `loop` */
function* lossesIn(statement: readonly SqlToken[], inBody: boolean): Generator<string> {
  const first = wordAt(statement, 0);
  // A definition does not run its statements.
  if (first === 'create' && !inBody) return;
  if (first === 'do' && !inBody) {
    for (const { kind, text } of statement) if (kind === 'text') yield* lossesInBody(text);
    return;
  }
  for (let at = 0; at < statement.length; at++) {
    const starts = at === 0 || inBody;
    switch (wordAt(statement, at)) {
      case 'drop':
        if (starts) yield dropped(statement, at);
        else if (first === 'alter') yield* droppedFrom(statement, at);
        break;
      case 'truncate':
        if (starts) yield `Deletes all rows of ${namesAfter(statement, skip(statement, at + 1, ['table', 'only']))}.`;
        break;
      case 'delete':
        if (wordAt(statement, at + 1) === 'from' && !hasWord(statement, at, 'where'))
          yield `Deletes all rows of ${nameAt(statement, skip(statement, at + 2, ['only'])).name}.`;
        else if (first === 'merge' && wordAt(statement, at - 1) === 'then')
          yield `Deletes rows of ${nameAt(statement, skip(statement, 1, ['into', 'only'])).name}.`;
        break;
      case 'update':
        if (
          !notOfRows.has(wordAt(statement, at - 1) ?? '') &&
          hasWord(statement, at, 'set') &&
          !hasWord(statement, at, 'where')
        )
          yield `Changes all rows of ${nameAt(statement, skip(statement, at + 1, ['only'])).name}.`;
        break;
      case 'execute':
        if (inBody) yield 'Runs SQL that is only made as it runs, and may delete anything.';
        break;
    }
  }
}

function* lossesInBody(body: string): Generator<string> {
  for (const statement of statementsOf(sqlTokens(body))) yield* lossesIn(statement, true);
}

/** Words before an `update` that is not a statement: `for update`, `on conflict do update`, `then update`. */
const notOfRows: ReadonlySet<string> = new Set(['for', 'key', 'do', 'on', 'then']);

const wordAt = (tokens: readonly SqlToken[], at: number): string | undefined =>
  tokens[at]?.kind === 'word' ? tokens[at].text : undefined;

/** Skips words that may occur here, and returns the next position. */
function skip(tokens: readonly SqlToken[], from: number, words: readonly string[]): number {
  let at = from;
  while (words.includes(wordAt(tokens, at) ?? '')) at++;
  return at;
}

/** Whether a word follows within the same brackets. */
function hasWord(tokens: readonly SqlToken[], from: number, word: string): boolean {
  let depth = 0;
  for (const { kind, text } of tokens.slice(from)) {
    if (kind === 'sign' && text === '(') depth++;
    else if (kind === 'sign' && text === ')') depth--;
    else if (depth === 0 && kind === 'word' && text === word) return true;
    if (depth < 0) return false;
  }
  return false;
}

/** A name with its qualifiers, and the position after it. */
function nameAt(tokens: readonly SqlToken[], from: number): { readonly name: string; readonly end: number } {
  let name = tokens[from]?.text ?? '…';
  let at = from + 1;
  while (tokens[at]?.text === '.') {
    name += `.${tokens[at + 1]?.text ?? ''}`;
    at += 2;
  }
  return { name, end: at };
}

function namesAfter(tokens: readonly SqlToken[], from: number): string {
  const names: string[] = [];
  for (let at = from; ; ) {
    const { name, end } = nameAt(tokens, at);
    names.push(name);
    // The parameters of a function are part of its name.
    const next =
      tokens[end]?.text === '(' ? tokens.findIndex(({ text }, place) => place > end && text === ')') + 1 : end;
    if (next === 0 || tokens[next]?.text !== ',') return names.join(', ');
    at = skip(tokens, next + 1, ['only']);
  }
}

/** Words between `drop` and a name that are not a kind of object. */
const aside = ['concurrently', 'if', 'exists'];
const kindsOfTwo: ReadonlySet<string> = new Set([
  'materialized',
  'foreign',
  'event',
  'access',
  'text',
  'user',
  'operator',
]);

function dropped(statement: readonly SqlToken[], at: number): string {
  const words = kindsOfTwo.has(wordAt(statement, at + 1) ?? '') ? 2 : 1;
  const kind = statement
    .slice(at + 1, at + 1 + words)
    .map(({ text }) => text)
    .join(' ');
  const names = namesAfter(statement, skip(statement, at + 1 + words, aside));
  const also = hasWord(statement, at, 'cascade') ? ', and everything that depends on it' : '';
  if (kind === 'table' || kind === 'foreign table') return `Deletes the table ${names} with all its rows${also}.`;
  return `Deletes the ${kind} ${names}${also}.`;
}

/** Words after `drop` in `alter` that remove no stored data. */
const keepsValues: ReadonlySet<string> = new Set(['not', 'default', 'identity', 'expression']);

function* droppedFrom(statement: readonly SqlToken[], at: number): Generator<string> {
  const next = wordAt(statement, at + 1);
  if (next !== undefined && keepsValues.has(next)) return;
  const kind = next === 'constraint' || next === 'attribute' ? next : 'column';
  const { name } = nameAt(statement, skip(statement, at + 1, ['column', 'constraint', 'attribute', ...aside]));
  const { name: of } = nameAt(statement, skip(statement, 2, ['only', ...aside]));
  yield kind === 'constraint'
    ? `Removes the constraint ${name} of ${of}.`
    : `Deletes the ${kind} ${name} of ${of} with all its values.`;
}
