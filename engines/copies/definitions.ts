import { type ParsedStatement, parseSql, type SqlNode } from '../sql/parse-sql.ts';

/** A setting of newer servers that is of no use here; older ones refuse it. */
const newSetting = 'transaction_timeout';

/** Options of columns that every server has. PostgreSQL 15.20 of Debian adds `pg_attver`, which no other server takes. */
const columnOptions: ReadonlySet<string | undefined> = new Set(['n_distinct', 'n_distinct_inherited']);

/** Definitions as pg_dump wrote them, one by one, for servers of every version. */
export const statementsForAnyServer = (text: string): string[] =>
  parseSql(text).flatMap((statement) => forAnyServer(statement) ?? []);

/**
 * The statements that make a tenant's schema, one by one. Left out are those that make what the platform has made: the
 * schema itself with its rights, and the triggers that give hints.
 */
export function tenantStatements(text: string): string[] {
  const hints = new Set<string>();
  return parseSql(text)
    .filter((statement) => !isOfPlatform(statement, hints))
    .flatMap((statement) => forAnyServer(statement) ?? []);
}

/** The same without settings of the session, but for the one that lets functions name what comes behind them. */
export function tenantDefinitions(text: string): string[] {
  return tenantStatements(text).filter((statement) =>
    parseSql(statement).every(({ node }) => {
      if ('VariableSetStmt' in node) return node.VariableSetStmt.name === 'check_function_bodies';
      // Sets the path to search.
      return !('SelectStmt' in node);
    }),
  );
}

/** @returns the text of a statement; undefined when nothing of it is left */
function forAnyServer({ node, text }: ParsedStatement): string | undefined {
  if ('VariableSetStmt' in node && node.VariableSetStmt.name === newSetting) return undefined;
  const names = 'AlterTableStmt' in node ? optionsSet(node.AlterTableStmt.cmds) : [];
  if (names.every((name) => columnOptions.has(name))) return text;
  // pg_dump writes the options of one column in one statement, as numbers, and nothing behind them.
  const at = text.lastIndexOf('(');
  const kept = text
    .slice(at + 1, text.lastIndexOf(')'))
    .split(', ')
    .filter((option) => columnOptions.has(option.split('=')[0]));
  return kept.length === 0 ? undefined : `${text.slice(0, at)}(${kept.join(', ')})`;
}

/** Names of the options that a change of a table sets for a column. */
const optionsSet = (commands: readonly SqlNode[] = []) =>
  commands.flatMap((command) => {
    if (!('AlterTableCmd' in command) || command.AlterTableCmd.subtype !== 'AT_SetOptions') return [];
    const { def } = command.AlterTableCmd;
    const items = def !== undefined && 'List' in def ? (def.List.items ?? []) : [];
    return items.map((item) => ('DefElem' in item ? item.DefElem.defname : undefined));
  });

type Name = readonly { readonly String?: { readonly sval?: string } }[] | undefined;

const firstOf = (name: Name) => name?.[0]?.String?.sval;

function isOfPlatform({ node }: ParsedStatement, hints: Set<string>): boolean {
  if ('CreateSchemaStmt' in node) return true;
  if ('GrantStmt' in node) return node.GrantStmt.objtype === 'OBJECT_SCHEMA';
  if ('AlterDefaultPrivilegesStmt' in node) return true;
  if ('CommentStmt' in node) return node.CommentStmt.objtype === 'OBJECT_SCHEMA';
  if ('CreateTrigStmt' in node) {
    const { trigname, relation, funcname } = node.CreateTrigStmt;
    if (firstOf(funcname as Name) !== '_svc') return false;
    hints.add(JSON.stringify([relation?.relname, trigname]));
    return true;
  }
  if ('AlterTableStmt' in node) {
    const { relation, cmds = [] } = node.AlterTableStmt;
    // A trigger that was switched off, or on for replicas.
    return cmds.some(
      (command) =>
        'AlterTableCmd' in command && hints.has(JSON.stringify([relation?.relname, command.AlterTableCmd.name])),
    );
  }
  return false;
}
