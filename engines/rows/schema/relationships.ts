import type { CatalogComputed, CatalogKey } from './catalog.ts';
import { SchemaTooLargeError } from './too-large.ts';
import type { ColumnPair, Relationship, Table } from './types.ts';
import type { Showing } from './view-showings.ts';

/** Ways in which one view may show the columns of one key; beyond, only the first are taken. */
const showingsMax = 16;

/** A table or a view, and the columns under which it shows those of a key. */
interface End {
  readonly name: string;
  readonly isView: boolean;
  readonly columns: readonly string[];
}

interface ForeignKey {
  readonly constraint: string;
  readonly from: End;
  readonly to: End;
  readonly oneToOne: boolean;
}

/** In which order several are shown to who has to choose. */
const kindOrder: Readonly<Record<Relationship['kind'], number>> = {
  'one-to-many': 0,
  'many-to-one': 1,
  'one-to-one': 2,
  'many-to-many': 3,
  computed: 4,
};

export interface RelationshipSources {
  readonly tables: ReadonlyMap<string, Table>;
  readonly tableNames: ReadonlyMap<number, string>;
  readonly keys: readonly CatalogKey[];
  readonly showings: ReadonlyMap<number, readonly Showing[]>;
  readonly computed: readonly CatalogComputed[];
}

/** Relationships of one schema: those of a junction multiply with each other, and views with views. */
const relationshipsMax = 20_000;

/** Counts what is found, and stops before there is more than may be. @throws SchemaTooLargeError */
class Found {
  #left = relationshipsMax;

  count(more: number): void {
    this.#left -= more;
    if (this.#left < 0) throw new SchemaTooLargeError('relationships', relationshipsMax);
  }
}

/** Every relationship that can be embedded, by the table it begins at. @throws SchemaTooLargeError */
export function relationshipsOf(sources: RelationshipSources): Map<string, Relationship[]> {
  const found = new Found();
  const keysByTable = Map.groupBy(sources.keys, ({ table }) => table);
  const foreignKeys = sources.keys
    .filter((key) => key.kind === 'f')
    .flatMap((key) => expand(key, sources, keysByTable.get(key.table)!, found));
  const byOrigin = new Map<string, Relationship[]>();
  const add = (relationship: Relationship) => {
    const list = byOrigin.get(relationship.origin);
    if (list === undefined) byOrigin.set(relationship.origin, [relationship]);
    else list.push(relationship);
  };
  const computed = new Set(sources.computed.map(({ origin, name }) => JSON.stringify([origin, name])));
  // A function named like a table takes the place of what was found between the two.
  const isReplaced = ({ origin, target }: Relationship) => computed.has(JSON.stringify([origin, target]));
  for (const one of [...foreignKeys.flatMap(bothWays), ...manyToMany(foreignKeys, sources, found)]) {
    if (!isReplaced(one)) add(one);
  }
  for (const { name, origin, target, single } of sources.computed)
    add({ kind: 'computed', origin, target, targetIsView: false, routine: name, single });
  for (const list of byOrigin.values()) list.sort((left, right) => kindOrder[left.kind] - kindOrder[right.kind]);
  return byOrigin;
}

/** A foreign key as the tables and views of the served schema show it. */
function expand(
  key: CatalogKey,
  sources: RelationshipSources,
  ofTable: readonly CatalogKey[],
  found: Found,
): ForeignKey[] {
  const oneToOne = isOneToOne(key, ofTable);
  const froms = endsOf(key.table, key.columns, key.column_names, sources);
  const tos = endsOf(key.other, key.other_columns ?? [], key.other_names ?? [], sources);
  found.count(Math.max(2 * froms.length * tos.length, froms.length, tos.length));
  return froms.flatMap((from) => tos.map((to) => ({ constraint: key.name, from, to, oneToOne })));
}

function endsOf(
  table: number,
  numbers: readonly number[],
  names: readonly string[],
  { tableNames, showings }: RelationshipSources,
): End[] {
  const own = tableNames.get(table);
  const ends: End[] = own === undefined ? [] : [{ name: own, isView: false, columns: names }];
  for (const { view, columns } of showings.get(table) ?? []) {
    const choices = numbers.map((number) => columns.get(number) ?? []);
    for (const shown of combinations(choices).slice(0, showingsMax))
      ends.push({ name: view, isView: true, columns: shown });
  }
  return ends;
}

/** One of each. */
function combinations(choices: readonly (readonly string[])[]): string[][] {
  let all: string[][] = [[]];
  for (const choice of choices) all = all.slice(0, showingsMax).flatMap((head) => choice.map((one) => [...head, one]));
  return all;
}

/** The key's columns are themselves unique, so a row is referred to by one at most. */
function isOneToOne(key: CatalogKey, ofTable: readonly CatalogKey[]): boolean {
  const columns = [...key.columns].sort().join();
  return ofTable.some((one) => one.kind !== 'f' && [...one.columns].sort().join() === columns);
}

function bothWays({ constraint, from, to, oneToOne }: ForeignKey): Relationship[] {
  const pairs = from.columns.map((column, index): ColumnPair => [column, to.columns[index]!]);
  const there: Relationship = {
    kind: oneToOne ? 'one-to-one' : 'many-to-one',
    constraint,
    pairs,
    origin: from.name,
    target: to.name,
    targetIsView: to.isView,
  };
  const back: Relationship = {
    kind: oneToOne ? 'one-to-one' : 'one-to-many',
    constraint,
    pairs: pairs.map(([column, other]): ColumnPair => [other, column]),
    origin: to.name,
    target: from.name,
    targetIsView: from.isView,
  };
  return [there, back];
}

/** Two foreign keys of one table whose columns are a part of its primary key make it a junction. */
function manyToMany(foreignKeys: readonly ForeignKey[], { tables }: RelationshipSources, found: Found): Relationship[] {
  const byTable = Map.groupBy(
    foreignKeys.filter((key) => !key.oneToOne),
    (key) => key.from.name,
  );
  return [...byTable].flatMap(([table, keys]) => {
    const primary = new Set(tables.get(table)?.primaryKey);
    const parts = keys.filter((key) => key.from.columns.every((column) => primary.has(column)));
    found.count(parts.length * Math.max(0, parts.length - 1));
    return parts.flatMap((one) =>
      parts
        .filter((other) => other.constraint !== one.constraint)
        .map(
          (other): Relationship => ({
            kind: 'many-to-many',
            origin: one.to.name,
            target: other.to.name,
            targetIsView: other.to.isView,
            junction: {
              table,
              fromConstraint: one.constraint,
              toConstraint: other.constraint,
              from: one.from.columns.map((column, index): ColumnPair => [column, one.to.columns[index]!]),
              to: other.from.columns.map((column, index): ColumnPair => [column, other.to.columns[index]!]),
            },
          }),
        ),
    );
  });
}
