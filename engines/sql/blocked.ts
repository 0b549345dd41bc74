import { hasOption, type ParsedStatement, parseSql, type SqlNode, SqlSyntaxError, sqlInside } from './parse-sql.ts';

/** A construct that tenant SQL may not use, and what to do instead. */
export interface Blocked {
  readonly construct: string;
  readonly hint: string;
}

const byManifest = 'Who may do what is said by the project’s expose manifest alone.';
const ownSchema = 'A project has one schema, which every statement works in.';
const ownTransaction = 'A request is one transaction already: leave these out, or send one request for each.';
const noServer = 'The server is not the project’s: its files, settings and programs are out of reach.';
const noCopy = 'Send rows as INSERT statements, or as a bulk insert to the row routes.';
const noRoles = 'A request has its role from its credential, and keeps it.';
const noOptions = {
  construct: '#option',
  hint: 'It writes to the server’s log. #variable_conflict and others may be used.',
};
const noExtensions = 'Extensions are not offered; what PostgreSQL has built in is there.';

/** Statements that are refused whatever they say. */
const kinds: Readonly<Record<string, Blocked>> = {
  CreateExtensionStmt: { construct: 'CREATE EXTENSION', hint: noExtensions },
  AlterExtensionStmt: { construct: 'ALTER EXTENSION', hint: noExtensions },
  AlterExtensionContentsStmt: { construct: 'ALTER EXTENSION', hint: noExtensions },
  AlterSystemStmt: { construct: 'ALTER SYSTEM', hint: noServer },
  CreateSchemaStmt: { construct: 'CREATE SCHEMA', hint: ownSchema },
  GrantStmt: { construct: 'GRANT and REVOKE', hint: byManifest },
  GrantRoleStmt: { construct: 'GRANT and REVOKE', hint: byManifest },
  AlterDefaultPrivilegesStmt: { construct: 'ALTER DEFAULT PRIVILEGES', hint: byManifest },
  AlterOwnerStmt: { construct: 'OWNER TO', hint: byManifest },
  ReassignOwnedStmt: { construct: 'REASSIGN OWNED', hint: byManifest },
  DropOwnedStmt: { construct: 'DROP OWNED', hint: byManifest },
  CreateRoleStmt: { construct: 'CREATE ROLE', hint: noRoles },
  AlterRoleStmt: { construct: 'ALTER ROLE', hint: noRoles },
  AlterRoleSetStmt: { construct: 'ALTER ROLE', hint: noRoles },
  DropRoleStmt: { construct: 'DROP ROLE', hint: noRoles },
  CreatedbStmt: { construct: 'CREATE DATABASE', hint: noServer },
  AlterDatabaseStmt: { construct: 'ALTER DATABASE', hint: noServer },
  AlterDatabaseSetStmt: { construct: 'ALTER DATABASE', hint: noServer },
  DropdbStmt: { construct: 'DROP DATABASE', hint: noServer },
  CreateTableSpaceStmt: { construct: 'CREATE TABLESPACE', hint: noServer },
  DropTableSpaceStmt: { construct: 'DROP TABLESPACE', hint: noServer },
  LoadStmt: { construct: 'LOAD', hint: noServer },
  CopyStmt: { construct: 'COPY', hint: noCopy },
  DiscardStmt: { construct: 'DISCARD', hint: noRoles },
  TransactionStmt: { construct: 'Transaction control', hint: ownTransaction },
  ListenStmt: { construct: 'LISTEN', hint: 'Live hints tell of changes.' },
};

/** Settings that no statement may set, and `RESET ALL`, which would reset them. */
const settings: ReadonlySet<string> = new Set(['search_path', 'role', 'session_authorization']);

/** What tenant SQL may not do, in a statement or in the functions and blocks that it brings. */
export function blockedIn({ node, kind, text }: ParsedStatement): Blocked | undefined {
  return kinds[kind] ?? inside(node, text);
}

function inside(node: SqlNode, text: string): Blocked | undefined {
  if ('VariableSetStmt' in node) {
    const { name = '', kind } = node.VariableSetStmt;
    if (settings.has(name.toLowerCase()))
      return { construct: settingWords(name, kind), hint: name.toLowerCase() === 'search_path' ? ownSchema : noRoles };
    return kind === 'VAR_RESET_ALL' ? { construct: 'RESET ALL', hint: noRoles } : undefined;
  }
  if ('DropStmt' in node && node.DropStmt.removeType === 'OBJECT_SCHEMA')
    return { construct: 'DROP SCHEMA', hint: ownSchema };
  if ('DropStmt' in node && node.DropStmt.removeType === 'OBJECT_EXTENSION')
    return { construct: 'DROP EXTENSION', hint: noExtensions };
  if ('RenameStmt' in node && node.RenameStmt.renameType === 'OBJECT_SCHEMA')
    return { construct: 'ALTER SCHEMA', hint: ownSchema };
  if ('AlterTableStmt' in node) {
    const owner = (node.AlterTableStmt.cmds ?? []).some(
      (one) => 'AlterTableCmd' in one && one.AlterTableCmd.subtype === 'AT_ChangeOwner',
    );
    return owner ? kinds.AlterOwnerStmt : undefined;
  }
  if ('DoStmt' in node) return inBody(text, node.DoStmt.args ?? [], 'plpgsql');
  if ('CreateFunctionStmt' in node) return inBody(text, node.CreateFunctionStmt.options ?? [], 'sql');
  return undefined;
}

const settingWords = (name: string, kind: string | undefined) =>
  `${kind === 'VAR_RESET' ? 'RESET' : 'SET'} ${name === 'session_authorization' ? 'SESSION AUTHORIZATION' : name}`;

/**
 * The plain SQL of a body. What a body makes as it runs is not seen: it acts by the same rights, which
 * reach no further than the project.
 */
function inBody(text: string, options: readonly SqlNode[], usual: string): Blocked | undefined {
  const language = optionOf(options, 'language')?.[0] ?? usual;
  const body = optionOf(options, 'as')?.at(-1);
  if (body === undefined) return undefined;
  try {
    if (language === 'plpgsql' && hasOption(body)) return noOptions;
    const texts = language === 'plpgsql' ? sqlInside(text) : language === 'sql' ? [body] : [];
    for (const one of texts) {
      for (const statement of parseSql(one)) {
        const found = blockedIn(statement);
        if (found !== undefined) return found;
      }
    }
  } catch (error) {
    // Whether a body can be run at all is for the database to say.
    if (!(error instanceof SqlSyntaxError)) throw error;
  }
  return undefined;
}

function optionOf(options: readonly SqlNode[], name: string): string[] | undefined {
  for (const option of options) {
    if (!('DefElem' in option) || option.DefElem.defname !== name) continue;
    const { arg } = option.DefElem;
    if (arg === undefined) return undefined;
    const items: readonly SqlNode[] = 'List' in arg ? (arg.List.items ?? []) : [arg];
    return items.flatMap((item) => ('String' in item ? [item.String.sval ?? ''] : []));
  }
  return undefined;
}
