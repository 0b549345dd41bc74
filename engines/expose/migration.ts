import { parseSql, type SqlNode, SqlSyntaxError } from '../sql/parse-sql.ts';
import type { Model, ModelRelation } from './model.ts';
import { argumentsOf, arityOf, typeNameOf } from './snippets.ts';

type Named = { readonly schemaname?: string; readonly relname?: string } | undefined;

/** Follows what a migration would do to a model. What cannot be followed is told as a doubt. */
export function followMigration(model: Model, text: string): void {
  try {
    for (const { node, kind } of parseSql(text)) follow(model, node, kind);
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    model.doubts.push(`migration_sql could not be read: ${error.message}`);
  }
}

/** Statements that make nothing a manifest could name. */
const harmless = new Set([
  'AlterPolicyStmt',
  'AlterSeqStmt',
  'CommentStmt',
  'CreateEnumStmt',
  'AlterEnumStmt',
  'CreateDomainStmt',
  'CreatePolicyStmt',
  'CreateRangeStmt',
  'CompositeTypeStmt',
  'CreateSeqStmt',
  'CreateStatsStmt',
  'CreateTrigStmt',
  'DefineStmt',
  'DeleteStmt',
  'GrantStmt',
  'IndexStmt',
  'InsertStmt',
  'MergeStmt',
  'RefreshMatViewStmt',
  'RuleStmt',
  'TransactionStmt',
  'TruncateStmt',
  'UpdateStmt',
  'VacuumStmt',
  'VariableSetStmt',
  'AlterOwnerStmt',
]);

function follow(model: Model, node: SqlNode, kind: string): void {
  noteCallable(model, node);
  if ('CreateStmt' in node) {
    create(model, node.CreateStmt);
  } else if ('ViewStmt' in node) {
    const { view, query, aliases } = node.ViewStmt;
    add(model, view, { kind: 'view', columns: columnsOfQuery(model, query, aliases), kin: false });
  } else if ('CreateTableAsStmt' in node) {
    const { into, query, objtype } = node.CreateTableAsStmt;
    const made = objtype === 'OBJECT_TABLE' ? 'table' : 'other';
    add(model, into?.rel, { kind: made, columns: columnsOfQuery(model, query, into?.colNames), kin: false });
  } else if ('CreateFunctionStmt' in node) {
    createFunction(model, node.CreateFunctionStmt);
  } else if ('AlterTableStmt' in node) {
    const { relation, cmds = [] } = node.AlterTableStmt;
    if (relation !== undefined) alterKin(model, relation, cmds);
    alter(model, relation, cmds);
  } else if ('RenameStmt' in node) {
    rename(model, node.RenameStmt);
  } else if ('DropStmt' in node) {
    drop(model, node.DropStmt.removeType, node.DropStmt.objects ?? []);
  } else if ('SelectStmt' in node && node.SelectStmt.intoClause !== undefined) {
    const { intoClause } = node.SelectStmt;
    add(model, intoClause.rel, {
      kind: 'table',
      columns: columnsOfQuery(model, node, intoClause.colNames),
      kin: false,
    });
  } else if (!('SelectStmt' in node) && !harmless.has(kind)) {
    // A function that a SELECT calls may do anything; that it makes tables is rare.
    model.doubts.push(`migration_sql has a statement whose effect is not known (${kind})`);
  }
}

/** Functions outside of the tenant's schema, aggregates and types: a policy may call them. */
function noteCallable({ made }: Model, node: SqlNode): void {
  const names =
    'CreateFunctionStmt' in node
      ? node.CreateFunctionStmt.funcname
      : 'DefineStmt' in node
        ? node.DefineStmt.defnames
        : 'CreateEnumStmt' in node
          ? node.CreateEnumStmt.typeName
          : 'CreateDomainStmt' in node
            ? node.CreateDomainStmt.domainname
            : 'CreateRangeStmt' in node
              ? node.CreateRangeStmt.typeName
              : [];
  const [name, schema = 'public'] = stringsOf(names ?? []).reverse();
  const isOwnFunction = 'CreateFunctionStmt' in node && schema === 'public';
  if (name !== undefined && !isOwnFunction) made.add(`${schema}.${name}`);
}

function createFunction(model: Model, made: Extract<SqlNode, { CreateFunctionStmt: unknown }>['CreateFunctionStmt']) {
  const { funcname = [], parameters = [], is_procedure: procedure } = made;
  const name = ownName(stringsOf(funcname));
  if (procedure === true || name === undefined) return;
  const taken = argumentsOf(parameters);
  const types = taken.map(({ type }) => type);
  model.functions = model.functions.filter((one) => !matches(one, { name, types }));
  const names = taken.map((one) => one.name ?? '');
  model.functions.push({ name, types, names, takes: arityOf(parameters) });
}

const nameOf = (named: Named) =>
  named?.schemaname === undefined || named.schemaname === 'public' ? named?.relname : undefined;

function add(model: Model, named: Named, relation: ModelRelation, keep = false): void {
  const name = nameOf(named);
  if (name !== undefined && !(keep && model.relations.has(name))) model.relations.set(name, relation);
}

function create(model: Model, statement: Extract<SqlNode, { CreateStmt: unknown }>['CreateStmt']): void {
  const { relation, tableElts = [], inhRelations = [], ofTypename, if_not_exists: keep } = statement;
  const plain = tableElts.every((one) => 'ColumnDef' in one || 'Constraint' in one);
  const known = plain && inhRelations.length === 0 && ofTypename === undefined;
  const columns = tableElts.flatMap((one) =>
    'ColumnDef' in one ? [[one.ColumnDef.colname ?? '', typeNameOf(one.ColumnDef.typeName)] as const] : [],
  );
  const kin = inhRelations.length > 0 || statement.partspec !== undefined;
  add(model, relation, { kind: 'table', columns: known ? new Map(columns) : null, kin }, keep === true);
  for (const parent of inhRelations) setKin(model, parent, true);
}

/** Columns of a query whose every output has a name; null otherwise. */
function columnsOfQuery(
  { relations }: Model,
  query: SqlNode | undefined,
  aliases: readonly SqlNode[] = [],
): Map<string, string> | null {
  if (query === undefined || !('SelectStmt' in query)) return null;
  const { targetList = [], fromClause = [] } = query.SelectStmt;
  const [only, ...more] = fromClause;
  const from = only !== undefined && more.length === 0 && 'RangeVar' in only ? nameOf(only.RangeVar) : undefined;
  const below = from === undefined ? undefined : relations.get(from)?.columns;
  const columns: [string, string][] = [];
  for (const target of targetList) {
    if (!('ResTarget' in target)) return null;
    const { name, val } = target.ResTarget;
    const fields = val !== undefined && 'ColumnRef' in val ? (val.ColumnRef.fields ?? []) : [];
    const last = fields.at(-1);
    if (last !== undefined && 'A_Star' in last) {
      if (below === undefined || below === null) return null;
      columns.push(...below);
      continue;
    }
    const column = last !== undefined && 'String' in last ? last.String.sval : undefined;
    const shown = name ?? column;
    if (shown === undefined) return null;
    columns.push([shown, below?.get(column ?? '') ?? 'unknown']);
  }
  for (const [index, name] of stringsOf(aliases).entries()) if (columns[index]) columns[index][0] = name;
  return new Map(columns);
}

function setKin({ relations }: Model, node: SqlNode | undefined, kin: boolean): void {
  const relation = node !== undefined && 'RangeVar' in node ? relations.get(nameOf(node.RangeVar) ?? '') : undefined;
  if (relation !== undefined) relation.kin = kin;
}

/** Who may lose a further relative yet is taken for alone: what is so is found when the manifest is applied. */
function alterKin(model: Model, named: NonNullable<Named>, commands: readonly SqlNode[]): void {
  for (const command of commands) {
    if (!('AlterTableCmd' in command)) continue;
    const { subtype, def } = command.AlterTableCmd;
    const table = { RangeVar: named };
    if (subtype === 'AT_AddInherit' || subtype === 'AT_DropInherit')
      for (const one of [table, def]) setKin(model, one, subtype === 'AT_AddInherit');
    if (def === undefined || !('PartitionCmd' in def) || def.PartitionCmd.name === undefined) continue;
    setKin(model, { RangeVar: def.PartitionCmd.name }, subtype === 'AT_AttachPartition');
  }
}

function alter(model: Model, named: Named, commands: readonly SqlNode[]): void {
  const columns = model.relations.get(nameOf(named) ?? '')?.columns;
  if (columns === undefined || columns === null) return;
  for (const command of commands) {
    if (!('AlterTableCmd' in command)) continue;
    const { subtype, name = '', def } = command.AlterTableCmd;
    const column = def !== undefined && 'ColumnDef' in def ? def.ColumnDef : undefined;
    if (subtype === 'AT_AddColumn') columns.set(column?.colname ?? '', typeNameOf(column?.typeName));
    else if (subtype === 'AT_DropColumn') columns.delete(name);
    else if (subtype === 'AT_AlterColumnType') columns.set(name, typeNameOf(column?.typeName));
  }
}

function rename(model: Model, statement: Extract<SqlNode, { RenameStmt: unknown }>['RenameStmt']): void {
  const { renameType, relation, object, subname = '', newname = '' } = statement;
  const name = nameOf(relation) ?? '';
  const found = model.relations.get(name);
  if (renameType === 'OBJECT_COLUMN') {
    const type = found?.columns?.get(subname);
    if (type === undefined) return;
    found?.columns?.delete(subname);
    found?.columns?.set(newname, type);
  } else if (renameType === 'OBJECT_FUNCTION') {
    const called = calledOf(object);
    model.functions = model.functions.map((one) => (matches(one, called) ? { ...one, name: newname } : one));
  } else if (found !== undefined && ['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_MATVIEW'].includes(renameType ?? '')) {
    model.relations.delete(name);
    model.relations.set(newname, found);
  }
}

function drop(model: Model, removeType: string | undefined, objects: readonly SqlNode[]): void {
  for (const object of objects) {
    if (removeType === 'OBJECT_FUNCTION' || removeType === 'OBJECT_ROUTINE') {
      const called = calledOf(object);
      model.functions = model.functions.filter((one) => !matches(one, called));
    } else if ('List' in object && ['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_MATVIEW'].includes(removeType ?? '')) {
      const name = ownName(stringsOf(object.List.items ?? []));
      if (name !== undefined) model.relations.delete(name);
    }
  }
}

interface Called {
  readonly name: string | undefined;
  /** Undefined: by its name alone. */
  readonly types: readonly string[] | undefined;
}

function calledOf(object: SqlNode | undefined): Called {
  if (object === undefined || !('ObjectWithArgs' in object)) return { name: undefined, types: undefined };
  const { objname = [], objargs = [], args_unspecified: unspecified } = object.ObjectWithArgs;
  const types = objargs.map((one) => ('TypeName' in one ? typeNameOf(one.TypeName) : ''));
  return { name: ownName(stringsOf(objname)), types: unspecified === true ? undefined : types };
}

const matches = (one: Model['functions'][number], { name, types }: Called) =>
  one.name === name && (types === undefined || `${one.types}` === `${types}`);

const stringsOf = (nodes: readonly SqlNode[]) =>
  nodes.flatMap((one) => ('String' in one ? [one.String.sval ?? ''] : []));

/** The last of a dotted name in the tenant's schema. */
const ownName = (names: readonly string[]) => (names.length < 2 || names[0] === 'public' ? names.at(-1) : undefined);
