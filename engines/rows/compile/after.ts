import type { PlaceTerm } from '../plan/read-node.ts';
import { bind, commas, fromCatalog, join, type Sql, sql } from '../sql/sql.ts';
import { fieldSql } from './field.ts';

/**
 * What comes after a place in an order. Where every column runs the same way and none can be null, rows are compared
 * whole, which an index can answer; otherwise column by column.
 */
export function afterSql(qualifier: Sql, place: readonly PlaceTerm[]): Sql {
  const [first] = place;
  const isPlain = place.every(
    ({ column, descending, value }) => !column.nullable && value !== null && descending === first!.descending,
  );
  if (isPlain) {
    const columns = commas(place.map((term) => columnSql(qualifier, term)));
    const values = commas(place.map((term) => valueSql(term)));
    return first!.descending ? sql`(${columns}) < (${values})` : sql`(${columns}) > (${values})`;
  }
  const ways = place.flatMap((term, index) => {
    const beyond = beyondSql(qualifier, term);
    if (beyond === undefined) return [];
    return [sql`(${join([...place.slice(0, index).map((before) => sameSql(qualifier, before)), beyond], sql` and `)})`];
  });
  return ways.length === 0 ? sql`false` : sql`(${join(ways, sql` or `)})`;
}

const columnSql = (qualifier: Sql, { field, column }: PlaceTerm) => fieldSql(qualifier, field, column);
const valueSql = ({ column, value }: PlaceTerm) => sql`cast(${bind(value)} as ${fromCatalog(column.type)})`;

const sameSql = (qualifier: Sql, term: PlaceTerm): Sql =>
  term.value === null
    ? sql`${columnSql(qualifier, term)} is null`
    : sql`${columnSql(qualifier, term)} = ${valueSql(term)}`;

/** Beyond the place in this column; undefined: nothing is. */
function beyondSql(qualifier: Sql, term: PlaceTerm): Sql | undefined {
  const column = columnSql(qualifier, term);
  const { value, descending, nullsFirst } = term;
  if (value === null) return nullsFirst ? sql`${column} is not null` : undefined;
  const beyond = descending ? sql`${column} < ${valueSql(term)}` : sql`${column} > ${valueSql(term)}`;
  return term.column.nullable && !nullsFirst ? sql`(${beyond} or ${column} is null)` : beyond;
}
