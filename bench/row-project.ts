import pg from 'pg';
import { KeyRing } from '../core/keys.ts';
import { type ProjectDatabase, ProjectDatabases } from '../db/project-databases.ts';
import type { Dataset } from './seed.ts';

/** A project with rows under row security. */
export interface RowProject {
  readonly anonKey: string;
  readonly serviceKey: string;
  readonly projectId: string;
  readonly database: ProjectDatabase;
  /** The way in as the project's login role. */
  readonly loginUrl: string;
  /** The way in as the server's own role, for what cancels and restores. */
  readonly adminUrl: string;
}

/** Rows that each may see, spread over owners; ten are the caller's whom policies let in. */
export const ownedRows = 20_000;

const tables = `
  create table owners (id int primary key, name text not null);
  create table items (id int primary key, owner_id int not null references owners, title text not null,
    body text not null, price numeric not null, made_at timestamptz not null, open boolean not null);
  insert into owners select n, 'Owner ' || n from generate_series(1, 200) n;
  insert into items select n, 1 + n % 200, 'Item ' || n, rpad('', 120, 'The quick brown fox jumps over. '), n / 100.0,
    now() - n * interval '1 minute', n % 10 <> 0 from generate_series(1, ${ownedRows}) n;
  create index on items (owner_id);
  alter table items enable row level security;
  create policy open on items for select to anon using (open and current_setting('request.jwt.claims', true) <> '');
  grant select on items, owners to anon;
  create table bulk (id int not null, owner int not null, title text not null, body text not null,
    made_at timestamptz not null, open boolean not null);
  alter table bulk enable row level security;
  create policy own on bulk for insert to anon with check (owner > 0 and current_setting('request.jwt.claims', true) <> '');
  grant insert on bulk to anon, service_role;
  grant select on items to service_role;
  create table wide as select n as id, repeat('x', 100000) as text from generate_series(1, 10000) n;
  grant select on wide to service_role;
  create table many as select n as id, rpad('', 200, 'The quick brown fox ') as text from generate_series(1, 100000) n;
  grant select on many to service_role;
`;

interface Place {
  readonly url: string;
  readonly databaseUrl: string;
  readonly root: Buffer;
}

/** Makes a project with rows. */
export const makeRowProject = (place: Place, dataset: Dataset): Promise<RowProject> =>
  makeProject(place, dataset, tables);

/** Makes a project over the gateway's own door, and fills it past it. */
export async function makeProject(
  { url, databaseUrl, root }: Place,
  { wallet, writtenOrgId }: Pick<Dataset, 'wallet' | 'writtenOrgId'>,
  filling: string,
): Promise<RowProject> {
  const signed = await wallet.header({ baseUrl: url, path: '/projects/v1' });
  const response = await fetch(`${url}/projects/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sign-in-with-x': signed },
    body: JSON.stringify({ name: 'rows', org_id: writtenOrgId }),
  });
  if (!response.ok) throw new Error(`The project was not made: ${await response.text()}`);
  const made = (await response.json()) as { project_id: string; anon_key: string; service_key: string };
  const { project_id: projectId, anon_key: anonKey, service_key: serviceKey } = made;
  const [row] = await within(databaseUrl, async (client) => {
    const text = 'select server, database_name, role_name from projects where id = $1';
    return (await client.query<{ server: string; database_name: string; role_name: string }>(text, [projectId])).rows;
  });
  const database = { server: row!.server, databaseName: row!.database_name, roleName: row!.role_name };
  const inside = new URL(databaseUrl);
  inside.pathname = `/${database.databaseName}`;
  await within(inside.href, async (client) => {
    await client.query(filling);
    await client.query('vacuum analyze');
  });
  const databases = new ProjectDatabases({
    servers: { [database.server]: databaseUrl },
    keys: new KeyRing(root),
    warn: () => undefined,
  });
  const loginUrl = databases.loginUrl(database);
  await databases.close();
  return { anonKey, serviceKey, projectId, database, loginUrl, adminUrl: databaseUrl };
}

async function within<Result>(url: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}
