import type { Catalog, CatalogColumn, CatalogKey, CatalogRoutine, CatalogTable } from './catalog.ts';
import { relationshipsOf } from './relationships.ts';
import { SchemaTooLargeError } from './too-large.ts';
import type { Column, Routine, SchemaCache, Table, TableKind } from './types.ts';
import { type Showing, showingsOf } from './view-showings.ts';

/** Makes a schema cache of what the catalogs say. @param live tables that the manifest marks as live */
export function schemaCacheOf(catalog: Catalog, live: ReadonlySet<string> = new Set()): SchemaCache {
  refuseTooLarge(catalog);
  const showings = showingsOf(catalog);
  const keys = Map.groupBy(catalog.keys, ({ table }) => table);
  const primary = catalog.keys.filter(({ kind }) => kind === 'p');
  const tables = new Map(
    catalog.tables.map((table) => [table.name, tableOf(table, keys.get(table.oid) ?? [], primary, showings)]),
  );
  const relationships = relationshipsOf({
    tables,
    tableNames: new Map(catalog.tables.map(({ oid, name }) => [oid, name])),
    keys: catalog.keys,
    showings,
    computed: catalog.computed,
  });
  const routines = Map.groupBy(catalog.routines.map(routineOf).filter(isCallable), ({ name }) => name);
  return {
    tables,
    relationships,
    routines,
    hasTriggers: catalog.triggers,
    callsCode: catalog.code,
    enums: new Map((catalog.enums ?? []).map(({ type, labels }) => [type, labels ?? []])),
    domains: new Map((catalog.domains ?? []).map(({ type, base }) => [type, base])),
    live,
  };
}

/** Far more than anybody made by hand: what is made of each is held in memory, and searched by every request. */
const most = { tables: 5_000, columns: 50_000, routines: 10_000 };

/** @throws SchemaTooLargeError */
function refuseTooLarge({ tables, routines }: Catalog): void {
  const columns = tables.reduce((sum, table) => sum + (table.columns?.length ?? 0), 0);
  const counts = { tables: tables.length, columns, routines: routines.length };
  for (const kind of ['tables', 'columns', 'routines'] as const)
    if (counts[kind] > most[kind]) throw new SchemaTooLargeError(kind, most[kind]);
}

const kinds = { r: 'table', p: 'partitioned', v: 'view', m: 'materialized', f: 'foreign' } as const satisfies Record<
  CatalogTable['kind'],
  TableKind
>;

function tableOf(
  { oid, name, kind, columns, access, column_access, writable, inherited }: CatalogTable,
  own: readonly CatalogKey[],
  primary: readonly CatalogKey[],
  showings: ReadonlyMap<number, readonly Showing[]>,
): Table {
  const isView = kind === 'v' || kind === 'm';
  return {
    oid,
    name,
    kind: kinds[kind],
    columns: new Map((columns ?? []).map((column) => [column.name, columnOf(column)])),
    primaryKey: isView
      ? primaryKeyOfView(name, primary, showings)
      : (own.find((key) => key.kind === 'p')?.column_names ?? []),
    uniques: own.filter((key) => key.kind === 'u').map((key) => key.column_names),
    inherited: inherited === true,
    rights: { byRole: access ?? {}, ofColumns: column_access ?? undefined, writable: writable ?? '' },
  };
}

const columnOf = ({ name, type, not_null, default_sql, generated, identity }: CatalogColumn): Column => ({
  name,
  type,
  nullable: !not_null,
  defaultSql: default_sql,
  generated,
  identity: identity === 'a' ? 'always' : identity === 'd' ? 'by default' : null,
});

/** The primary keys of the tables behind a view, where it shows all of their columns. */
function primaryKeyOfView(
  view: string,
  keys: readonly CatalogKey[],
  showings: ReadonlyMap<number, readonly Showing[]>,
): string[] {
  return keys.flatMap((key) => {
    if (key.kind !== 'p') return [];
    const shown = showings.get(key.table)?.find((one) => one.view === view)?.columns;
    const names = key.columns.flatMap((number) => shown?.get(number)?.slice(0, 1) ?? []);
    return names.length === key.columns.length ? names : [];
  });
}

const volatilities = { i: 'immutable', s: 'stable', v: 'volatile' } as const;

function routineOf(routine: CatalogRoutine): Routine {
  const inputs = (routine.args ?? []).filter(({ mode }) => mode === 'i' || mode === 'b' || mode === 'v');
  const required = inputs.length - routine.defaults;
  return {
    oid: routine.oid,
    name: routine.name,
    arguments: inputs.map(({ name, type, mode }, index) => ({
      name,
      type,
      required: index < required,
      variadic: mode === 'v',
    })),
    returnsSet: routine.returns_set,
    returnsRows: routine.returns_rows,
    returnsTable: routine.returns_table,
    returnsVoid: routine.returns_void,
    volatility: volatilities[routine.volatility],
    returns: routine.returns ?? 'text',
    outputs: (routine.args ?? []).filter(({ mode }) => mode === 't' || mode === 'o' || mode === 'b'),
    callers: routine.callers ?? [],
  };
}

/** Types that a whole body can be given as. */
const bodyTypes = new Set(['json', 'jsonb', 'text', 'xml', 'bytea']);

/** Arguments are given by name; one without a name may take the body as it is. */
function isCallable({ arguments: args }: Routine): boolean {
  const unnamed = args.filter(({ name }) => name === '');
  return unnamed.length === 0 || (args.length === 1 && bodyTypes.has(args[0]!.type));
}
