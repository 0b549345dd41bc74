import { ServiceError } from '../../../core/errors.ts';
import type { ReleasedFunction } from '../../../engines/release/model.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { asReader, databaseOf, inProject, once, tenantSchema } from '../../project-data/shared/in-project.ts';

/** Refuses a release whose functions ask for roles in a table that is not there. @throws DEPLOY_INVALID_ROLE_GATE */
export async function refuseMissingGate(
  services: Services,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  functions: ReadonlyMap<string, Pick<ReleasedFunction, 'requireRole'>>,
): Promise<void> {
  // All gates of a release ask the same table.
  const [name, gate] =
    [...functions].map(([one, { requireRole }]) => [one, requireRole] as const).find(([, one]) => one !== null) ?? [];
  if (gate == null) return;
  const { table, idColumn, roleColumn } = gate;
  const [, rows] = await inProject(() =>
    services.projectPools.run(databaseOf(scope), [asReader, once(columnsText, [tenantSchema, table])]),
  );
  const columns = new Set(rows!.map(([column]) => column));
  const missing = [idColumn, roleColumn].find((column) => !columns.has(column));
  if (missing === undefined) return;
  throw new ServiceError('DEPLOY_INVALID_ROLE_GATE', {
    message:
      columns.size === 0
        ? `The gate of ${name} asks a table ${table}, which is not there.`
        : `The gate of ${name} asks a column ${missing} of ${table}, which is not there.`,
    details: { function: name, table, id_column: idColumn, role_column: roleColumn },
    extras: { resource: `functions.${name}.require_role` },
  });
}

const columnsText = `select a.attname::text from pg_catalog.pg_attribute a
  join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped
    and c.relkind in ('r', 'p', 'v', 'm', 'f')`;
