import { ServiceError } from '../../../core/errors.ts';
import { bodyBytesMax } from '../compile/bounds.ts';
import type { ReadNode } from '../plan/read-node.ts';
import { everything } from '../request/names.ts';
import type { SelectField } from '../request/select.ts';
import { conditionsOf } from './filters.ts';
import type { GraphColumn, GraphRelation, GraphTable } from './graph-model.ts';
import { type Cut, type Page, pageOf } from './paging.ts';
import { linked, type MutableNode, type PlanState, type WholeRequest } from './plan-state.ts';
import type { Args, JsonRow, Reader, SelectedField } from './selected-field.ts';
import { refusedNull, shownValue } from './value-types.ts';

/** Columns and relations that are read for a node, each under a label of its own. */
export class Reading {
  readonly node: MutableNode;
  readonly #labels = new Map<string, string>();
  readonly #shown = new Set<string>();
  #count = 0;

  constructor(node: MutableNode) {
    this.node = node;
  }

  /** No label is the name of a column that an order could mean, and none is cut short. */
  label(): string {
    this.#count += 1;
    return `svc ${this.#count}`;
  }

  /** The label of a column; read once, however often it is asked for. */
  column(graph: GraphColumn, asText = graph.value.asText): string {
    const { column } = graph;
    const cast = textCast(graph, asText);
    const name = JSON.stringify([column.name, cast]);
    let label = this.#labels.get(name);
    if (label === undefined) {
      label = this.label();
      this.#labels.set(name, label);
      this.node.fields.push(fieldOf(column.name, label, cast));
    }
    return label;
  }

  /** The label of a column for one place of the answer: read once for each, so that the database counts its bytes. */
  shown(column: GraphColumn): string {
    const known = this.column(column);
    if (!this.#shown.has(known)) {
      this.#shown.add(known);
      return known;
    }
    const label = this.label();
    this.node.fields.push(fieldOf(column.column.name, label, textCast(column)));
    return label;
  }

  /** Rows without anything to show are rows still. */
  atLeastOne(table: GraphTable): void {
    if (this.node.fields.length === 0 && this.node.children.length === 0) this.column(table.readable[0]!);
  }
}

const textCast = ({ value }: GraphColumn, asText = value.asText) =>
  asText ? (value.isList ? '_text' : 'text') : undefined;

const fieldOf = (name: string, alias: string, cast: string | undefined): SelectField => ({
  kind: 'field',
  field: { name, path: [] },
  alias,
  cast,
  aggregate: undefined,
});

/** Plans what is asked of a row. */
export function planObject(
  state: PlanState,
  reading: Reading,
  table: GraphTable,
  asked: readonly SelectedField[],
): Reader {
  const readers = asked.map(({ key, meaning, args, below }): readonly [string, Reader] => {
    if (meaning.kind === 'column') {
      state.holdsJson ||= meaning.column.value.scalar === 'JSON';
      return [key, columnReader(state.whole, meaning.column, reading.shown(meaning.column))];
    }
    if (meaning.kind !== 'relation') throw new TypeError('A row has columns and relations.');
    const { relation } = meaning;
    return [
      key,
      relation.isToOne ? planOne(state, reading, relation, below) : planMany(state, reading, relation, args, below),
    ];
  });
  reading.atLeastOne(table);
  return objectReader(state.whole, readers);
}

/** Names in one answer, in bytes: a document may give a field a name that is far longer than what it holds. */
const nameBytesMax = bodyBytesMax;

const objectReader = (whole: WholeRequest, readers: readonly (readonly [string, Reader])[]): Reader => {
  const bytes = readers.reduce((sum, [key]) => sum + key.length, 0);
  return (row) => {
    whole.nameBytes += bytes;
    if (whole.nameBytes > nameBytesMax)
      throw new ServiceError('RESULT_TOO_LARGE', {
        message: 'The names in the answer take more than may be.',
        details: { limit_bytes: nameBytesMax },
      });
    const made: Record<string, unknown> = Object.create(null);
    for (const [key, read] of readers) made[key] = read(row);
    return made;
  };
};

const columnReader =
  (whole: WholeRequest, { column, value }: GraphColumn, label: string): Reader =>
  (row) => {
    const found = row[label];
    if (found === null && !column.nullable) return refusedNull(column.name, whole.changes);
    return shownValue(value, found, whole.changes);
  };

function planOne(state: PlanState, parent: Reading, relation: GraphRelation, below: readonly SelectedField[]): Reader {
  const child = linked(state, parent.node, relation);
  const label = parent.label();
  child.name = label;
  const read = planObject(state, new Reading(child), relation.target, below);
  parent.node.children.push(child);
  return (row) => {
    const found = row[label] as JsonRow | null;
    return found === null ? null : read(found);
  };
}

function planMany(
  state: PlanState,
  parent: Reading,
  relation: GraphRelation,
  args: Args,
  below: readonly SelectedField[],
): Reader {
  const rows = linked(state, parent.node, relation);
  const rowsLabel = parent.label();
  rows.name = rowsLabel;
  // Rows come once each: a foreign key leads to its row, and a junction's key holds both of its ends.
  const connection = planConnection(state, rows, relation.target, args, below, true);
  if (connection.rowsNeeded) parent.node.children.push(rows);
  let totalLabel: string | undefined;
  if (connection.totalNeeded) {
    totalLabel = parent.label();
    const counted = linked(state, parent.node, relation);
    counted.name = totalLabel;
    counted.where.push(...conditionsOf(state, counted, relation.target, args.where as Args | null));
    counted.fields.push({ ...fieldOf(everything, 'total', undefined), aggregate: { name: 'count', cast: undefined } });
    parent.node.children.push(counted);
  }
  return (row) =>
    connection.read(
      (row[rowsLabel] ?? []) as readonly JsonRow[],
      totalLabel === undefined ? 0 : Number((row[totalLabel] as readonly JsonRow[])[0]!.total),
    );
}

export interface PlannedConnection {
  readonly rowsNeeded: boolean;
  readonly totalNeeded: boolean;
  /** Conditions without those of the page: what a total counts. */
  readonly counted: ReadNode;
  readonly read: (rows: readonly JsonRow[], total: number) => unknown;
}

/**
 * Plans a connection: `node` comes to read its page.
 *
 * @param keyed whether rows are there once each
 */
export function planConnection(
  state: PlanState,
  node: MutableNode,
  table: GraphTable,
  args: Args,
  asked: readonly SelectedField[],
  keyed: boolean,
): PlannedConnection {
  const page = pageOf(table, args, state.cursors, keyed);
  const conditions = conditionsOf(state, node, table, args.where as Args | null);
  node.where.push(...conditions, ...page.where);
  node.order = page.order;
  node.window = page.window;
  const planner = new ConnectionPlanner(state, new Reading(node), table, page);
  const readers = asked.map(({ key, meaning, below }) => [key, planner.part(meaning.kind, below)] as const);
  if (planner.rowsNeeded) planner.reading.atLeastOne(table);
  return {
    rowsNeeded: planner.rowsNeeded,
    totalNeeded: planner.totalNeeded,
    counted: { ...node, where: conditions, fields: [], children: [], order: [] },
    read(rows, total) {
      const cut = page.cut(rows);
      const made: Record<string, unknown> = Object.create(null);
      for (const [key, read] of readers) made[key] = read(cut, total);
      return made;
    },
  };
}

/** Takes a part of a connection out of its page. */
type PartReader = (cut: Cut, total: number) => unknown;

class ConnectionPlanner {
  readonly reading: Reading;
  rowsNeeded = false;
  totalNeeded = false;
  readonly #state: PlanState;
  readonly #table: GraphTable;
  readonly #page: Page;

  constructor(state: PlanState, reading: Reading, table: GraphTable, page: Page) {
    this.#state = state;
    this.reading = reading;
    this.#table = table;
    this.#page = page;
  }

  part(kind: SelectedField['meaning']['kind'], below: readonly SelectedField[]): PartReader {
    if (kind === 'totalCount') {
      this.totalNeeded = true;
      return (_cut, total) => total;
    }
    this.rowsNeeded = true;
    if (kind === 'edges') return this.#edges(below);
    if (kind === 'nodes') {
      const read = this.#object(below);
      return ({ rows }) => rows.map(read);
    }
    return this.#pageInfo(below);
  }

  #object(below: readonly SelectedField[]): Reader {
    return planObject(this.#state, this.reading, this.#table, below);
  }

  #edges(below: readonly SelectedField[]): PartReader {
    const parts = below.map(({ key, meaning, below: inside }) => {
      const read = meaning.kind === 'cursor' ? this.#cursor() : this.#object(inside);
      return [key, read] as const;
    });
    return ({ rows }) =>
      rows.map((row, index) => {
        const made: Record<string, unknown> = Object.create(null);
        for (const [key, read] of parts) made[key] = read(row, index);
        return made;
      });
  }

  #cursor(): (row: JsonRow, index: number) => string {
    const labels = (this.#page.place ?? []).map((column) => this.reading.column(column, true));
    return (row, index) =>
      this.#page.cursorOf(
        labels.map((label) => (row[label] ?? null) as string | null),
        index,
      );
  }

  #pageInfo(below: readonly SelectedField[]): PartReader {
    const parts = below.map(({ key, meaning: { kind } }): readonly [string, (cut: Cut) => unknown] => {
      if (kind === 'hasNextPage') return [key, ({ hasNext }) => hasNext];
      if (kind === 'hasPreviousPage') return [key, ({ hasPrevious }) => hasPrevious];
      const cursor = this.#cursor();
      const at = kind === 'startCursor' ? 0 : -1;
      return [key, ({ rows }) => (rows.length === 0 ? null : cursor(rows.at(at)!, at === 0 ? 0 : rows.length - 1))];
    });
    return (cut) => {
      const made: Record<string, unknown> = Object.create(null);
      for (const [key, read] of parts) made[key] = read(cut);
      return made;
    };
  }
}
