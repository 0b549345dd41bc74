import { hasAnyRight } from '../plan/require-right.ts';
import type { RowRole } from '../request/row-request.ts';
import type { SchemaCache } from '../schema/types.ts';
import type { DatabaseRefusal } from './database-error.ts';

/** Where a refusal comes from, as PostgreSQL tells it beside its words. */
export interface RefusalPlace {
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  /** Functions and triggers of the project that it arose in; undefined for the request's own statement. */
  readonly where?: string | undefined;
  /** The part of PostgreSQL that refused. */
  readonly routine?: string | undefined;
}

/** Where `raise` speaks: its words are the project's own, and chosen to be told. */
const raising = 'exec_stmt_raise';

/**
 * A refusal of PostgreSQL without the names of what the caller has no right to. A table is dark to who may do nothing
 * with it, and a constraint knows tables on both of its sides, and those that a view or a trigger writes to. What the
 * request's own statement names wrongly is told as the dialect tells it: the caller has named it.
 */
export function veiled(
  { schema, table, where, routine, ...refusal }: DatabaseRefusal & RefusalPlace,
  { tables }: SchemaCache,
  role: RowRole,
): DatabaseRefusal {
  if (role === 'service_role' || routine === raising) return refusal;
  const isSeen: IsSeen = (name) => {
    const found = name === undefined ? undefined : tables.get(name);
    return found !== undefined && hasAnyRight(found, role);
  };
  const { code, message, detail } = refusal;
  if (code === '42501') return isDenial(message, isSeen, where) ? { code, message: 'permission denied' } : refusal;
  if (table === undefined) return isOfDark(refusal, isSeen, where) ? { code, message: wordsFor(code) } : refusal;
  const seen = schema === 'public' && isSeen(table);
  if (code === '23503' || code === '23001') {
    const named = foreignKeyNames(message);
    const words = seen && named.every(isSeen) ? message : 'a change violates a foreign key constraint';
    // The key that the detail shows is the first table's.
    const keySeen = schema === 'public' && isSeen(named[0]);
    return { code, message: words, detail: keySeen ? veiledDetail(detail, isSeen) : undefined };
  }
  return seen ? refusal : { code, message: wordsFor(code) };
}

type IsSeen = (name: string | undefined) => boolean;

/**
 * Whether what is denied is not the caller's to see: a function or a view may ask for anything. A sequence is named by
 * no request, whichever column takes its values from it.
 */
function isDenial(message: string, isSeen: IsSeen, where: string | undefined): boolean {
  const [, denied] = /^permission denied for (?:.+ )?(?:table|view|relation) (.+)$/s.exec(message) ?? [];
  const [, refused] = /^new row violates row-level security policy (?:.* )?for table "(.+)"$/s.exec(message) ?? [];
  const named = denied ?? refused;
  return named === undefined
    ? where !== undefined || message.startsWith('permission denied for sequence ')
    : !isSeen(named);
}

/** States whose words name tables, columns, functions, sequences, indexes or types. */
const namingStates = /^(0A|2200H|2B|34|3F|42|55)/;

/**
 * Whether a refusal that belongs to no table names what the caller may not know of: an object that the project's own
 * SQL asked for, or a table that it could not lock or go through.
 */
function isOfDark({ code, message }: DatabaseRefusal, isSeen: IsSeen, where: string | undefined): boolean {
  const [, relation] = /\brelation "([^"]+)"/.exec(message) ?? [];
  if (code === '55P03' || where === undefined)
    return relation !== undefined && code !== undefinedTable && !isSeen(relation);
  return namingStates.test(code) && !(relation !== undefined && isSeen(relation));
}

/** In a statement of ours, of a table that was there a moment ago: the request has named it. */
const undefinedTable = '42P01';

/** The tables that the message of a broken foreign key names; none that is seen for words that are not known. */
function foreignKeyNames(message: string): readonly (string | undefined)[] {
  const [, written] = /^insert or update on table "(.+)" violates foreign key constraint ".+"$/s.exec(message) ?? [];
  if (written !== undefined) return [written];
  const both = /^update or delete on table "(.+)" violates .*foreign key constraint ".+" on table "(.+)"$/s.exec(
    message,
  );
  return both === null ? [undefined] : both.slice(1);
}

function veiledDetail(detail: string | undefined, isSeen: IsSeen): string | undefined {
  const [, before, named] = /^(.* (?:not present in|referenced from) table) "(.+)"\.$/s.exec(detail ?? '') ?? [];
  if (before === undefined || named === undefined) return undefined;
  return isSeen(named) ? detail : `${before.slice(0, -'table'.length)}another table.`;
}

/** What is said where PostgreSQL names a table, a constraint, a row of it or another object. */
const wordsFor = (code: string): string => genericWords[code] ?? 'the SQL of the project was refused';

const genericWords: Readonly<Record<string, string>> = {
  '23502': 'null value in a column violates a not-null constraint',
  '23505': 'duplicate key value violates a unique constraint',
  '23514': 'a new row violates a check constraint',
  '23P01': 'conflicting key value violates an exclusion constraint',
  '42703': 'the SQL of the project asks for a column that does not exist',
  '42P01': 'the SQL of the project asks for a relation that does not exist',
  '42883': 'the SQL of the project calls a function or operator that does not exist',
  '55P03': 'could not obtain a lock',
};
