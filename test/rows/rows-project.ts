import pg from 'pg';
import type { Actor } from '../helpers/actors.ts';
import type { Answer, CallOptions, Service } from '../helpers/service.ts';

/** A project with tables of a test's own. */
export interface RowsProject {
  readonly projectId: string;
  readonly orgId: string;
  readonly anonKey: string;
  readonly serviceKey: string;
  readonly roleName: string;
  readonly databaseName: string;
  readonly owner: Actor;
  readonly anon: Actor;
  readonly service: Actor;
  /** Runs SQL in the project's database as its superuser, past the gateway. */
  readonly sql: <Row extends object = Record<string, unknown>>(text: string) => Promise<Row[]>;
  /** Asks for rows with the service key; the path begins behind the door. */
  readonly admin: <Body = unknown>(method: string, path: string, options?: CallOptions) => Promise<Answer<Body>>;
  /** Asks for rows with the anon key. */
  readonly open: <Body = unknown>(method: string, path: string, options?: CallOptions) => Promise<Answer<Body>>;
  readonly end: () => Promise<void>;
}

const grants = `grant select, insert, update, delete on all tables in schema public to service_role;
  grant usage on all sequences in schema public to service_role;`;

/** A project whose database has the given tables, which the service role may use and nobody else. */
export async function rowsProject(service: Service, schema: string): Promise<RowsProject> {
  const { wallet: owner, projectId, orgId, anonKey, serviceKey } = await service.project();
  const [row] = await service.control.sql<{ database_name: string; role_name: string }>(
    'select database_name, role_name from projects where id = $1',
    [projectId],
  );
  const url = new URL(service.control.serverUrl);
  url.pathname = `/${row!.database_name}`;
  const client = new pg.Client({ connectionString: url.href });
  // The database is dropped under it at the end of the file.
  client.on('error', () => undefined);
  await client.connect();
  // As anybody's own functions are: those of the superuser are for nobody else.
  await client.query('alter default privileges in schema public grant execute on functions to public');
  await client.query(schema);
  await client.query(grants);
  const anon = service.actors.apikey(anonKey);
  const admin = service.actors.apikey(serviceKey);
  return {
    projectId,
    orgId,
    anonKey,
    serviceKey,
    roleName: row!.role_name,
    databaseName: row!.database_name,
    owner,
    anon,
    service: admin,
    sql: async <Row extends object>(text: string) => (await client.query<Row & pg.QueryResultRow>(text)).rows,
    admin: (method, path, options) => service.call(admin, method, `/admin/v1/rest/${path}`, options),
    open: (method, path, options) => service.call(anon, method, `/rest/v1/${path}`, options),
    end: () => client.end(),
  };
}

/** Headers with a preference. */
export const prefer = (...preferences: readonly string[]) => ({ headers: { prefer: preferences.join(', ') } });
