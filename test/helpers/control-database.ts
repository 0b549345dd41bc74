import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { templateDatabase } from './global-setup.ts';

export interface ControlDatabase {
  readonly name: string;
  readonly url: string;
  /** Superuser URL of the whole server. */
  readonly serverUrl: string;
  /** Looks into the database, past the gateway. */
  readonly sql: <Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ) => Promise<Row[]>;
  readonly drop: () => Promise<void>;
}

/** A migrated control database of a test file's own, cloned from the run's template. */
export async function createControlDatabase(): Promise<ControlDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `control_${randomBytes(6).toString('hex')}`;
  await withClient(serverUrl, (client) =>
    client.query(`create database ${name} template ${templateDatabase} strategy file_copy`),
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 4 });
  pool.on('error', () => undefined);
  return {
    name,
    url: url.href,
    serverUrl,
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row & pg.QueryResultRow>(text, values as unknown[])).rows,
    async drop() {
      await pool.end();
      await withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

async function withClient(url: string, run: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}
