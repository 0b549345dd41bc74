import { ServiceError } from '../../core/errors.ts';
import type { MissingRightError } from '../../engines/rows/plan/require-right.ts';
import type { RowRequest } from '../../engines/rows/request/row-request.ts';
import type { SchemaCache } from '../../engines/rows/schema/types.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { RowCaller } from './authenticate-rows.ts';

/**
 * Says what stands behind a denial of the database where the platform has a word of its own for it: a table that is
 * not exposed, a function that is not listed. Asked of the database itself, and only once it has refused.
 *
 * @throws TABLE_NOT_EXPOSED, FORBIDDEN
 */
export async function explainDenial(
  { services }: Context,
  { target, role }: RowCaller,
  request: RowRequest,
  cache: SchemaCache,
): Promise<void> {
  if (role === 'service_role') return;
  const { kind, name } = request.target;
  if (kind === 'function') {
    const oids = (cache.routines.get(name) ?? []).map(({ oid }) => String(oid));
    if (await may(executeText, oids)) return;
    throw new ServiceError('FORBIDDEN', {
      label: 'forbidden_function',
      message: 'The function is not open to this caller.',
      details: { function: name, project_id: target.projectId },
    });
  }
  const table = cache.tables.get(name);
  if (role !== 'anon' || table === undefined || (await may(selectText, [String(table.oid)]))) return;
  throw new ServiceError('TABLE_NOT_EXPOSED', {
    details: { table: name, project_id: target.projectId, role, exists: true, exposed: false },
    nextActions: [
      exposeTable,
      {
        type: 'edit_request',
        method: 'POST',
        path: `/projects/v1/admin/${target.projectId}/expose`,
        auth: 'service_key',
        why: 'Apply a manifest that exposes the table.',
      },
      useFunction,
    ],
  });

  async function may(text: string, oids: readonly string[]): Promise<boolean> {
    const values = [role, `{${oids.join(',')}}`];
    const [rows] = await services.projectPools.run(target.database, [{ name: undefined, text, values }]);
    return rows![0]![0] === 't';
  }
}

/** Whether a role has a right that the schema as it is known has not: it was given meanwhile, or this is gone. */
export async function hasRight(
  { services }: Context,
  { target, role }: RowCaller,
  { kind, oids }: MissingRightError,
): Promise<boolean> {
  const text = kind === 'table' ? anyRightText : callRightText;
  const values = [role, `{${oids.join(',')}}`];
  const [rows] = await services.projectPools.run(target.database, [{ name: undefined, text, values }]);
  return rows![0]![0] === 't';
}

const exposeTable = {
  type: 'expose_table',
  command: 'svc projects apply-expose',
  why: 'Expose the table in the project’s manifest.',
};
const useFunction = { type: 'use_function', why: 'Give access through a function of the project instead.' };

const selectText =
  "select coalesce(bool_or(has_table_privilege($1::name, o, 'select') or has_any_column_privilege($1::name, o, 'select')), false) from unnest($2::oid[]) o";
const executeText =
  "select coalesce(bool_or(has_function_privilege($1::name, o, 'execute')), false) from unnest($2::oid[]) o";
const anyRightText = `select pg_catalog.bool_or(coalesce(pg_catalog.has_table_privilege($1::pg_catalog.name, o, 'delete')
    or pg_catalog.has_any_column_privilege($1::pg_catalog.name, o, 'select, insert, update'), true))
  from pg_catalog.unnest($2::pg_catalog.oid[]) o`;
const callRightText = `select pg_catalog.bool_or(coalesce(pg_catalog.has_function_privilege($1::pg_catalog.name, o, 'execute'), true))
  from pg_catalog.unnest($2::pg_catalog.oid[]) o`;
