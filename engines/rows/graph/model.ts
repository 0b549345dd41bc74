import type { SlicedWork } from '../../../core/slices.ts';
import { everything } from '../request/names.ts';
import type { RowRole } from '../request/row-request.ts';
import type { Column, Routine, SchemaCache, Table } from '../schema/types.ts';
import type { GraphColumn, GraphModel, GraphRelation, GraphResult, GraphRoutine, GraphTable } from './graph-model.ts';
import { fieldNameOf, Names, reservedMembers, typeNameOf } from './names.ts';
import { relationsOf } from './relations.ts';
import { ValueTypes } from './value-types.ts';

/** Every type that there is whatever the tables are. */
const reservedTypes = [
  'Query Mutation Subscription PageInfo OrderDirection LiveHint LiveHintEvent LiveOp LiveResync LiveResyncReason ID Int BigInt Float Numeric',
  'Boolean String DateTime LocalDateTime Date Time UUID JSON Text Row Null PlainText',
]
  .join(' ')
  .split(' ')
  .flatMap((name) => [name, `${name}Filter`, `${name}ListFilter`]);

const typesOfTable = (name: string) =>
  ['', 'Connection', 'Edge', 'Filter', 'RelationFilter', 'Order', 'Insert', 'Update', 'Changes', 'Column'].map(
    (end) => name + end,
  );

/** What a role sees, a table at a time. Tables it has no right to are not there, and take no names either. */
export function* graphModelOf(cache: SchemaCache, role: RowRole): SlicedWork<GraphModel> {
  const types = new Names(reservedTypes);
  const roots = new Names(['_empty']);
  const visible = [...cache.tables.values()]
    .filter((table) => (table.rights.byRole[role] ?? '') !== '')
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  // Tables before enums and functions: what is made later makes way.
  const named: { readonly table: Table; readonly typeName: string }[] = [];
  for (const table of visible) {
    const typeName = types.claim(typeNameOf(table.name), (name) => [...typesOfTable(name), ...rootsOf(name)]);
    for (const name of rootsOf(typeName)) roots.claim(name);
    named.push({ table, typeName });
    yield;
  }
  const values = new ValueTypes(cache, types);
  const tables: GraphTable[] = [];
  for (const { table, typeName } of named) {
    tables.push(tableOf(cache, values, role, table, typeName));
    yield;
  }
  const byName = new Map(tables.map((one) => [one.table.name, one]));
  for (const table of tables) {
    (table.relations as GraphRelation[]).push(...relationsOf(cache, table, byName));
    yield;
  }
  const shown = tables.filter(({ readable, can }) => readable.length > 0 || can.insert || can.update || can.delete);
  const callable = [...cache.routines.values()]
    .flat()
    .filter(({ callers }) => callers.includes(role))
    .filter((routine) => routine.arguments.every(({ name }) => name !== ''))
    .sort((left, right) => (signatureOf(left) < signatureOf(right) ? -1 : 1));
  const routines: GraphRoutine[] = [];
  for (const routine of callable) {
    routines.push(routineOf(routine, { values, types, roots, byName }));
    yield;
  }
  return {
    tables: shown,
    queries: routines.filter(({ routine }) => routine.volatility !== 'volatile'),
    mutations: routines.filter(({ routine }) => routine.volatility === 'volatile'),
  };
}

/** Fields at the roots that go with a type; no type is called like one of them, so they can be claimed together. */
function rootsOf(typeName: string): string[] {
  const field = rootNameOf(typeName);
  return [
    ...[field, `${field}ByPk`, `${field}Hints`],
    ...['insert', 'upsert', 'update', 'delete'].map((verb) => verb + typeName),
  ];
}

const rootNameOf = (typeName: string) => {
  const name = fieldNameOf(typeName);
  return name === typeName ? `${name}Rows` : name;
};

const signatureOf = ({ name, arguments: args }: Routine) =>
  JSON.stringify([name, args.map((one) => [one.name, one.type])]);

function tableOf(cache: SchemaCache, values: ValueTypes, role: RowRole, table: Table, typeName: string): GraphTable {
  const { byRole, ofColumns, writable } = table.rights;
  const all = byRole[role] ?? '';
  const names = new Names(reservedMembers);
  // In the language of rows this name means every column.
  const nameable = [...table.columns.values()].filter(({ name }) => name !== everything);
  const columns = nameable.map((column): GraphColumn => {
    const own = ofColumns?.[role]?.[column.name] ?? all;
    return {
      name: names.claim(fieldNameOf(column.name)),
      column,
      value: values.of(column.type),
      readable: own.includes('r'),
      insertable: own.includes('a') && !column.generated && column.identity !== 'always',
      updatable: own.includes('w') && !column.generated && column.identity !== 'always',
    };
  });
  const can = (letter: string) => all.includes(letter) && writable.includes(letter);
  return {
    table,
    typeName,
    fieldName: rootNameOf(typeName),
    columns,
    readable: columns.filter(({ readable }) => readable),
    relations: [],
    key: keyOf(table, columns),
    primaryKey: readableColumns(table.primaryKey, columns),
    can: {
      insert: can('a') && columns.some(({ insertable }) => insertable),
      update: can('w') && columns.some(({ updatable }) => updatable),
      delete: can('d'),
    },
    isLive: cache.live.has(table.name) && all.includes('r'),
  };
}

function readableColumns(names: readonly string[], columns: readonly GraphColumn[]): GraphColumn[] | undefined {
  const found = names.flatMap((name) => columns.filter((one) => one.column.name === name && one.readable));
  return found.length === 0 || found.length < names.length ? undefined : found;
}

/** What tells rows apart: only in tables, since a view may show a row of a table more than once. */
function keyOf({ kind, primaryKey, uniques, inherited, columns: known }: Table, columns: readonly GraphColumn[]) {
  if ((kind !== 'table' && kind !== 'partitioned') || inherited) return undefined;
  const certain = uniques.filter((names) => names.every((name) => known.get(name)?.nullable === false));
  for (const names of [primaryKey, ...certain]) {
    const found = readableColumns(names, columns);
    if (found?.every(isOrdered) === true) return found;
  }
  return undefined;
}

/** Whether rows can be put in an order by a column. */
export const isOrdered = ({ value: { comparable, isList } }: GraphColumn): boolean =>
  !isList && comparable !== 'presence' && comparable !== 'document';

interface Sources {
  readonly values: ValueTypes;
  readonly types: Names;
  readonly roots: Names;
  readonly byName: ReadonlyMap<string, GraphTable>;
}

function routineOf(routine: Routine, { values, types, roots, byName }: Sources): GraphRoutine {
  const name = roots.claim(fieldNameOf(routine.name));
  const typeName = types.claim(typeNameOf(routine.name), (one) => [
    ...[`${one}Args`, `${one}Row`, `${one}RowConnection`, `${one}RowEdge`, `${one}RowFilter`, `${one}RowOrder`],
  ]);
  const names = new Names(reservedMembers);
  const args = routine.arguments.map((argument) => ({
    name: names.claim(fieldNameOf(argument.name)),
    argument,
    value: values.of(argument.type),
  }));
  const result = resultOf(routine, `${typeName}Row`, values, byName);
  return { name, typeName, routine, arguments: args, result };
}

function resultOf(
  routine: Routine,
  typeName: string,
  values: ValueTypes,
  byName: ReadonlyMap<string, GraphTable>,
): GraphResult {
  if (routine.returnsVoid) return { kind: 'nothing' };
  if (!routine.returnsRows) return { kind: 'value', value: values.of(routine.returns.replace(/^SETOF /i, '')) };
  const table = routine.returnsTable === null ? undefined : byName.get(routine.returnsTable);
  if (table !== undefined && table.readable.length === table.table.columns.size) return { kind: 'rows', table };
  // A function may show what is otherwise dark: rows of a table that the role does not see have no type.
  const isNamed = routine.outputs.some(({ name }) => name !== everything);
  if (routine.returnsTable !== null || !isNamed) return { kind: 'records' };
  const columns = routine.outputs
    .filter(({ name }) => name !== everything)
    .map(
      ({ name, type }): Column => ({ name, type, nullable: true, defaultSql: null, generated: false, identity: null }),
    );
  const rows: Table = {
    oid: routine.oid,
    name: routine.name,
    kind: 'view',
    columns: new Map(columns.map((column) => [column.name, column])),
    primaryKey: [],
    uniques: [],
    inherited: false,
    rights: { byRole: {}, ofColumns: undefined, writable: '' },
  };
  const names = new Names(reservedMembers);
  const shown = columns.map((column) => ({
    name: names.claim(fieldNameOf(column.name)),
    column,
    value: values.of(column.type),
    readable: true,
    insertable: false,
    updatable: false,
  }));
  return {
    kind: 'rows',
    table: {
      table: rows,
      typeName,
      fieldName: typeName,
      columns: shown,
      readable: shown,
      relations: [],
      key: undefined,
      primaryKey: undefined,
      can: { insert: false, update: false, delete: false },
      isLive: false,
    },
  };
}
