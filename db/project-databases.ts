import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { KeyRing } from '../core/keys.ts';
import { AuthLogin } from './auth-login.ts';
import { draftName, formerName } from './copy-names.ts';
import { DatabaseSizes, measureDatabases } from './database-sizes.ts';
import { createPool, type StatementHook, sqlState } from './pool.ts';
import { prepareProjectServer } from './prepare-project-server.ts';
import { authGroup } from './project-template/auth.ts';
import { commonRoles, statementsUntil, templateName } from './project-template.ts';
import { upgradeProject } from './project-upgrade.ts';
import { scramVerifier } from './scram.ts';
import { Turns } from './turns.ts';
import { withClient } from './with-client.ts';

/** Most connections that one project's login role may hold: those of five nodes that have as many as they may. */
const roleConnectionLimit = 40;

/** What one session may write to disk while it sorts and joins. Set by the administrator, so no tenant can undo it. */
const pinned = (role: string) =>
  `alter role ${role} connection limit ${roleConnectionLimit}; alter role ${role} set temp_file_limit = '1GB'`;

/** The same while a database is filled from a copy: indexes of large tables are sorted on disk. */
const draftTempFiles = '64GB';

/** Databases that are made at once on one server: further ones wait here, not in line for a connection. */
const madeAtOnce = 3;
/** Databases that are dropped at once. Each makes the server write out all it holds, so creations go first. */
const droppedAtOnce = 2;
/** Databases that are brought to a newer version in the background at once: slower, and in no request's way. */
const sweptAtOnce = 1;
/** Connections to one server beyond those, for what must not wait for a database to be made. */
const looksAtOnce = 2;

/** Session locks, one for each project, under which its database and role are made and dropped. */
const projectLock = 7_306_005;

/** Where one project's rows live. */
export interface ProjectDatabase {
  readonly server: string;
  readonly databaseName: string;
  readonly roleName: string;
}

export interface ProjectDatabasesOptions {
  /** Administrative URLs of the servers by name; the name is stored with each project and never changes. */
  readonly servers: Readonly<Record<string, string>>;
  readonly keys: KeyRing;
  /** Longest a statement may take, in milliseconds; making a database takes some hundred. @default no limit */
  readonly statementMs?: number;
  readonly onStatement?: StatementHook | undefined;
  /** Told when an idle connection to a server breaks. */
  readonly onIdleError?: (error: Error, server: string) => void;
  readonly warn: (message: string, facts: Record<string, unknown>) => void;
}

// Reading changes nothing in it, so a reader does not wake itself.
const insertedStatement = `select datname, tup_inserted from pg_stat_database where datname = any($1::text[])`;

// Only a connection of that role to that database: numbers of processes are used again, and one login serves many.
const theBackend = 'from pg_stat_activity where pid = $1 and usename = $2 and datname = $3';
const cancelStatement = `select pg_cancel_backend(pid) ${theBackend}`;
const endStatement = `select pg_terminate_backend(pid) ${theBackend}`;

/** Advisory lock in a project's database, held by what changes its schema by a manifest or by migrations. */
export const schemaLockKey = 7_306_011;

/** No batch takes so long, in seconds: the process that began it is gone, and could not say so. */
const abandonedAfter = 120;
/** Migrations may take this much longer, in seconds; they hold the lock of the schema meanwhile. */
export const migrationSeconds = 600;
/** In databases that requests are answered from: what a restore fills, maybe for hours, has another name until it is whole. */
const endAbandonedStatement = `select pg_terminate_backend(pid) from pg_stat_activity
  where usename ~ '^r_[0-9a-f]{20}$' and datname ~ '^p_[0-9a-f]{20}$' and xact_start < now() - make_interval(secs => $1)
    and (xact_start < now() - make_interval(secs => $1 + ${migrationSeconds}) or not exists (select from pg_locks l
      where l.pid = pg_stat_activity.pid and l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = ${schemaLockKey}))`;

const besidesStatement = `select distinct substr(datname, strpos(datname, '_') + 1) as name from pg_database
  where datname ~ '^(draft|former)_p_[0-9a-f]{20}$'`;

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The way to one server. This is for making, dropping and measuring databases; requests have pools of their own. */
interface ProjectServer {
  readonly pool: pg.Pool;
  readonly making: Turns;
  readonly dropping: Turns;
  readonly sweeping: Turns;
  readonly sizes: DatabaseSizes;
}

/** The way into project databases, as a login that is named for each. */
export interface ProjectLogins {
  readonly loginUrl: (database: ProjectDatabase) => string;
  /** Names of the settings that the login is meant to have. */
  readonly ownSettings: readonly string[];
  /** Sets the login's password and settings back. */
  readonly restoreLogin: (database: ProjectDatabase) => Promise<void>;
  /** Brings the database to the version this gateway works with, and lets its logins in. Safe to repeat. */
  readonly upgrade: (database: ProjectDatabase) => Promise<void>;
  /** Stops what a connection of the login is doing. */
  readonly cancelBackend: (database: ProjectDatabase, processId: number) => Promise<void>;
  /** Ends a connection of the login, which nothing that runs on it can prevent. */
  readonly endBackend: (database: ProjectDatabase, processId: number) => Promise<void>;
}

/** The servers that hold project databases, and the databases and login roles on them. */
export class ProjectDatabases implements ProjectLogins {
  readonly #servers = new Map<string, ProjectServer>();
  readonly #options: ProjectDatabasesOptions;
  readonly #authLogin: AuthLogin;
  readonly ownSettings = ['temp_file_limit'];
  #next = 0;

  constructor(options: ProjectDatabasesOptions) {
    this.#options = options;
    this.#authLogin = new AuthLogin(options.keys);
    for (const [name, url] of Object.entries(options.servers)) {
      const { statementMs, onStatement, onIdleError } = options;
      const pool = createPool({
        url,
        max: madeAtOnce + droppedAtOnce + sweptAtOnce + looksAtOnce,
        name: 'svc-gateway admin',
        onStatement,
        ...(statementMs === undefined ? {} : { statementMs }),
        ...(onIdleError === undefined ? {} : { onIdleError: (error: Error) => onIdleError(error, name) }),
      });
      const sizes = new DatabaseSizes({ measure: (names) => measureDatabases(pool, names) });
      const [making, dropping, sweeping] = [madeAtOnce, droppedAtOnce, sweptAtOnce].map((most) => new Turns(most));
      this.#servers.set(name, { pool, making: making!, dropping: dropping!, sweeping: sweeping!, sizes });
    }
  }

  /** Names for a new project's database and role, on the servers in turn. The names tell nothing about the project. */
  assign(): ProjectDatabase {
    const names = [...this.#servers.keys()];
    const tail = randomBytes(10).toString('hex');
    return { server: names[this.#next++ % names.length]!, databaseName: `p_${tail}`, roleName: `r_${tail}` };
  }

  /** The login password of a project's role: derived, so it is stored nowhere. */
  password({ roleName }: Pick<ProjectDatabase, 'roleName'>): string {
    return this.#options.keys.mac('database-passwords', roleName).toString('base64url');
  }

  /** Makes every server ready: common roles, the template, no way in for PUBLIC. Safe on many nodes at once. */
  async bootstrap(): Promise<void> {
    const { servers, warn } = this.#options;
    await Promise.all(
      Object.entries(servers).map(([name, url]) =>
        prepareProjectServer({ name, url, authLogin: this.#authLogin, warn }),
      ),
    );
  }

  /**
   * Makes a project's login role and database. Safe to repeat: what is there already is kept, so a crash between any
   * two statements is mended by running it again.
   */
  async provision(database: ProjectDatabase): Promise<void> {
    const role = quote(database.roleName);
    const name = quote(database.databaseName);
    await this.#alone('making', database, async (client) => {
      await this.#makeLogin(client, database);
      // Closed until PUBLIC has lost its rights, so that no other tenant can slip in meanwhile.
      await unlessState('42P04', () => this.#cloneTemplate(client, name));
      // Several statements sent as one are one transaction: one wait for the disk rather than three.
      await client.query(
        `revoke connect, temporary on database ${name} from public;
         grant connect on database ${name} to ${role}, ${authGroup};
         ${pinned(role)};
         alter database ${name} allow_connections true`,
      );
    });
  }

  /**
   * A server without fsync, such as one of tests or of a container that is thrown away, takes a checkpoint for nothing: there
   * copies of files take a quarter of the time that the log of all pages does. Elsewhere they take twice as long.
   */
  async #cloneTemplate(client: pg.ClientBase, name: string): Promise<void> {
    const { rows } = await client.query<{ fsync: string }>('show fsync');
    const strategy = rows[0]!.fsync === 'off' ? 'file_copy' : 'wal_log';
    await client.query(`create database ${name} template ${templateName} strategy ${strategy} allow_connections false`);
  }

  async #makeLogin(client: pg.ClientBase, database: ProjectDatabase): Promise<void> {
    const verifier = scramVerifier(this.password(database));
    const attributes = `login noinherit nosuperuser nocreatedb nocreaterole connection limit ${roleConnectionLimit} password '${verifier}' in role ${commonRoles.join(', ')}`;
    await unlessState('42710', () => client.query(`create role ${quote(database.roleName)} ${attributes}`));
  }

  /**
   * Makes a project's login role, and an empty database of an older version of the template under another name, which the
   * login may enter. One of that name is dropped first.
   */
  async makeDraft(database: ProjectDatabase, draft: string, version: number): Promise<void> {
    const [role, name] = [quote(database.roleName), quote(draft)];
    await this.#alone('making', database, async (client) => {
      await this.#makeLogin(client, database);
      await client.query(`drop database if exists ${name} with (force)`);
      await client.query(`create database ${name} template template0`);
      await client.query(
        `revoke connect, temporary on database ${name} from public;
         grant connect on database ${name} to ${role}, ${authGroup};
         ${pinned(role)};
         alter role ${role} in database ${name} set temp_file_limit = '${draftTempFiles}'`,
      );
    });
    await withClient(this.adminUrl(database.server, draft), async (client) => {
      for (const statement of statementsUntil(version)) await client.query(statement);
    });
  }

  /** Takes a draft's own settings away. */
  async settleDraft(database: ProjectDatabase, draft: string): Promise<void> {
    await this.#server(database.server).pool.query(
      `alter role ${quote(database.roleName)} in database ${quote(draft)} reset all`,
    );
  }

  /** The way into a database of a server as its administrator. */
  adminUrl(server: string, databaseName: string): string {
    const url = new URL(this.#url(server));
    url.pathname = `/${databaseName}`;
    return url.href;
  }

  /**
   * Brings a project's database to the template's version, and lets sign-in into it. Safe to repeat.
   *
   * @param unhurried no request waits for it, so it goes behind all that requests wait for
   */
  async upgrade(database: ProjectDatabase, { unhurried = false } = {}): Promise<void> {
    await this.#alone(unhurried ? 'sweeping' : 'making', database, async (client) => {
      await client.query(`grant connect on database ${quote(database.databaseName)} to ${authGroup}`);
      await client.query(pinned(quote(database.roleName)));
      await withClient(this.adminUrl(database.server, database.databaseName), upgradeProject);
    });
  }

  /** The way into the tables of `auth`, as a login that no tenant can become. */
  get authLogins(): ProjectLogins {
    const asAuth = (database: ProjectDatabase) => ({ ...database, roleName: this.#authLogin.name });
    return {
      loginUrl: (database) => this.loginUrl(asAuth(database)),
      ownSettings: ['search_path', 'statement_timeout'],
      upgrade: (database) => this.upgrade(database),
      cancelBackend: (database, processId) => this.cancelBackend(asAuth(database), processId),
      endBackend: (database, processId) => this.endBackend(asAuth(database), processId),
      restoreLogin: ({ server }) => this.#authLogin.restore(this.#server(server).pool),
    };
  }

  /** Removes a project's database and role, and what a restore has left of it. Safe to repeat. */
  async drop(database: ProjectDatabase): Promise<void> {
    const { databaseName } = database;
    await this.#alone('dropping', database, async (client) => {
      for (const name of [databaseName, draftName(databaseName), formerName(databaseName)])
        await client.query(`drop database if exists ${quote(name)} with (force)`);
      await client.query(`drop role if exists ${quote(database.roleName)}`);
    });
    this.#server(database.server).sizes.gone(database.databaseName);
  }

  /** Works on one project's database, as its server's administrator, while no other process makes, moves or drops it. */
  alone(database: ProjectDatabase, run: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    return this.#alone('making', database, run);
  }

  /** Databases that restores have left beside those of projects, by the names of these. */
  async besides(): Promise<readonly Pick<ProjectDatabase, 'server' | 'databaseName'>[]> {
    const found = await Promise.all(
      [...this.#servers].map(async ([server, { pool }]) => {
        const { rows } = await pool.query<{ name: string }>(besidesStatement);
        return rows.map(({ name }) => ({ server, databaseName: name }));
      }),
    );
    return found.flat();
  }

  /**
   * Works on one project's database while no other process does: not the reaper, nor a statement that a killed gateway left
   * running on the server.
   */
  #alone(
    turns: 'making' | 'dropping' | 'sweeping',
    { server, databaseName }: ProjectDatabase,
    run: (client: pg.PoolClient) => Promise<void>,
  ): Promise<void> {
    const projectServer = this.#server(server);
    const { pool } = projectServer;
    return projectServer[turns].take(async () => {
      const client = await pool.connect();
      let whole = false;
      try {
        await client.query('select pg_advisory_lock($1, hashtext($2))', [projectLock, databaseName]);
        await run(client);
        await client.query('select pg_advisory_unlock($1, hashtext($2))', [projectLock, databaseName]);
        whole = true;
      } finally {
        // Ending the session gives the lock back, whatever went wrong.
        client.release(!whole);
      }
    });
  }

  /** Bytes that databases take on disk, in the order given, as they were within half a minute or last known. */
  async sizesBytes(databases: readonly Pick<ProjectDatabase, 'server' | 'databaseName'>[]): Promise<number[]> {
    const byServer = Map.groupBy(databases, ({ server }) => server);
    const sizes = new Map<string, number>();
    await Promise.all(
      [...byServer].map(async ([name, inside]) => {
        const bytes = await this.#server(name).sizes.bytes(inside.map(({ databaseName }) => databaseName));
        for (const [at, { databaseName }] of inside.entries()) sizes.set(`${name}/${databaseName}`, bytes[at]!);
      }),
    );
    return databases.map(({ server, databaseName }) => sizes.get(`${server}/${databaseName}`) ?? 0);
  }

  /** Rows that were ever inserted into databases of one server, by name; PostgreSQL counts them some seconds late. */
  async insertedRows(server: string, databaseNames: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    type Row = { datname: string; tup_inserted: bigint };
    const { rows } = await this.#server(server).pool.query<Row>(insertedStatement, [databaseNames]);
    return new Map(rows.map(({ datname, tup_inserted }) => [datname, tup_inserted]));
  }

  /** The way into a project's database as its own login role. */
  loginUrl(database: ProjectDatabase): string {
    const url = new URL(this.#url(database.server));
    url.username = database.roleName;
    url.password = this.password(database);
    url.pathname = `/${database.databaseName}`;
    return url.href;
  }

  /** Sets a project role's password and settings back: a role may change its own, and tenant SQL runs as it. */
  async restoreLogin(database: ProjectDatabase): Promise<void> {
    const role = quote(database.roleName);
    const verifier = scramVerifier(this.password(database));
    const { pool } = this.#server(database.server);
    await pool.query(`alter role ${role} with login connection limit ${roleConnectionLimit} password '${verifier}'`);
    await pool.query(`alter role ${role} reset all; ${pinned(role)}`);
  }

  /** Stops what a connection of a project's role is doing; the connection goes on. */
  async cancelBackend({ server, roleName, databaseName }: ProjectDatabase, processId: number): Promise<void> {
    await this.#server(server).pool.query(cancelStatement, [processId, roleName, databaseName]);
  }

  /** Ends a connection of a project's role, whatever runs on it. */
  async endBackend({ server, roleName, databaseName }: ProjectDatabase, processId: number): Promise<void> {
    await this.#server(server).pool.query(endStatement, [processId, roleName, databaseName]);
  }

  /** Ends what gateways that were killed have left running on the servers. */
  async endAbandoned(afterSeconds = abandonedAfter): Promise<void> {
    await Promise.all([...this.#servers.values()].map(({ pool }) => pool.query(endAbandonedStatement, [afterSeconds])));
  }

  #url(server: string): string {
    this.#server(server);
    return this.#options.servers[server]!;
  }

  #server(name: string): ProjectServer {
    const server = this.#servers.get(name);
    if (server === undefined)
      throw new Error(`No project server is named ${name}; PROJECT_DATABASE_URLS must list it.`);
    return server;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(({ pool }) => pool.end()));
  }
}

async function unlessState(state: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (sqlState(error) !== state) throw error;
  }
}
