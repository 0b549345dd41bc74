import { hasAnyRight } from '../plan/require-right.ts';
import type { RowRole } from '../request/row-request.ts';
import type { SchemaCache } from '../schema/types.ts';
import type { DatabaseRefusal } from './database-error.ts';

/** Where a refusal comes from, as PostgreSQL tells it beside its words. */
export interface RefusalPlace {
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
}

/**
 * A refusal of PostgreSQL without the names of tables that the caller has no right to. A table is dark to who may do
 * nothing with it, and a constraint knows tables on both of its sides, and those that a view or a trigger writes to.
 */
export function veiled(
  { schema, table, ...refusal }: DatabaseRefusal & RefusalPlace,
  { tables }: SchemaCache,
  role: RowRole,
): DatabaseRefusal {
  if (role === 'service_role') return refusal;
  const isSeen: IsSeen = (name) => {
    const found = name === undefined ? undefined : tables.get(name);
    return found !== undefined && hasAnyRight(found, role);
  };
  const { code, message, detail } = refusal;
  if (code === '42501') return isDenial(message, isSeen) ? { code, message: 'permission denied' } : refusal;
  // What has no table was raised by a function, in words of its own.
  if (table === undefined) return refusal;
  const seen = schema === 'public' && isSeen(table);
  if (code === '23503' || code === '23001') {
    const told = seen && foreignKeyNames(message).every(isSeen);
    const words = told ? message : 'a change violates a foreign key constraint';
    return { code, message: words, detail: veiledDetail(detail, isSeen) };
  }
  const generic = genericWords[code];
  return seen || generic === undefined ? refusal : { code, message: generic };
}

type IsSeen = (name: string | undefined) => boolean;

/** Whether what is denied is not the caller's to see: a function or a view may ask for anything. */
function isDenial(message: string, isSeen: IsSeen): boolean {
  const [, denied] = /^permission denied for (?:.+ )?(?:table|view|relation) (.+)$/s.exec(message) ?? [];
  const [, refused] = /^new row violates row-level security policy (?:.* )?for table "(.+)"$/s.exec(message) ?? [];
  const named = denied ?? refused;
  return named !== undefined && !isSeen(named);
}

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

/** By SQLSTATE, what is said where PostgreSQL names a table, a constraint or a row of it. */
const genericWords: Readonly<Record<string, string>> = {
  '23502': 'null value in a column violates a not-null constraint',
  '23505': 'duplicate key value violates a unique constraint',
  '23514': 'a new row violates a check constraint',
  '23P01': 'conflicting key value violates an exclusion constraint',
};
