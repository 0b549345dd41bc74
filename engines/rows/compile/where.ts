import type { ReadNode, Where } from '../plan/read-node.ts';
import type { Comparison, Condition, Identity, Search } from '../request/filter.ts';
import type { Column } from '../schema/types.ts';
import { isToOne } from '../schema/types.ts';
import { bind, empty, ident, join, type Sql, sql } from '../sql/sql.ts';
import { afterSql } from './after.ts';
import { fieldSql } from './field.ts';
import { embeddedConditions, embeddedFrom } from './joins.ts';
import { aliasOf } from './names.ts';

const operators: Readonly<Record<Comparison, Sql>> = {
  eq: sql`=`,
  neq: sql`<>`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
  like: sql`like`,
  ilike: sql`ilike`,
  match: sql`~`,
  imatch: sql`~*`,
  isdistinct: sql`is distinct from`,
  cs: sql`@>`,
  cd: sql`<@`,
  ov: sql`&&`,
  sl: sql`<<`,
  sr: sql`>>`,
  nxr: sql`&<`,
  nxl: sql`&>`,
  adj: sql`-|-`,
};

const queryReaders: Readonly<Record<Search, Sql>> = {
  fts: sql`to_tsquery`,
  plfts: sql`plainto_tsquery`,
  phfts: sql`phraseto_tsquery`,
  wfts: sql`websearch_to_tsquery`,
};

const identitySql: Readonly<Record<Identity, Sql>> = {
  null: sql`null`,
  not_null: sql`not null`,
  true: sql`true`,
  false: sql`false`,
  unknown: sql`unknown`,
};

/** How a condition on embedded rows is asked: by their join where there is one, else by looking for them. */
export type EmbeddedSql = (where: Extract<Where, { kind: 'embedded' }>) => Sql;

/** That embedded rows are there, where they are joined. */
export const joinedEmbedded: EmbeddedSql = ({ child, present }) => {
  const { alias, relationship } = child.link!;
  const rows = isToOne(relationship) ? ident(alias) : sql`${ident(alias)}."svc rows"`;
  return present ? sql`${rows} is distinct from null` : sql`${rows} is not distinct from null`;
};

export function whereSql(qualifier: Sql, where: Where, embedded: EmbeddedSql = joinedEmbedded): Sql {
  if (where.kind === 'embedded') return embedded(where);
  if (where.kind === 'related') return relatedSql(qualifier, where.child, where.present);
  if (where.kind === 'after') return afterSql(qualifier, where.place);
  if (where.kind === 'filter')
    return conditionSql(fieldSql(qualifier, where.field, where.column), where.condition, searchable(where));
  const members = where.members.map((member) => whereSql(qualifier, member, embedded));
  const group = sql`(${join(members, where.kind === 'and' ? sql` and ` : sql` or `)})`;
  return where.negated ? sql`not ${group}` : group;
}

function relatedSql(parent: Sql, child: ReadNode, present: boolean): Sql {
  const qualifier = ident(aliasOf(child));
  const conditions = [
    ...child.where.map((where) => whereSql(qualifier, where)),
    ...embeddedConditions(child, qualifier, parent),
  ];
  const found = sql`exists (select 1 from ${embeddedFrom(child, parent)}${whereClause(conditions)})`;
  return present ? found : sql`not ${found}`;
}

/** `where …`, or nothing. */
export const whereClause = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? empty : sql` where ${join(conditions, sql` and `)}`;

/** Types whose text a search turns into words first. */
const textTypes = new Set(['text', 'character varying', 'character', 'json', 'jsonb', 'name', 'citext']);

function searchable({ field, column }: { field: { path: readonly unknown[] }; column: Column | undefined }): boolean {
  return field.path.length > 0 || (column !== undefined && textTypes.has(column.type));
}

function conditionSql(field: Sql, { negated, operation }: Condition, isText: boolean): Sql {
  const positive = operationSql(field, operation, isText);
  return negated ? sql`not (${positive})` : positive;
}

function operationSql(field: Sql, operation: Condition['operation'], isText: boolean): Sql {
  switch (operation.kind) {
    case 'is':
      return sql`${field} is ${identitySql[operation.identity]}`;
    case 'in':
      return sql`${field} = any(${bind(arrayLiteral(operation.values))})`;
    case 'search': {
      const config = operation.config === undefined ? empty : sql`${bind(operation.config)}, `;
      const document = isText ? sql`to_tsvector(${config}${field})` : field;
      return sql`${document} @@ ${queryReaders[operation.operator]}(${config}${bind(operation.value)})`;
    }
    case 'compare': {
      const { operator, quantifier } = operation;
      const isPattern = (operator === 'like' || operator === 'ilike') && operation.inSql !== true;
      const value = bind(isPattern ? operation.value.replaceAll('*', '%') : operation.value);
      const operand = quantifier === undefined ? value : quantifier === 'any' ? sql`any(${value})` : sql`all(${value})`;
      return sql`${field} ${operators[operator]} ${operand}`;
    }
  }
}

/** A list as PostgreSQL reads an array; a list of nothing but an empty text is empty. */
function arrayLiteral(values: readonly string[]): string {
  if (values.length === 1 && values[0] === '') return '{}';
  const elements = values.map((value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  return `{${elements.join(',')}}`;
}
