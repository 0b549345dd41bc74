import { sqlState } from './pool.ts';
import { withClient } from './with-client.ts';

/** Makes a database on a server unless it is there. @returns its URL */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  await withClient(serverUrl, async (client) => {
    try {
      await client.query(`create database ${client.escapeIdentifier(name)}`);
    } catch (error) {
      // 42P04: it exists; 23505: another process is making it at this moment.
      const state = sqlState(error);
      if (state !== '42P04' && state !== '23505') throw error;
    }
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
