import type { ReadNode } from '../plan/read-node.ts';
import { isToOne } from '../schema/types.ts';
import { commas, ident, join, type Sql, sql } from '../sql/sql.ts';
import { isBounded } from './bounds.ts';
import { aliasOf, columnOf, inSchema } from './names.ts';
import { labelOf, type Output } from './outputs.ts';

const junctionOf = (alias: string): Sql => ident(`${alias}_junction`);

/** Where the rows of an embedded relation come from; a junction is beside its target. */
export function embeddedFrom(node: ReadNode, parent: Sql): Sql {
  const { relationship, alias } = node.link!;
  const name = ident(aliasOf(node));
  if (relationship.kind === 'computed')
    return sql`${inSchema(relationship.routine)}((${parent}.*)::${inSchema(relationship.origin)}) as ${name}`;
  const target = sql`${inSchema(relationship.target)} as ${name}`;
  if (relationship.kind !== 'many-to-many') return target;
  return sql`${target}, ${inSchema(relationship.junction.table)} as ${junctionOf(alias)}`;
}

/** What ties embedded rows to the row they are embedded in. */
export function embeddedConditions(node: ReadNode, qualifier: Sql, parent: Sql): Sql[] {
  const { relationship, alias } = node.link!;
  if (relationship.kind === 'computed') return [];
  if (relationship.kind !== 'many-to-many')
    return relationship.pairs.map(([from, to]) => sql`${columnOf(qualifier, to)} = ${columnOf(parent, from)}`);
  const junction = junctionOf(alias);
  return [
    ...relationship.junction.to.map(([own, to]) => sql`${columnOf(junction, own)} = ${columnOf(qualifier, to)}`),
    ...relationship.junction.from.map(([own, from]) => sql`${columnOf(junction, own)} = ${columnOf(parent, from)}`),
  ];
}

/** Joins embedded rows: one beside its parent, or many folded into one. */
export function joinSql(child: ReadNode, select: Sql, outputs: readonly Output[]): Sql {
  const { alias, join: kind, relationship, spread } = child.link!;
  const rows = ident(alias);
  const how = kind === 'inner' ? sql` inner join lateral ` : sql` left join lateral `;
  if (isToOne(relationship)) return sql`${how}(${select}) as ${rows} on true`;
  const folded = spread
    ? [sql`nullif(count(*), 0) as "svc rows"`, ...lists(rows, outputs)]
    : [wholeList(child, rows, outputs)];
  const condition = kind === 'inner' ? sql`${rows}."svc rows" is not null` : sql`true`;
  return sql`${how}(select ${commas(folded)} from (${select}) as ${rows}) as ${rows} on ${condition}`;
}

/** All of it as one list, which is stopped before it grows too large. */
function wholeList(child: ReadNode, rows: Sql, outputs: readonly Output[]): Sql {
  const columns = outputs.flatMap((one, index): readonly Listed[] => {
    const name = labelOf(one, index);
    return name === undefined ? [...(child.table?.columns.values() ?? [])] : [{ name, type: one.type }];
  });
  const times = Map.groupBy(columns, ({ name }) => name);
  // What two columns are called names neither.
  const sizes = columns.flatMap(({ name, type }) =>
    times.get(name)!.length > 1 ? [] : sizeOf(columnOf(rows, name), type),
  );
  return sql`${listed(sql`json_agg(${rows})`, sizes)} as "svc rows"`;
}

interface Listed {
  readonly name: string;
  readonly type?: string | undefined;
}

/** A list for each column of what is spread. */
const lists = (rows: Sql, outputs: readonly Output[]): Sql[] =>
  outputs.flatMap((one, index) => {
    const label = labelOf(one, index);
    if (label === undefined) return [];
    const value = columnOf(rows, label);
    return [sql`coalesce(${listed(sql`json_agg(${value})`, sizeOf(value, one.type))}, '[]') as ${ident(label)}`];
  });

const listed = (list: Sql, sizes: readonly Sql[]): Sql =>
  sizes.length === 0 ? list : sql`case when ${isBounded(join(sizes, sql` + `))} then ${list} end`;

/** Types of which no value is large. */
const small =
  /^(smallint|integer|bigint|real|double precision|boolean|uuid|date|oid|interval|time[a-z ]*|"char"|name|money|inet|cidr|macaddr8?)$/;
const texts = new Set(['text', 'character varying', 'character', 'bytea']);

/** What a value takes in a list, roughly: found out without reading it where it is stored apart. */
function sizeOf(value: Sql, type: string | undefined): Sql[] {
  if (type !== undefined && small.test(type)) return [];
  if (type === 'json') return [sql`coalesce(octet_length(${value}::text), 0)`];
  if (type !== undefined && texts.has(type)) return [sql`coalesce(octet_length(${value}), 0)`];
  return [sql`coalesce(pg_column_size(${value}), 0)`];
}
