import { invalidField } from '../../../core/errors.ts';
import { parseExactJson } from '../../../core/exact-json.ts';
import { guardWord } from '../answer/guards.ts';
import { type CallArguments, callSql } from '../compile/call.ts';
import { countedSql } from '../compile/count.ts';
import { answerColumns, documentSql, type Guard, type RowsShape } from '../compile/document.ts';
import { castSql } from '../compile/field.ts';
import { mutationSql, neededColumns } from '../compile/mutation.ts';
import { source } from '../compile/names.ts';
import { type RootFrom, readSql } from '../compile/read.ts';
import type { ReadNode } from '../plan/read-node.ts';
import type { OrderTerm } from '../request/order.ts';
import { ofObject } from '../request/payload.ts';
import { rowsMax } from '../request/range.ts';
import type { RowRole } from '../request/row-request.ts';
import type { SchemaCache, Table } from '../schema/types.ts';
import { type Rendered, render, type Sql, sql } from '../sql/sql.ts';
import { type ChangeKind, mutationsOf } from './change-parts.ts';
import { textOf } from './filters.ts';
import type { GraphColumn, GraphRoutine, GraphTable } from './graph-model.ts';
import { planConnection, planObject, Reading } from './plan-selection.ts';
import type { Cursors, MutableNode, PlanState, WholeRequest } from './plan-state.ts';
import type { Args, JsonRow, SelectedField } from './selected-field.ts';
import { shownValue } from './value-types.ts';

/** One field at the root made ready: its statement, and how the row it returns becomes a value. */
export interface RootPlan {
  readonly statement: Rendered;
  /** It calls a function or may set off triggers. */
  readonly runsProjectCode: boolean;
  readonly read: (row: readonly (string | null)[]) => unknown;
}

export interface PlanOptions {
  readonly cache: SchemaCache;
  readonly role: RowRole;
  readonly cursors: Cursors;
  readonly whole: WholeRequest;
  /** Rows that one update or delete may change. @default any number */
  readonly maxAffected?: number | undefined;
}

/**
 * Plans a field at the root as one statement, with everything below it embedded.
 *
 * @throws RowError or ServiceError for what can be refused without asking the database
 */
export function planRoot(options: PlanOptions, asked: SelectedField): RootPlan {
  const plan = plannedRoot(options, asked);
  return options.cache.callsCode ? { ...plan, runsProjectCode: true } : plan;
}

function plannedRoot({ cache, role, cursors, whole, maxAffected }: PlanOptions, asked: SelectedField): RootPlan {
  const state: PlanState = { role, cursors, whole, maxAffected, holdsJson: false, embeds: 0, conditions: 0 };
  const { meaning, args, below } = asked;
  switch (meaning.kind) {
    case 'list':
      return planList(state, { table: meaning.table, from: undefined, args, below });
    case 'one':
      return planByKey(state, meaning.table, args, below);
    case 'call':
      return planCall(state, meaning.routine, args, below);
    case 'insert':
    case 'upsert':
    case 'update':
    case 'delete':
      return planChange(state, { kind: meaning.kind, table: meaning.table, args, below, cache });
    default:
      throw new TypeError('No field at the root.');
  }
}

const rootNode = (table: Table): MutableNode => ({
  table,
  tableName: table.name,
  name: table.name,
  link: undefined,
  depth: 0,
  fields: [],
  children: [],
  where: [],
  order: [],
  window: undefined,
});

interface DocumentOptions {
  readonly from?: Sql | readonly Sql[] | undefined;
  readonly rows: Sql;
  readonly withBody?: boolean;
  readonly counted?: Sql | undefined;
  readonly shape?: RowsShape;
  /** More rows than this are refused, and what was done is undone. */
  readonly guards?: readonly Guard[];
}

const statementOf = (
  { whole }: PlanState,
  { from, rows, withBody = true, counted, shape = 'rows', guards = [] }: DocumentOptions,
): Rendered =>
  render(
    documentSql({
      source: from,
      rows,
      format: { kind: 'json', stripNulls: false, contentType: '' },
      shape,
      withBody,
      total: counted === undefined ? undefined : { counted },
      location: [],
      guards,
      guardWord,
      together: whole.several,
    }),
  );

const rowsOf = ({ holdsJson }: PlanState, row: readonly (string | null)[]): JsonRow[] => {
  const body = row[answerColumns.body] ?? '';
  return body === '' ? [] : ((holdsJson ? parseExactJson(body) : JSON.parse(body)) as JsonRow[]);
};

interface ListOptions {
  readonly table: GraphTable;
  /** A call whose rows are listed, instead of the table's. */
  readonly from: Sql | undefined;
  readonly args: Args;
  readonly below: readonly SelectedField[];
}

function planList(state: PlanState, { table, from, args, below }: ListOptions): RootPlan {
  const root = rootNode(table.table);
  const at: RootFrom = from === undefined ? 'table' : 'source';
  const connection = planConnection(state, root, table, args, below, from === undefined);
  const rows = connection.rowsNeeded ? readSql(root, { from: at, limited: true }) : nothing(from);
  const counted = connection.totalNeeded ? countedSql(connection.counted, at) : undefined;
  return {
    statement: statementOf(state, { from, rows, counted, withBody: connection.rowsNeeded }),
    runsProjectCode: from !== undefined,
    read: (row) => connection.read(rowsOf(state, row), Number(row[answerColumns.total] ?? 0)),
  };
}

/** No rows; a call is still made. */
const nothing = (from: Sql | undefined): Sql =>
  from === undefined ? sql`select 1 limit 0` : sql`select 1 from ${source}`;

function planByKey(state: PlanState, table: GraphTable, args: Args, below: readonly SelectedField[]): RootPlan {
  const root = rootNode(table.table);
  for (const column of table.primaryKey ?? []) root.where.push(equal(column, args[column.name]));
  root.window = { limit: 1, offset: 0 };
  const read = planObject(state, new Reading(root), table, below);
  return {
    statement: statementOf(state, { rows: readSql(root, { from: 'table', limited: true }) }),
    runsProjectCode: false,
    read: (row) => {
      const [found] = rowsOf(state, row);
      return found === undefined ? null : read(found);
    },
  };
}

const equal = ({ column }: GraphColumn, value: unknown): ReadNode['where'][number] => ({
  kind: 'filter',
  field: { name: column.name, path: [] },
  column,
  condition: { negated: false, operation: { kind: 'compare', operator: 'eq', value: textOf(value) } },
});

function planCall(state: PlanState, graph: GraphRoutine, args: Args, below: readonly SelectedField[]): RootPlan {
  const { routine, result } = graph;
  const committed = state.whole.changes;
  const given = (args.args ?? {}) as Args;
  const members = graph.arguments.flatMap(({ name, argument }) => {
    if (given[name] !== undefined) return [[argument.name, given[name]] as const];
    if (argument.required) throw invalidField(`args.${name}`, 'is required');
    return [];
  });
  const payload = ofObject(Object.fromEntries(members));
  const call: CallArguments = { kind: 'members', payload, names: payload.keys };
  const from = callSql(routine, call);
  if (result.kind === 'rows' && routine.returnsSet) return planList(state, { table: result.table, from, args, below });
  if (result.kind === 'rows') {
    const root = rootNode(result.table.table);
    const read = planObject(state, new Reading(root), result.table, below);
    // No row is a row of nulls, which is told from one that is there by all of its columns.
    const there = sql`select ${source}.* from (${from}) as ${source} where not (${source} is null)`;
    return {
      statement: statementOf(state, { from: there, rows: readSql(root, { from: 'source', limited: false }) }),
      runsProjectCode: true,
      read: (row) => {
        const [found] = rowsOf(state, row);
        return found === undefined ? null : read(found);
      },
    };
  }
  if (result.kind === 'nothing')
    return {
      statement: statementOf(state, { from, rows: sql`select * from ${source}`, withBody: false }),
      runsProjectCode: true,
      read: () => true,
    };
  const cast = result.kind === 'value' && result.value.asText ? (result.value.isList ? '_text' : 'text') : undefined;
  const rows =
    result.kind === 'value' && cast !== undefined
      ? sql`select ${castSql(sql`pgrst_scalar`, cast)} as pgrst_scalar from ${source}`
      : sql`select * from ${source}`;
  const shape: RowsShape =
    result.kind === 'value' ? (routine.returnsSet ? 'values' : 'value') : routine.returnsSet ? 'rows' : 'row';
  return {
    statement: statementOf(state, { from, rows, shape, guards: routine.returnsSet ? [page] : [] }),
    runsProjectCode: true,
    read(row) {
      const found = parseExactJson(row[answerColumns.body] ?? 'null');
      if (result.kind !== 'value') return found;
      const { value } = result;
      return shape === 'values'
        ? (found as unknown[]).map((one) => shownValue(value, one, committed))
        : shownValue(value, found, committed);
    },
  };
}

/** No page holds more rows. */
const page: Guard = { kind: 'answered', most: rowsMax };
const projectMax = (most: number): Guard => ({ kind: 'project-max', most });

const keyTerm = (name: string): OrderTerm => ({
  relation: undefined,
  field: { name, path: [] },
  direction: undefined,
  nulls: undefined,
});

interface ChangeOptions {
  readonly kind: ChangeKind;
  readonly table: GraphTable;
  readonly args: Args;
  readonly below: readonly SelectedField[];
  readonly cache: SchemaCache;
}

function planChange(state: PlanState, { kind, table, args, below, cache }: ChangeOptions): RootPlan {
  const root = rootNode(table.table);
  const mutations = mutationsOf(state, { kind, table, args, root });
  const reading = new Reading(root);
  const readers = below.map(({ key, meaning, below: inside }) => {
    if (meaning.kind === 'affectedCount') return [key, (_rows: readonly JsonRow[], count: number) => count] as const;
    const read = planObject(state, reading, table, inside);
    return [key, (rows: readonly JsonRow[]) => rows.map(read)] as const;
  });
  const shown = root.fields.length > 0 || root.children.length > 0;
  // Joining what belongs to them would leave them in any order.
  if (shown) root.order = (table.key ?? []).map(({ column }) => keyTerm(column.name));
  const chooses = kind === 'update' || kind === 'delete';
  const returning = shown ? neededColumns(root, table.table) : [];
  return {
    statement: statementOf(state, {
      from: mutations.map((mutation) => mutationSql(table.table, mutation, returning)),
      rows: shown ? readSql(root, { from: 'source', limited: false }) : sql`select * from ${source}`,
      withBody: shown,
      guards: [
        ...(chooses && state.maxAffected !== undefined ? [projectMax(state.maxAffected)] : []),
        ...(shown ? [page] : []),
      ],
    }),
    runsProjectCode: cache.hasTriggers,
    read(row) {
      const rows = shown ? rowsOf(state, row) : [];
      const made: Record<string, unknown> = Object.create(null);
      for (const [key, read] of readers) made[key] = read(rows, Number(row[answerColumns.rows]));
      return made;
    },
  };
}
