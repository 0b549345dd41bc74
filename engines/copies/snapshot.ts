import pg from 'pg';

/** Values are written alike on every server, and nothing that a user made is found by a name that is ours. */
const plainSession = `set search_path = ''; set timezone = 'UTC'; set datestyle = 'ISO, MDY';
  set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex'; set xmlbinary = 'base64';
  set client_encoding = 'UTF8'; set client_min_messages = error; set synchronize_seqscans = off; set lc_monetary = 'C';
  set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set row_security = off`;

// Read where a table was asked for, a view would run code of its owner's.
const tablesAlone = `set restrict_nonsystem_relation_kind = 'view, foreign-table'`;

/** Without the setting a tenant could run code as the administrator who reads its database. */
export class OldServerError extends Error {
  override readonly name = 'OldServerError';

  constructor() {
    super(
      'This PostgreSQL server cannot be told to read tables alone; update it to the latest minor version (12.20, 13.16, 14.13, 15.8, 16.4, 17 or newer).',
    );
  }
}

/** SQLSTATE of a setting that a server does not know. */
const undefinedSetting = '42704';

export interface PlainClientOptions {
  /** Longest wait for a lock, in milliseconds. @default 60_000 */
  readonly lockMs?: number;
  /**
   * Whether views are refused. For an administrator in a database of a tenant's: a view that has taken the name of a table
   * would run code with the administrator's rights. @default false
   */
  readonly tablesAlone?: boolean;
}

/** A connection whose session reads and writes values alike on every server. */
export async function plainClient(
  url: string,
  { lockMs = 60_000, tablesAlone: alone = false }: PlainClientOptions = {},
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'svc-gateway backup',
    keepAlive: true,
    connectionTimeoutMillis: 15_000,
  });
  // Without a listener a connection that breaks would end the process; the statement under way tells its user.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(plainSession);
  await client.query(`set lock_timeout = ${lockMs}`);
  if (alone)
    await client.query(tablesAlone).catch((error: pg.DatabaseError) => {
      throw error.code === undefinedSetting ? new OldServerError() : error;
    });
  return client;
}

/** One moment of a database, which stays visible while others write. */
export interface Snapshot {
  readonly client: pg.Client;
  /** For other sessions that are to see the same moment. */
  readonly id: string;
  readonly close: () => Promise<void>;
}

/** Opens a snapshot of a database. No writer waits for it. */
export async function openSnapshot(url: string, lockMs: number): Promise<Snapshot> {
  const client = await plainClient(url, { lockMs, tablesAlone: true });
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ id: string }>('select pg_catalog.pg_export_snapshot() as id');
    return { client, id: rows[0]!.id, close: () => client.end().catch(() => undefined) };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}
