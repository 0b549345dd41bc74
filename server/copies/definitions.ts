import { type ParsedStatement, parseSql } from '../../engines/sql/parse-sql.ts';

/** A setting of newer servers that is of no use here; older ones refuse it. */
const newSetting = 'SET transaction_timeout = 0;\n';

/** Definitions as pg_dump wrote them, for servers of every version. */
export const forAnyServer = (text: string) => text.replace(newSetting, '');

/**
 * The statements that make a tenant's schema, one by one. Left out are those that make what the platform has made: the
 * schema itself with its rights, and the triggers that give hints.
 */
export function tenantStatements(text: string): string[] {
  const hints = new Set<string>();
  return parseSql(forAnyServer(text))
    .filter((statement) => !isOfPlatform(statement, hints))
    .map(({ text }) => text);
}

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
