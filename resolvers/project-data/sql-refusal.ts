import type pg from 'pg';
import { ServiceError } from '../../core/errors.ts';
import { shortText } from '../../core/short-text.ts';
import { withoutPaths } from '../../core/without-paths.ts';

/** An error of a project's database, as a caller of its SQL may read it. Contract 01, section 2.6. */
export interface SqlRefusal {
  readonly sqlstate: string | undefined;
  readonly message: string;
  readonly detail: string | null;
  readonly hint: string | null;
  /** Where in the SQL, counted in characters from 1. */
  readonly position?: number;
  readonly constraint?: string;
  readonly table?: string;
  readonly column?: string;
}

/** The one place that decides which words of PostgreSQL leave the gateway. */
function publicForm({ code, position, detail, hint, message, ...named }: pg.DatabaseError): SqlRefusal {
  const names = (['constraint', 'table', 'column'] as const).flatMap((name) =>
    named[name] === undefined ? [] : [[name, named[name]]],
  );
  const told = (text: string) => shortText(withoutPaths(code ?? '', text));
  return {
    sqlstate: code,
    message: told(message),
    detail: detail === undefined ? null : told(detail),
    hint: hint === undefined ? null : told(hint),
    ...(position === undefined ? {} : { position: Number(position) }),
    ...Object.fromEntries(names),
  };
}

const cancelled = '57014';

/** The refusal of SQL that a project's database did not take. */
export function sqlRefusal(error: pg.DatabaseError): ServiceError {
  const details = publicForm(error);
  return new ServiceError('SQL_ERROR', {
    message:
      error.code === cancelled ? 'The SQL was cancelled: it took too long, or its caller left.' : details.message,
    details: { ...details },
    ...(details.hint === null ? {} : { extras: { hint: details.hint } }),
  });
}

/** Adds line and column to a refusal that knows the place of a mistake in this SQL. @throws what the work throws */
export async function locating<Result>(sql: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || typeof error.details.position !== 'number') throw error;
    throw error.withDetails({ location: locationOf(sql, error.details.position) });
  }
}

/** @param position in characters from 1, each of which JavaScript may have two halves of */
function locationOf(sql: string, position: number): { readonly line: number; readonly column: number } {
  const lines = Array.from(sql)
    .slice(0, position - 1)
    .join('')
    .split('\n');
  return { line: lines.length, column: Array.from(lines.at(-1)!).length + 1 };
}
