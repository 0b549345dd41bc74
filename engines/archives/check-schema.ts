import { parseSql, type SqlNode, SqlSyntaxError } from '../sql/parse-sql.ts';
import { type Diagnostic, diagnostic } from './portable/diagnostics.ts';

/** Statements that define something of a schema; what else may stand in an archive is refused. */
const definitions: ReadonlySet<string> = new Set([
  'CreateStmt',
  'AlterTableStmt',
  'IndexStmt',
  'CreateSeqStmt',
  'AlterSeqStmt',
  'CreateEnumStmt',
  'AlterEnumStmt',
  'CompositeTypeStmt',
  'CreateDomainStmt',
  'AlterDomainStmt',
  'CreateRangeStmt',
  'CreateFunctionStmt',
  'AlterFunctionStmt',
  'ViewStmt',
  'CreateTableAsStmt',
  'CreateTrigStmt',
  'CreatePolicyStmt',
  'CommentStmt',
  'GrantStmt',
  'RuleStmt',
  'CreateStatsStmt',
  'AlterStatsStmt',
  'DefineStmt',
  'CreateCastStmt',
  'AlterTypeStmt',
  'AlterObjectDependsStmt',
]);

/** The one setting that definitions need: functions may name what comes behind them. */
const bodiesUnchecked = 'check_function_bodies';

/** Languages whose functions the database itself keeps within the rights of whoever calls them. */
const languages = new Set(['sql', 'plpgsql']);

/** Roles that every project has. */
const roles = new Set(['anon', 'authenticated', 'project_admin', 'service_role']);

/** Whether a statement of a dump says what is in a schema, and not how it is to be read. */
export const isDefinition = (node: SqlNode): boolean => definitions.has(Object.keys(node)[0]!) || isBodiesSetting(node);

const isBodiesSetting = (node: SqlNode): boolean =>
  'VariableSetStmt' in node && node.VariableSetStmt.name === bodiesUnchecked;

/** What of a text of SQL is not run, whoever asks for it. It is read and not run. */
export function schemaFaults(text: string, path: string): Diagnostic[] {
  let statements: ReturnType<typeof parseSql>;
  try {
    statements = parseSql(text);
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    return [fault('DATABASE_SCHEMA_UNSAFE', 'The definitions cannot be read as SQL.', path)];
  }
  return statements.flatMap(({ node, kind }) => faultOf(node, kind, path) ?? []).slice(0, 20);
}

const fault = (code: Diagnostic['code'], message: string, path: string): Diagnostic =>
  diagnostic(code, 'blocking', message, {
    resource_type: 'database',
    path,
    next_action: { type: 'remove_unsupported_feature', message: 'Take it out of the project, and export it again.' },
  });

// biome-ignore lint/suspicious/noExplicitAny: the parser's trees have a hundred shapes, of which a few members are read.
type Tree = any;

function faultOf(node: SqlNode, kind: string, path: string): Diagnostic | undefined {
  const tree: Tree = Object.values(node)[0];
  if (kind === 'CreateExtensionStmt' || kind === 'AlterExtensionStmt')
    return fault('DATABASE_EXTENSION_UNSUPPORTED', `The extension ${tree.extname} is not part of an archive.`, path);
  if (!isDefinition(node))
    return fault('DATABASE_SCHEMA_UNSAFE', `A statement of the kind ${kind} defines nothing.`, path);
  if (kind === 'CreatePolicyStmt') {
    const strange = strangeRole(tree.roles);
    if (strange !== undefined)
      return fault(
        'DATABASE_RLS_IMPORT_UNSUPPORTED',
        `The policy ${tree.policy_name} is for the role ${strange}, which no project has.`,
        path,
      );
  }
  if (kind === 'GrantStmt' && strangeRole(tree.grantees) !== undefined)
    return fault(
      'DATABASE_SCHEMA_UNSAFE',
      `A right is granted to ${strangeRole(tree.grantees)}, which no project has.`,
      path,
    );
  if (kind === 'CreateFunctionStmt') {
    const language = languageOf(tree);
    if (!languages.has(language))
      return fault('DATABASE_SCHEMA_UNSAFE', `A function is written in ${language.slice(0, 60)}.`, path);
  }
  const schema = schemaOf(tree);
  if (schema !== undefined && schema !== 'public')
    return fault('DATABASE_SCHEMA_UNSAFE', `Something is defined in the schema ${schema.slice(0, 63)}.`, path);
  return undefined;
}

/** A role that is none of a project's. */
const strangeRole = (given: Tree[] = []): string | undefined =>
  given
    .map((one): Tree => one.RoleSpec ?? {})
    .filter(({ roletype }) => roletype === 'ROLESPEC_CSTRING')
    .map(({ rolename }): string => rolename)
    .find((name) => !roles.has(name));

function languageOf(tree: Tree): string {
  const named = (tree.options ?? []).find((one: Tree) => one.DefElem?.defname === 'language');
  // A body without a language is of SQL.
  return named?.DefElem?.arg?.String?.sval?.toLowerCase() ?? 'sql';
}

/** The schema that something is made in, where the statement says it in the usual way. */
function schemaOf(tree: Tree): string | undefined {
  const relation = tree.relation ?? tree.sequence ?? tree.view ?? tree.typevar ?? tree.into?.rel ?? tree.table;
  if (relation?.schemaname !== undefined) return relation.schemaname;
  const name: Tree[] | undefined = tree.funcname ?? tree.domainname ?? tree.typeName ?? tree.defnames;
  return Array.isArray(name) && name.length > 1 ? name[0].String?.sval : undefined;
}
