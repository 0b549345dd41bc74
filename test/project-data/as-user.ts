import pg from 'pg';
import type { Service } from '../helpers/service.ts';
import type { DataProject } from './data-project.ts';

/**
 * Runs a statement as a row request does: with the role and the claims of a caller, as local settings of a transaction
 * of the project's own login. @param claims undefined for a caller without a user
 */
export async function asUser(
  service: Service,
  { projectId }: Pick<DataProject, 'projectId'>,
  claims: { readonly sub: string } | undefined,
  text: string,
): Promise<Record<string, unknown>[]> {
  const [row] = await service.control.sql<{ server: string; database_name: string; role_name: string }>(
    'select server, database_name, role_name from projects where id = $1',
    [projectId],
  );
  const { server, database_name: databaseName, role_name: roleName } = row!;
  const url = service.app.services.projectDatabases.loginUrl({ server, databaseName, roleName });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const role = claims === undefined ? 'anon' : 'authenticated';
    await client.query('begin');
    await client.query("select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)", [
      role,
      JSON.stringify({ role, ...claims }),
    ]);
    const { rows } = await client.query(text);
    await client.query('commit');
    return rows;
  } finally {
    await client.end();
  }
}

/** Runs statements in a project's database as the administrator of its server, who is past every confinement. */
export async function asAdministrator(
  service: Service,
  { projectId }: Pick<DataProject, 'projectId'>,
  statements: readonly string[],
): Promise<Record<string, unknown>[]> {
  const [row] = await service.control.sql<{ database_name: string }>(
    'select database_name from projects where id = $1',
    [projectId],
  );
  const url = new URL(service.control.url);
  url.pathname = `/${row!.database_name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const text of statements) ({ rows } = await client.query(text));
    return rows;
  } finally {
    await client.end();
  }
}

/** All that a manifest could change, as the catalogs tell it; rows' own numbers left out. */
export const catalogOf = async ({ sql }: Pick<DataProject, 'sql'>): Promise<unknown> => ({
  relations: await sql(`select relname, relkind, relacl::text, relrowsecurity, relforcerowsecurity, reloptions,
      obj_description(oid, 'pg_class') as note, case when relkind = 'v' then pg_get_viewdef(oid) end as definition
    from pg_class where relnamespace = 'public'::regnamespace order by relname`),
  columns: await sql(`select attrelid::regclass::text as of, attname, attacl::text from pg_attribute
    where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace) order by 1, attnum`),
  policies: await sql(`select p.*, obj_description(c.oid, 'pg_policy') as note from pg_policies p
    join pg_policy c on c.polname = p.policyname and c.polrelid = p.tablename::regclass order by tablename, policyname`),
  functions: await sql(`select proname, pg_get_functiondef(oid) as definition, proacl::text,
      obj_description(oid, 'pg_proc') as note
    from pg_proc where pronamespace = 'public'::regnamespace order by 1, 2`),
  triggers: await sql(
    'select tgname, pg_get_triggerdef(oid) as definition from pg_trigger where not tgisinternal order by 1',
  ),
  manifest: await sql('select manifest::text, applied_at::text from _svc.manifest'),
});
