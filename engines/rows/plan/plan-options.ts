import type { RowPlan } from '../answer/row-plan.ts';
import type { RowRequest, RowRole } from '../request/row-request.ts';
import type { Routine, SchemaCache, Table } from '../schema/types.ts';
import { render, sql } from '../sql/sql.ts';
import { routineNotFound } from './find-routine.ts';
import { callable } from './require-right.ts';
import { tableNamed } from './table-named.ts';

/**
 * Says by which methods a table or a function is asked: what can be done with it, regardless of the caller. Nothing is read for it,
 * but it takes a turn in the database as every other request does.
 *
 * @throws MissingRightError, PGRST202, PGRST205
 */
export function planOptions({ target }: RowRequest, cache: SchemaCache, role: RowRole): RowPlan {
  const methods =
    target.kind === 'table'
      ? methodsOfTable(tableNamed(cache, target.name))
      : methodsOfRoutine(routinesNamed(cache, target.name, role));
  const headers = { allow: methods.join(','), 'cache-control': 'private, no-store' };
  return {
    statement: render(sql`select null`),
    estimate: undefined,
    readOnly: true,
    runsProjectCode: false,
    timezone: undefined,
    refusalOf: () => undefined,
    toAnswer: () => ({ status: 200, headers, body: '' }),
  };
}

const reading = ['OPTIONS', 'GET', 'HEAD'];

function methodsOfTable({ primaryKey, rights: { writable } }: Table): string[] {
  const [inserts, updates, deletes] = ['a', 'w', 'd'].map((letter) => writable.includes(letter));
  return [
    ...reading,
    ...(inserts ? ['POST'] : []),
    ...(inserts && updates && primaryKey.length > 0 ? ['PUT'] : []),
    ...(updates ? ['PATCH'] : []),
    ...(deletes ? ['DELETE'] : []),
  ];
}

/** What may change something is called by POST alone. */
const methodsOfRoutine = (overloads: readonly Routine[]): string[] =>
  overloads.some(({ volatility }) => volatility !== 'volatile') ? [...reading, 'POST'] : ['OPTIONS', 'POST'];

function routinesNamed(cache: SchemaCache, name: string, role: RowRole): readonly Routine[] {
  const overloads = callable(cache, name, role);
  if (overloads.length === 0) throw routineNotFound(cache, { name, keys: [], body: undefined }, []);
  return overloads;
}
