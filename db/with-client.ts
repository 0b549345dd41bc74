import pg from 'pg';

export interface WithClientOptions {
  /** Shown in `pg_stat_activity`, after the gateway's own name. */
  readonly name?: string;
  /** Longest wait for the connection, in milliseconds. @default 5_000 */
  readonly connectMs?: number;
  /** Longest wait for any lock, in milliseconds: another node that prepares the same takes seconds. @default 60_000 */
  readonly lockMs?: number;
}

/** Runs something on a connection of its own, outside every pool; ending it gives back the locks of its session. */
export async function withClient<Result>(
  url: string,
  run: (client: pg.Client) => Promise<Result>,
  { name, connectMs = 5_000, lockMs = 60_000 }: WithClientOptions = {},
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name === undefined ? 'svc-gateway' : `svc-gateway ${name}`,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  });
  // Without a listener a connection that breaks would end the process; the statement under way tells its user.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // Not as a parameter of the connection, which poolers refuse.
    await client.query(`set lock_timeout = ${lockMs}`);
    return await run(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
