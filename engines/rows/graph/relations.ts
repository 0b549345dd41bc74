import { isToOne, type Relationship, type SchemaCache } from '../schema/types.ts';
import type { GraphRelation, GraphTable } from './graph-model.ts';
import { fieldNameOf, Names, reservedMembers, typeNameOf } from './names.ts';

/**
 * Relations of a table to others that the role may read. One to a row goes by its column (`author_id` is `author`), one
 * to many by their table; where that means several, or a column, the columns follow: `notesByAuthorId`.
 */
export function relationsOf(
  cache: SchemaCache,
  table: GraphTable,
  byName: ReadonlyMap<string, GraphTable>,
): GraphRelation[] {
  const found = (cache.relationships.get(table.table.name) ?? []).flatMap((relationship) => {
    const target = byName.get(relationship.target);
    return target === undefined || !mayFollow(relationship, table, target, byName) ? [] : [{ relationship, target }];
  });
  const ordered = found
    .map((one) => ({ ...one, order: orderOf(one.relationship) }))
    .sort((left, right) => (left.order < right.order ? -1 : 1));
  // A view that shows a table's key takes no name away from the table.
  const ofTables = counted(ordered.filter((one) => !one.relationship.targetIsView));
  const ofViews = counted(ordered.filter((one) => one.relationship.targetIsView));
  const columns = new Set(table.columns.map(({ name }) => name));
  const names = new Names([...columns, ...reservedMembers]);
  return ordered.map(({ relationship, target }) => {
    const short = shortName(relationship, target);
    const isOnly = relationship.targetIsView
      ? ofViews.get(short) === 1 && !ofTables.has(short)
      : ofTables.get(short) === 1;
    const isPlain = isOnly && !columns.has(short);
    return {
      name: names.claim(isPlain ? short : longName(relationship, target)),
      relationship,
      isToOne: isToOne(relationship),
      target,
    };
  });
}

interface Found {
  readonly relationship: Relationship;
  readonly target: GraphTable;
}

/** How many go by each short name. */
function counted(found: readonly Found[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { relationship, target } of found) {
    const name = shortName(relationship, target);
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  return times;
}

/** Following one reads the columns that tie the two, and those of the table between them. */
function mayFollow(
  relationship: Relationship,
  origin: GraphTable,
  target: GraphTable,
  byName: ReadonlyMap<string, GraphTable>,
): boolean {
  if (target.readable.length === 0) return false;
  // A function takes and gives whole rows, and its own rights are asked when it is called.
  if (relationship.kind === 'computed') return false;
  if (relationship.kind !== 'many-to-many')
    return relationship.pairs.every(([from, to]) => reads(origin, from) && reads(target, to));
  const { table, from, to } = relationship.junction;
  const junction = byName.get(table);
  if (junction === undefined) return false;
  return (
    from.every(([own, other]) => reads(junction, own) && reads(origin, other)) &&
    to.every(([own, other]) => reads(junction, own) && reads(target, other))
  );
}

const reads = ({ readable }: GraphTable, name: string) => readable.some(({ column }) => column.name === name);

const orderOf = (one: Relationship): string =>
  JSON.stringify(
    one.kind === 'computed'
      ? [one.kind, one.routine]
      : one.kind === 'many-to-many'
        ? ['z', one.target, one.junction]
        : [one.kind, one.target, one.constraint, one.pairs],
  );

function shortName(relationship: Relationship, { table }: GraphTable): string {
  if (relationship.kind === 'many-to-many')
    return `${fieldNameOf(table.name)}Via${typeNameOf(relationship.junction.table)}`;
  if (relationship.kind !== 'many-to-one' || relationship.pairs.length !== 1) return fieldNameOf(table.name);
  const column = relationship.pairs[0]![0];
  const stem = column.replace(/_?id$/i, '');
  return fieldNameOf(stem === '' || stem === column ? table.name : stem);
}

function longName(relationship: Relationship, { table }: GraphTable): string {
  if (relationship.kind === 'computed') return fieldNameOf(relationship.routine);
  if (relationship.kind === 'many-to-many') {
    const { junction } = relationship;
    const columns = junction.to.map(([own]) => typeNameOf(own)).join('And');
    return `${fieldNameOf(table.name)}Via${typeNameOf(junction.table)}By${columns}`;
  }
  const own = relationship.kind === 'one-to-many' ? 1 : 0;
  return `${fieldNameOf(table.name)}By${relationship.pairs.map((pair) => typeNameOf(pair[own])).join('And')}`;
}
