import { type Blocked, blockedIn } from './blocked.ts';
import { type ParsedStatement, parseSql } from './parse-sql.ts';

/** Statements of one request; each costs the server a plan. */
export const scriptStatementsMax = 2_000;

/** What a text of SQL amounts to. */
export interface Script {
  /** Its statements, without a BEGIN and COMMIT around them all: a request is one transaction anyway. */
  readonly statements: readonly Pick<ParsedStatement, 'text' | 'before'>[];
  /** The first construct that tenant SQL may not use. */
  readonly blocked: Blocked | undefined;
}

/** Takes a text of SQL apart. @throws SqlSyntaxError */
export function readScript(text: string): Script {
  const parsed = withoutBrackets(parseSql(text));
  let blocked: Blocked | undefined;
  for (const statement of parsed) blocked ??= blockedIn(statement);
  return { statements: parsed.map(({ text: own, before }) => ({ text: own, before })), blocked };
}

function withoutBrackets(parsed: readonly ParsedStatement[]): readonly ParsedStatement[] {
  const [begin, end] = [transactionKind(parsed[0]), transactionKind(parsed.at(-1))];
  const opens = begin === 'TRANS_STMT_BEGIN' || begin === 'TRANS_STMT_START';
  return opens && end === 'TRANS_STMT_COMMIT' ? parsed.slice(1, -1) : parsed;
}

function transactionKind(statement: ParsedStatement | undefined): string | undefined {
  if (statement === undefined || !('TransactionStmt' in statement.node)) return undefined;
  const { kind, options, chain } = statement.node.TransactionStmt;
  return options === undefined && chain !== true ? kind : undefined;
}
